// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import Synchronization

/// The cursor of a source's last event, with the request that brings the event into the list.
///
/// A transaction names the requests that it contains (``StoreWork/requests``). If the event's request is among them,
/// the cursor is stored together with the objects.
package final class RequestCursor: Sendable {
    private let last = Mutex<(request: RequestID, bytes: [UInt8])?>(nil)

    package init() {}

    /// Records the cursor of an event that is passed to the list with a request. A source sends one event at a time.
    package func set(_ bytes: [UInt8], for request: RequestID) { last.withLock { $0 = (request, bytes) } }

    /// Returns the cursor to store with a transaction of some requests; nil if the event's request is not among them.
    package func bytes(of requests: [RequestID]) -> [UInt8]? {
        last.withLock { last in last.flatMap { requests.contains($0.request) ? $0.bytes : nil } }
    }
}

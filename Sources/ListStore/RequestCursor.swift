// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import Synchronization

/// The cursor of the last event of a list's source, with the request that applies this event to the list.
///
/// A transaction names the requests that it contains (``StoreWork/requests``). If it contains the request of the last
/// event, the cursor is stored together with the objects.
package final class RequestCursor: Sendable {
    private let last = Mutex<(request: RequestID, bytes: [UInt8])?>(nil)

    package init() {}

    /// Records the cursor of the source's next event, and the request that applies the event. They replace those of
    /// the previous event, because a source sends one event at a time.
    package func set(_ bytes: [UInt8], for request: RequestID) { last.withLock { $0 = (request, bytes) } }

    /// Returns the cursor to store with a transaction of some requests; nil if the request of the last event is not
    /// among them.
    package func bytes(of requests: [RequestID]) -> [UInt8]? {
        last.withLock { last in last.flatMap { requests.contains($0.request) ? $0.bytes : nil } }
    }
}

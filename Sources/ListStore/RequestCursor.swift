// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import Synchronization

/// Where the source of one list continues once its last event is in the list: found by the request that carries that
/// event.
///
/// The host names the requests that a transaction contains (``StoreWork/requests``); so cursor and objects are stored
/// together.
package final class RequestCursor: Sendable {
    private let last = Mutex<(request: RequestID, bytes: [UInt8])?>(nil)

    /// No event is on its way.
    package init() {}

    /// An event is on its way; a source has one at a time.
    package func set(_ bytes: [UInt8], for request: RequestID) { last.withLock { $0 = (request, bytes) } }

    /// The cursor of a transaction with some requests; nil when the source's is not among them.
    package func bytes(of requests: [RequestID]) -> [UInt8]? {
        last.withLock { last in last.flatMap { requests.contains($0.request) ? $0.bytes : nil } }
    }
}

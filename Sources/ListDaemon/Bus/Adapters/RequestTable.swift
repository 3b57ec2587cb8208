// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// A table of the completions that wait for a host's answers, by the numbers of their requests.
@DBusActor
struct RequestTable {
    /// Receives the only answer to a request.
    typealias Completion = @DBusActor (Result<AdapterAnswer, ListError>) -> Void

    private var waiting: [RequestID: Completion] = [:]
    private var last: RequestID = 0

    nonisolated init() {}

    /// Adds the completion of a new request, and returns the request's number.
    mutating func add(_ completion: @escaping Completion) -> RequestID {
        last += 1
        waiting[last] = completion
        return last
    }

    /// Removes and returns the completion of a request; nil if no completion waits for the answer.
    mutating func remove(_ id: RequestID) -> Completion? { waiting.removeValue(forKey: id) }
}

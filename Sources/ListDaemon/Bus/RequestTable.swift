// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// What a host was asked and has not answered yet.
@DBusActor
struct RequestTable {
    /// Takes the one answer to a request.
    typealias Completion = @DBusActor (Result<AdapterAnswer, ListError>) -> Void

    private var waiting: [RequestID: Completion] = [:]
    private var last: RequestID = 0

    nonisolated init() {}

    /// Notes whom to answer; the number names the request.
    mutating func add(_ completion: @escaping Completion) -> RequestID {
        last += 1
        waiting[last] = completion
        return last
    }

    /// The one to answer; nil when nobody waits (any more).
    mutating func remove(_ id: RequestID) -> Completion? { waiting.removeValue(forKey: id) }
}

// SPDX-License-Identifier: Apache-2.0

/// The calls of one connection that wait for their answer.
///
/// Completions are handed out, never called here: one that is called may call again, and this must not be changing then.
@DBusActor
struct PendingCalls {
    typealias Completion = @DBusActor (Result<Message, DBusError>) -> Void

    private struct Entry {
        let timer: LoopTimer?
        let completion: Completion
    }

    private var entries: [UInt32: Entry] = [:]

    nonisolated init() {}

    mutating func add(serial: UInt32, timer: LoopTimer?, completion: @escaping Completion) {
        entries[serial] = Entry(timer: timer, completion: completion)
    }

    /// Takes out whom the answer to a call is for; nil when nobody waits for it.
    mutating func remove(serial: UInt32) -> Completion? {
        guard let entry = entries.removeValue(forKey: serial) else { return nil }
        entry.timer?.cancel()
        return entry.completion
    }

    /// Takes out all that wait, in the order in which they were sent.
    mutating func removeAll() -> [Completion] {
        let waiting = entries.sorted { $0.key < $1.key }
        entries = [:]
        for (_, entry) in waiting { entry.timer?.cancel() }
        return waiting.map(\.value.completion)
    }
}

/// A call under way, which can be given up.
@DBusActor
public final class PendingCall {
    private weak var connection: Connection?
    private let serial: UInt32

    init(connection: Connection, serial: UInt32) {
        self.connection = connection
        self.serial = serial
    }

    /// Stops waiting: the call fails with `NoReply` now, and its answer is ignored when it comes.
    public func cancel() {
        connection?.calls.remove(serial: serial)?(.failure(.noReply("the call was cancelled")))
    }
}

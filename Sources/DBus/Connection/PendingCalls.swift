// SPDX-License-Identifier: Apache-2.0

/// The calls of one connection that wait for their answer.
///
/// Completions are handed out, never called here: one that is called may call again.
@DBusActor
final class PendingCalls {
    typealias Completion = @DBusActor (Result<Message, DBusError>) -> Void

    private struct Entry {
        let timer: LoopTimer?
        let completion: Completion
    }

    private var entries: [UInt32: Entry] = [:]

    nonisolated init() {}

    func add(serial: UInt32, timer: LoopTimer?, completion: @escaping Completion) {
        entries[serial] = Entry(timer: timer, completion: completion)
    }

    /// Removes whom the answer to a call is for; nil when nobody waits for it.
    func remove(serial: UInt32) -> Completion? {
        guard let entry = entries.removeValue(forKey: serial) else { return nil }
        entry.timer?.cancel()
        return entry.completion
    }

    /// Removes all that wait, in the order in which they were sent.
    func removeAll() -> [Completion] {
        let waiting = entries.sorted { $0.key < $1.key }
        entries = [:]
        for (_, entry) in waiting { entry.timer?.cancel() }
        return waiting.map(\.value.completion)
    }
}

/// A call under way, which can be given up.
@DBusActor
public final class PendingCall {
    private weak var calls: PendingCalls?
    private let serial: UInt32

    init(_ calls: PendingCalls, serial: UInt32) {
        self.calls = calls
        self.serial = serial
    }

    /// Stops waiting: the call fails with `NoReply` now, and its answer is ignored when it comes.
    public func cancel() {
        calls?.remove(serial: serial)?(.failure(.noReply("the call was cancelled")))
    }
}

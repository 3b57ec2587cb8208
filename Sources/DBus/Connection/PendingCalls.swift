// SPDX-License-Identifier: Apache-2.0

/// The calls of one connection that wait for an answer.
///
/// This class returns completions instead of calling them, as a completion may make another call.
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

    /// Removes and returns the completion of an answered call; nil when no pending call has this serial.
    func remove(serial: UInt32) -> Completion? {
        guard let entry = entries.removeValue(forKey: serial) else { return nil }
        entry.timer?.cancel()
        return entry.completion
    }

    /// Removes and returns all completions, in the order in which the calls were sent.
    func removeAll() -> [Completion] {
        let waiting = entries.sorted { $0.key < $1.key }
        entries = [:]
        for (_, entry) in waiting { entry.timer?.cancel() }
        return waiting.map(\.value.completion)
    }
}

/// A handle to cancel a pending call.
@DBusActor
public final class PendingCall {
    private weak var calls: PendingCalls?
    private let serial: UInt32

    init(_ calls: PendingCalls, serial: UInt32) {
        self.calls = calls
        self.serial = serial
    }

    /// Cancels the call: it fails with `NoReply` now, and a later answer is ignored.
    public func cancel() {
        calls?.remove(serial: serial)?(.failure(.noReply("the call was cancelled")))
    }
}

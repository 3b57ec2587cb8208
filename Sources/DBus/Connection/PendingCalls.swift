/// The calls of one connection that wait for their answer.
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

    /// Hands an answer to whom it is for; false when nobody waits for it.
    mutating func complete(_ reply: Message) -> Bool {
        guard let entry = entries.removeValue(forKey: reply.replySerial) else { return false }
        entry.timer?.cancel()
        entry.completion(reply.error.map { .failure($0) } ?? .success(reply))
        return true
    }

    mutating func fail(serial: UInt32, _ error: DBusError) {
        guard let entry = entries.removeValue(forKey: serial) else { return }
        entry.timer?.cancel()
        entry.completion(.failure(error))
    }

    /// Fails what waits, in the order in which it was sent.
    mutating func failAll(_ error: DBusError) {
        let waiting = entries.sorted { $0.key < $1.key }
        entries = [:]
        for (_, entry) in waiting {
            entry.timer?.cancel()
            entry.completion(.failure(error))
        }
    }
}

/// A call under way, which can be given up.
@DBusActor
package final class PendingCall {
    private weak var connection: Connection?
    private let serial: UInt32

    init(connection: Connection, serial: UInt32) {
        self.connection = connection
        self.serial = serial
    }

    /// Stops waiting: the call fails with `NoReply` now, and its answer is ignored when it comes.
    package func cancel() {
        connection?.calls.fail(serial: serial, .noReply("the call was cancelled"))
    }
}

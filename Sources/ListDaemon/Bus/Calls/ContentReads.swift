// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The queue of calls whose answers have contents of lists. Such an answer may have a megabyte or more.
///
/// A client may send hundreds of such calls before it reads the first answer, so answers must not be made as fast as
/// they are requested. At most ``underWayAtOnce`` reads of one client are in progress, in order, and a large answer
/// waits for its turn. A call with a short answer does not wait, unless other calls of its client do.
@DBusActor
final class ContentReads {
    /// Records that a read has ended, because its call was answered.
    typealias Finished = @DBusActor @Sendable () -> Void
    /// Starts a read, which must call `finished` once.
    typealias Read = @DBusActor (_ finished: @escaping Finished) -> Void

    /// The maximum number of reads of one peer in progress: the list is queried for one while the answer of another
    /// is sent.
    static let underWayAtOnce = 2
    /// The maximum bytes of an answer that is sent at once; a longer one is encoded on another thread, in its turn.
    static let largestAtOnce = 16 << 10

    /// The queue of one peer's reads.
    private final class PeerQueue {
        let peer: Peer
        fileprivate var underWay = 0
        fileprivate var waiting: [(call: Call, read: Read)] = []

        init(_ peer: Peer) { self.peer = peer }
    }

    private var queues: [ObjectIdentifier: PeerQueue] = [:]
    private let answers: AnswerTurns
    private let onWait: @DBusActor () -> Void

    /// - Parameter onWait: called for each read that has to wait.
    init(accounts: CallQueue, coding: WorkTurns, onWait: @escaping @DBusActor () -> Void) {
        answers = AnswerTurns(accounts: accounts, coding: coding)
        self.onWait = onWait
    }

    /// Starts a read now, or after the earlier reads of the peer.
    ///
    /// - Parameter size: the approximate bytes of the answer.
    func perform(for call: Call, size: Int, _ read: @escaping Read) {
        let key = ObjectIdentifier(call.peer)
        if size <= Self.largestAtOnce, queues[key] == nil { return read {} }
        let queue = queues[key] ?? PeerQueue(call.peer)
        queues[key] = queue
        queue.waiting.append((call, read))
        proceed(queue)
        if !queue.waiting.isEmpty { onWait() }
    }

    /// Answers a call with what `write` encodes, about `size` bytes, either at once or in its turn.
    func answer(_ call: Call, size: Int, _ write: @escaping LargeMessage.Body, finished: @escaping Finished) {
        guard size > Self.largestAtOnce else {
            call.replyWriting(write)
            return finished()
        }
        answers.send(LargeMessage(answering: call, size: size, finished: finished) { () throws(DBusError) in write })
    }

    /// Answers a call in the order of all messages to the caller: later signals and answers are sent after the
    /// answer.
    private func answerInOrder(
        _ call: Call, size: Int, _ write: @escaping LargeMessage.Body, finished: @escaping Finished
    ) {
        guard size > Self.largestAtOnce else {
            call.replyWriting(write)
            return finished()
        }
        call.peer.sendInOrder(isAnswer: true) { [self] in
            sendHolding(
                LargeMessage(answering: call, size: size, isInOrder: true, finished: finished) { () throws(DBusError) in
                    write
                })
        }
    }

    /// Answers a call from values that are read on the event loop's thread, about `size` bytes, either at once or in
    /// its turn.
    ///
    /// - Parameters:
    ///   - stamp: returns a counter that changes whenever the caller may receive signals of changed values before the
    ///     answer; the values are then read again, so that the answer is not older than the signals.
    ///   - makeBody: reads the values; the returned closure encodes them.
    func answer(
        _ call: Call, size: Int, stamp: @escaping @DBusActor @Sendable () -> UInt64,
        _ makeBody: @escaping @DBusActor @Sendable () throws(DBusError) -> LargeMessage.Body
    ) {
        guard size > Self.largestAtOnce else {
            do throws(DBusError) { call.replyWriting(try makeBody()) } catch { call.fail(error) }
            return
        }
        perform(for: call, size: size) { [answers] finished in
            answers.send(LargeMessage(answering: call, size: size, stamp: stamp, finished: finished, body: makeBody))
        }
    }

    /// Sends a signal to one client in the order of all messages to it: later messages are sent after the signal.
    ///
    /// - Parameters:
    ///   - size: returns the approximate bytes of the signal when all earlier messages are sent.
    ///   - stamp: returns a counter that changes whenever the content of the signal changes; it is then encoded again.
    ///   - makeSignal: makes the signal in the client's turn.
    ///   - send: sends the message, or handles the error because of which there is none; not called if the client has
    ///     left.
    func send(
        _ makeSignal: @escaping @DBusActor @Sendable () throws(DBusError) -> LargeMessage.Maker, to peer: Peer,
        size: @escaping @DBusActor () -> Int, stamp: @escaping @DBusActor @Sendable () -> UInt64 = { 0 },
        _ send: @escaping @DBusActor @Sendable (Result<Message, DBusError>) -> Void
    ) {
        peer.sendInOrder { [self] in
            guard !peer.hasDeparted else { return }
            let size = size()
            guard size > Self.largestAtOnce else {
                return send(Result { () throws(DBusError) in try makeSignal()() })
            }
            sendHolding(LargeMessage(to: peer, size: size, stamp: stamp, makeSignal, send))
        }
    }

    /// Sends a message in its turn; later messages to its receiver wait.
    private func sendHolding(_ message: LargeMessage) {
        message.receiver.hold { message.sendNow() }
        answers.send(message)
    }

    /// Waits until all queued answers are sent, but at most 500 ms for clients that do not read.
    func drain() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var isDone = false
            let finish: @DBusActor () -> Void = {
                if !isDone { continuation.resume() }
                isDone = true
            }
            answers.whenEmpty(finish)
            EventLoop.shared.addTimer(after: .milliseconds(500), finish)
        }
    }

    /// Drops the reads of a peer that has left.
    func removeReads(of peer: Peer) {
        if let queue = queues.removeValue(forKey: ObjectIdentifier(peer)) {
            for (call, _) in queue.waiting { call.abandon() }
            queue.waiting = []
        }
        answers.removeMessages(for: peer)
    }

    private func proceed(_ queue: PeerQueue) {
        while queue.underWay < Self.underWayAtOnce, !queue.waiting.isEmpty {
            queue.underWay += 1
            let (_, read) = queue.waiting.removeFirst()
            read { [weak self] in
                queue.underWay -= 1
                self?.proceed(queue)
            }
        }
        guard queue.underWay == 0, queue.waiting.isEmpty else { return }
        let key = ObjectIdentifier(queue.peer)
        if queues[key] === queue { queues[key] = nil }
    }
}

/// A function that encodes a host's answer as the arguments of a reply; returns `false` if the answer is of another
/// kind.
typealias AnswerEncoder = @Sendable (AdapterAnswer, inout MessageWriter) -> Bool

extension ContentReads {
    /// Answers a call with what `write` encodes from a host's answer, or with its error.
    ///
    /// - Parameter isInOrder: whether later signals to the caller must be sent after the answer.
    func answer(
        _ call: Call, with outcome: Result<AdapterAnswer, ListError>, isInOrder: Bool = false,
        _ write: @escaping AnswerEncoder, finished: @escaping Finished
    ) {
        switch outcome {
        case .failure(let error):
            call.fail(error)
            finished()
        case .success(let value):
            let body: LargeMessage.Body = { (writer) throws(DBusError) in
                guard write(value, &writer) else { throw ListError.unexpectedAnswer.dbusError }
            }
            if isInOrder {
                answerInOrder(call, size: value.sizeOnBus, body, finished: finished)
            } else {
                answer(call, size: value.sizeOnBus, body, finished: finished)
            }
        }
    }
}

extension AdapterAnswer {
    /// The approximate bytes of a message with the answer.
    ///
    /// - Complexity: O(objects, items or transactions); their contents are not read.
    fileprivate var sizeOnBus: Int {
        switch self {
        case .objects(_, _, let objects): objects.reduce(0) { $0 + $1.byteCount + 48 }
        case .object(_, _, let object): object.byteCount
        case .items(_, _, let items):
            items.reduce(0) {
                $0 + $1.item.content.byteCount + $1.item.reuseIdentifier.utf8.count + $1.objectID.utf8.count + 40
            }
        case .itemCounts(_, let counts): 4 * counts.count
        case .changes(_, let transactions): transactions.reduce(0) { $0 + $1.encodedSize + 64 }
        case .picture(let picture, _): picture.items.reduce(0) { $0 + $1.content.byteCount + 128 }
        case .selection(let selected, let deselected):
            (selected + deselected).reduce(0) { $0 + $1.objectID.utf8.count + 16 }
        case .text(let text): text.utf8.count
        case .revision, .opened, .sequence, .scrolled, .flag, .done: 0
        }
    }
}

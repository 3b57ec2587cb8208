// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The calls whose answers have contents of lists, each perhaps a megabyte or more.
///
/// A client may send hundreds of them before it reads the first answer, so answers must not be made as fast as they are
/// requested: at most ``underWayAtOnce`` reads of one client are in progress, in order, and a large answer waits for
/// its turn. A call with a short answer does not wait, unless others of its client do.
@DBusActor
final class ContentReads {
    /// Says that a read is over: its call has its answer.
    typealias Finished = @DBusActor @Sendable () -> Void
    /// Begins a read; what it is given is called once.
    typealias Read = @DBusActor (_ finished: @escaping Finished) -> Void

    /// How many reads of one peer are under way together: the list is asked while an answer is sent.
    static let underWayAtOnce = 2
    /// A longer answer is written on another thread, when its turn has come.
    static let largestAtOnce = 16 << 10

    /// The reads of one peer.
    private final class Line {
        let peer: Peer
        fileprivate var underWay = 0
        fileprivate var waiting: [(call: Call, read: Read)] = []

        init(_ peer: Peer) { self.peer = peer }
    }

    private var lines: [ObjectIdentifier: Line] = [:]
    private let answers: AnswerTurns
    private let onWait: @DBusActor () -> Void

    /// - Parameter onWait: called for each read that has to wait.
    init(admission: Admission, coding: WorkTurns, onWait: @escaping @DBusActor () -> Void) {
        answers = AnswerTurns(admission: admission, coding: coding)
        self.onWait = onWait
    }

    /// Begins a read now, or when those before it are answered.
    ///
    /// - Parameter size: about how many bytes the answer will have.
    func perform(for call: Call, size: Int, _ read: @escaping Read) {
        let key = ObjectIdentifier(call.peer)
        if size <= Self.largestAtOnce, lines[key] == nil { return read {} }
        let line = lines[key] ?? Line(call.peer)
        lines[key] = line
        line.waiting.append((call, read))
        proceed(line)
        if !line.waiting.isEmpty { onWait() }
    }

    /// Answers a call with what `write` writes, about so many bytes: at once, or when its turn has come.
    func answer(_ call: Call, size: Int, _ write: @escaping LargeMessage.Body, finished: @escaping Finished) {
        guard size > Self.largestAtOnce else {
            call.replyWriting(write)
            return finished()
        }
        answers.send(LargeMessage(answering: call, finished: finished) { () throws(DBusError) in write }, size: size)
    }

    /// The same in the order of what is sent to the caller: signals and answers that come later are sent behind it.
    private func answerInOrder(
        _ call: Call, size: Int, _ write: @escaping LargeMessage.Body, finished: @escaping Finished
    ) {
        guard size > Self.largestAtOnce else {
            call.replyWriting(write)
            return finished()
        }
        call.peer.sendInOrder { [answers] in
            call.peer.hold()
            answers.send(
                LargeMessage(answering: call, isInOrder: true, finished: finished) { () throws(DBusError) in write },
                size: size)
        }
    }

    /// Answers a call that reads what is on the event loop's thread, about so many bytes: at once, or when its turn has come.
    ///
    /// - Parameters:
    ///   - stamp: a counter that changes whenever the caller may hear of changed values before the answer: the answer
    ///     must be as new.
    ///   - take: takes the values; what it returns writes them down.
    func answer(
        _ call: Call, size: Int, stamp: @escaping @DBusActor @Sendable () -> UInt64,
        _ take: @escaping @DBusActor @Sendable () throws(DBusError) -> LargeMessage.Body
    ) {
        guard size > Self.largestAtOnce else {
            do throws(DBusError) { call.replyWriting(try take()) } catch { call.fail(error) }
            return
        }
        perform(for: call, size: size) { [answers] finished in
            answers.send(LargeMessage(answering: call, stamp: stamp, finished: finished, taking: take), size: size)
        }
    }

    /// Sends a signal to one client in the order of what is sent to it; what else is, and answers, come behind it.
    ///
    /// - Parameters:
    ///   - size: about how many bytes it has.
    ///   - send: called with the message, or with why there is none, unless the client has left.
    func send(
        _ signal: @escaping @DBusActor @Sendable () throws(DBusError) -> PreparedMessage, to peer: Peer, size: Int,
        _ send: @escaping @DBusActor @Sendable (Result<Message, DBusError>) -> Void
    ) {
        peer.sendInOrder { [answers] in
            guard !peer.hasDeparted else { return }
            guard size > Self.largestAtOnce else {
                return send(
                    Result { () throws(DBusError) in
                        let prepared = try signal()
                        prepared.write()
                        return try prepared.consume()
                    })
            }
            peer.hold()
            answers.send(LargeMessage(to: peer, signal, send), size: size)
        }
    }

    /// Waits until what was to be answered is sent, but not long for clients that do not read.
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

    /// Forgets a peer that has left.
    func forget(_ peer: Peer) {
        if let line = lines.removeValue(forKey: ObjectIdentifier(peer)) {
            for (call, _) in line.waiting { call.abandon() }
            line.waiting = []
        }
        answers.forget(peer)
    }

    private func proceed(_ line: Line) {
        while line.underWay < Self.underWayAtOnce, !line.waiting.isEmpty {
            line.underWay += 1
            let (_, read) = line.waiting.removeFirst()
            read { [weak self] in
                line.underWay -= 1
                self?.proceed(line)
            }
        }
        guard line.underWay == 0, line.waiting.isEmpty else { return }
        let key = ObjectIdentifier(line.peer)
        if lines[key] === line { lines[key] = nil }
    }
}

extension ContentReads {
    /// Answers a call with what `write` makes of a host's answer, or with its error; false = the answer does not fit.
    ///
    /// - Parameter isInOrder: whether signals to the caller that come later are sent behind it.
    func answer(
        _ call: Call, _ outcome: Result<AdapterAnswer, ListError>, isInOrder: Bool = false,
        _ write: @escaping @Sendable (AdapterAnswer, inout MessageWriter) -> Bool, finished: @escaping Finished
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
    /// About how many bytes a message has that says this.
    ///
    /// - Complexity: O(objects, items or transactions), but not their contents
    fileprivate var sizeOnBus: Int {
        switch self {
        case .objects(_, _, let objects): objects.reduce(0) { $0 + $1.byteCount + 48 }
        case .object(_, _, let object): object.byteCount
        case .items(_, _, let items):
            items.reduce(0) { $0 + $1.item.content.byteCount + $1.item.reuseIdentifier.utf8.count + 32 }
        case .itemCounts(_, let counts): 4 * counts.count
        case .changes(_, let transactions): transactions.reduce(0) { $0 + $1.encodedSize + 64 }
        case .picture(let picture): picture.items.reduce(0) { $0 + $1.content.byteCount + 128 }
        case .selection(let selected, let deselected):
            (selected + deselected).reduce(0) { $0 + $1.objectID.utf8.count + 16 }
        case .text(let text): text.utf8.count
        case .revision, .opened, .sequence, .scrolled, .flag, .done: 0
        }
    }
}

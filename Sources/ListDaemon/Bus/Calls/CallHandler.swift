// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// The handler of all connections' calls: it admits them, reads long arguments, answers slow calls, and releases the
/// state of departed peers.
@DBusActor
final class CallHandler {
    /// The accounts of users, and the turns in which calls are handled.
    let queue: CallQueue
    /// The answers and signals that cannot be sent at once.
    let outbox: Outbox
    /// The searches in progress.
    let searches = Searches()
    /// The log of requests that were refused because of a limit.
    let refusals: RefusalLog
    /// The clients that have called.
    let clients = ClientDirectory()
    /// The decoding and encoding of large messages on other threads.
    private let coding = Jobs.forCoding()
    /// The calls that wait for something outside of the daemon: data from a pipe, the start of a plugin, the store. Each
    /// has the answer that it gets if listd stops before.
    private var slowCalls: [ObjectIdentifier: (call: Call, refusal: ListError)] = [:]
    /// The peers whose departure is observed.
    private var watched: Set<ObjectIdentifier> = []
    private let transports: Transports
    private let counts: ServiceCounts
    /// Called when a peer has left.
    private let departureHandler: @DBusActor (Peer) -> Void

    /// Makes the handler of calls to a tree of objects.
    init(
        of tree: ObjectTree, authority: Authority, transports: Transports, counts: ServiceCounts, log: Log,
        onDeparture: @escaping @DBusActor (Peer) -> Void
    ) {
        queue = CallQueue {
            counts.count(.readsHeld, times: $0)
        } _: { [weak tree] call in
            guard let tree else { return call.fail(ListError.ending) }
            authority.authorizeOnRefusal(call) { tree.handle($0) }
            tree.handle(call)
        }
        outbox = Outbox(accounts: queue, jobs: coding)
        refusals = RefusalLog(log: log)
        (self.transports, self.counts, departureHandler) = (transports, counts, onDeparture)
        tree.onArrival { [weak self] call in
            // During listd's end, a connection may have read more calls than were answered.
            guard let self else { return call.fail(ListError.ending) }
            handleArrival(of: call)
        }
        tree.onManagedObjects { [weak self] call, objects in self?.answer(call, objects) }
        tree.onProperties { [queue, outbox] call, answer in
            queue.expectAnswer(to: call, size: answer.size)
            outbox.answer(call, size: answer.size, stamp: answer.stamp, answer.read)
        }
    }

    private func handleArrival(of call: Call) {
        counts.count(.calls)
        clients.record(call)
        call.onError { [weak self] call, error in self?.recordFailure(of: call, error) }
        pauseReadingIfBehind(call.peer)
        do throws(ListError) {
            try queue.admit(call)
        } catch {
            counts.count(.callsRefused)
            call.fail(error)
        }
    }

    /// Stops reading from a direct client that has made a call but leaves too much of what was sent to it unread.
    func pauseReadingIfBehind(_ peer: Peer) {
        watchDeparture(of: peer)
        transports.direct.pauseReadingIfBehind(peer)
    }

    private func recordFailure(of call: Call, _ error: any Error) {
        let user = call.peer.credentials?.userID
        counts.countRefusal(by: refusals.record(error, of: call.member, user: user, .client(call.peer.name)))
    }

    /// Answers `GetManagedObjects` in its turn, like other calls with large answers.
    private func answer(_ call: Call, _ objects: ManagedObjects) {
        queue.expectAnswer(to: call, size: AdapterObject.pageBytes)
        objects.collect { [outbox] size in outbox.answer(call, size: size) { objects.body } }
    }

    // MARK: Arguments

    /// Reads the arguments of a call and passes them to `proceed`. Long arguments are read on another thread, while
    /// the later calls of the connection wait.
    ///
    /// - Parameter proceed: continues the call; an error that it throws is the answer.
    func decode<Decoded: Sendable>(
        _ call: Call, _ read: @escaping @Sendable (inout MessageReader) throws(DBusError) -> Decoded,
        then proceed: @escaping @DBusActor @Sendable (Decoded) throws -> Void
    ) throws {
        guard call.message.bodySize > Outbox.largestAtOnce else { return try proceed(call.message.read(read)) }
        let body = call.takeBody()
        call.onFailure(nil)  // the call cannot be handled again from the beginning
        queue.hold(call.peer)
        coding.run(for: call.peer) {
            Result { () throws(DBusError) in try body.read(read) }
        } finish: { [queue] outcome in
            defer { queue.release(call.peer) }
            guard !call.peer.hasDeparted || call.message.noReplyExpected else { return call.abandon() }
            do { try proceed(outcome.get()) } catch { call.fail(error) }
        }
    }

    // MARK: Calls that wait

    /// Runs a slow operation that answers a call. An error that it throws is the answer. If listd stops before the
    /// operation has answered, `refusal` is the answer.
    func answer(
        _ call: Call, refusal: ListError = .ending, _ body: @escaping @DBusActor () async throws -> Void
    ) {
        slowCalls[ObjectIdentifier(call)] = (call, refusal)
        Task { @DBusActor in
            do { try await body() } catch { call.fail(error) }
            slowCalls[ObjectIdentifier(call)] = nil
        }
    }

    /// Answers the calls that are still waiting when listd stops, with their refusals.
    func refuseSlowCalls() {
        for (call, refusal) in slowCalls.values { call.fail(refusal) }
        slowCalls = [:]
    }

    // MARK: Departures

    /// Releases all state of a peer when it leaves.
    func watchDeparture(of peer: Peer) {
        guard watched.insert(ObjectIdentifier(peer)).inserted else { return }
        peer.onDeparture { [weak self, weak peer] in if let peer { self?.handleDeparture(of: peer) } }
    }

    private func handleDeparture(of peer: Peer) {
        watched.remove(ObjectIdentifier(peer))
        transports.direct.removeBacklog(of: peer)
        queue.drop(peer)
        outbox.drop(peer)
        departureHandler(peer)
    }
}

/// A function that encodes a presenter's answer as the arguments of a reply; returns `false` if the answer is of another
/// kind.
typealias AnswerEncoder = @Sendable (PresenterAnswer, inout MessageWriter) -> Bool

extension Outbox {
    /// Answers a call with what `write` encodes from a presenter's answer, or with its error.
    ///
    /// - Parameter isInOrder: whether later signals to the caller must be sent after the answer.
    func answer(
        _ call: Call, with outcome: Result<PresenterAnswer, ListError>, isInOrder: Bool = false,
        _ write: @escaping AnswerEncoder
    ) {
        switch outcome {
        case .failure(let error): call.fail(error)
        case .success(let value):
            answer(call, size: value.sizeOnBus, isInOrder: isInOrder) {
                { (writer) throws(DBusError) in
                    guard write(value, &writer) else { throw ListError.unexpectedAnswer.dbusError }
                }
            }
        }
    }
}

extension PresenterAnswer {
    /// The approximate bytes of a message with the answer.
    ///
    /// - Complexity: O(items); their contents are not read.
    fileprivate var sizeOnBus: Int {
        switch self {
        case .items(_, let items):
            items.reduce(0) {
                $0 + $1.item.content.byteCount + $1.item.reuseIdentifier.utf8.count + $1.objectID.utf8.count + 40
            }
        case .itemCounts(let counts): 4 * counts.count
        case .picture(let picture): picture.items.reduce(0) { $0 + $1.content.byteCount + 128 }
        case .selection(let selected, let deselected):
            (selected + deselected).reduce(0) { $0 + $1.objectID.utf8.count + 16 }
        case .sequence, .scrolled, .flag, .done: 0
        }
    }
}

/// The log of refusals by limits: at most one message in ten seconds for each user and limit, with the limit's key.
///
/// It records refused calls, which it recognises by the error in the answer, refused events of sources, and refused
/// connections.
@DBusActor
final class RefusalLog {
    private var limiter = RateLimiter(limit: RateLimit(burst: 1, interval: .seconds(10), keys: 1024))
    private let log: Log

    nonisolated init(log: Log) { self.log = log }

    /// Records an error. Errors other than refusals by a limit are ignored.
    ///
    /// - Parameters:
    ///   - subject: the refused thing, such as a method's name.
    ///   - user: the user on whose account the subject counts; nil = unknown.
    /// - Returns: the limit, if the error names one.
    @discardableResult
    func record(
        _ error: any Error, of subject: String, user: UInt32?, _ fields: Log.Field..., event: Log.Event? = nil
    ) -> LimitKey? {
        let error = DBusError(error)
        guard error.standard == .limitsExceeded || error.name == ListError.Code.payloadTooLarge.busName else {
            return nil
        }
        let key = LimitKey(namedAtEndOf: error.message)
        let userText = user.map { "user \($0)" } ?? "an unknown user"
        let verdict = limiter.admit("\(userText) \(key?.rawValue ?? subject)", at: .now)
        guard case .write(let leftOut) = verdict else { return key }
        let others = leftOut > 0 ? "; \(leftOut) more refusals since the last such message" : ""
        log.write(
            .notice, { "\(subject) of \(userText) was refused: \(error.message)\(others)" }, fields, event: event,
            limitedBy: nil)
        return key
    }
}

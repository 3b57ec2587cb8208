// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSupport

/// The handler of all connections' calls: it admits them, reads long arguments, answers slow calls, and releases the
/// state of departed peers.
@DBusActor
final class CallHandler {
    /// The accounts of users, and the turns in which calls are handled.
    let queue: CallQueue
    /// The calls whose answers have contents of lists.
    let reads: ContentReads
    /// The searches in progress.
    let searches = Searches()
    /// The log of requests that were refused because of a limit.
    let refusals: RefusalLog
    /// The clients that have called.
    let clients = ClientDirectory()
    /// The decoding and encoding of large messages on other threads.
    private let coding = WorkTurns.forCoding()
    /// The calls that wait for something outside of the daemon.
    private var slowCalls = SlowCalls()
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
        queue = CallQueue { [weak tree] call in
            guard let tree else { return call.fail(ListError.ending) }
            authority.authorizeOnRefusal(call) { tree.handle($0) }
            tree.handle(call)
        }
        reads = ContentReads(accounts: queue, coding: coding) { counts.count(.readsHeld) }
        refusals = RefusalLog(log: log)
        (self.transports, self.counts, departureHandler) = (transports, counts, onDeparture)
        tree.onArrival { [weak self] call in
            // During listd's end, a connection may have read more calls than were answered.
            guard let self else { return call.fail(ListError.ending) }
            handleArrival(of: call)
        }
        tree.onManagedObjects { [weak self] call, objects in self?.answer(call, objects) }
        tree.onProperties { [reads] call, answer in
            reads.answer(call, size: answer.size, stamp: answer.stamp, answer.read)
        }
    }

    private func handleArrival(of call: Call) {
        counts.count(.calls)
        clients.record(call)
        call.onError { [weak self] call, error in self?.recordFailure(of: call, error) }
        watchDeparture(of: call.peer)
        if !transports.isOnBus(call.peer) { transports.direct.pauseReadingIfBehind(call.peer) }
        do throws(ListError) {
            try queue.admit(call)
        } catch {
            counts.count(.callsRefused)
            call.fail(error)
        }
    }

    private func recordFailure(of call: Call, _ error: any Error) {
        let user = call.peer.credentials?.userID
        counts.countRefusal(by: refusals.record(error, of: call.member, user: user, .client(call.peer.name)))
    }

    /// Answers `GetManagedObjects` in its turn, like other calls with large answers.
    private func answer(_ call: Call, _ objects: ManagedObjects) {
        reads.perform(for: call, size: AdapterObject.pageBytes) { [reads] finished in
            objects.collect { size in reads.answer(call, size: size, objects.body, finished: finished) }
        }
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
        guard call.message.bodySize > ContentReads.largestAtOnce else { return try proceed(call.message.read(read)) }
        let body = call.takeBody()
        call.onFailure(nil)  // the call cannot be handled again from the beginning
        queue.hold(call.peer)
        coding.perform(for: call.peer) {
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
        slowCalls.begin(call, refusal: refusal)
        Task { @DBusActor in
            do { try await body() } catch { call.fail(error) }
            slowCalls.end(call)
        }
    }

    /// Answers the calls that are still waiting when listd stops, with their refusals.
    func refuseSlowCalls() { slowCalls.refuseAll() }

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
        reads.removeReads(of: peer)
        departureHandler(peer)
    }
}

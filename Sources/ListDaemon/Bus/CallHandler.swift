// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSupport

/// Takes the calls of all connections: admits them, reads long arguments, answers those that wait, and forgets peers that leave.
@DBusActor
final class CallHandler {
    /// What users have under way, and whose turn it is.
    let admission: Admission
    /// The calls that are answered with contents.
    let reads: ContentReads
    /// The searches in progress.
    let searches = Searches()
    /// Logs who was refused something for a limit.
    let refusals: RefusalLog
    /// Who calls.
    let clients = ClientDirectory()
    /// What is decoded and encoded on other threads.
    private let coding = WorkTurns.forCoding()
    /// The calls that wait for something outside of listd.
    private var slowCalls = SlowCalls()
    /// Peers whose departure is waited for.
    private var watched: Set<ObjectIdentifier> = []
    private let transports: Transports
    private let counts: ServiceCounts
    /// Called when a peer has left.
    private let departureHandler: @DBusActor (Peer) -> Void

    /// Handles the calls of a tree of objects.
    init(
        of tree: ObjectTree, authority: Authority, transports: Transports, counts: ServiceCounts, log: Log,
        onDeparture: @escaping @DBusActor (Peer) -> Void
    ) {
        admission = Admission { [weak tree] call in
            guard let tree else { return call.fail(ListError.ending) }
            authority.accompany(call) { tree.handle($0) }
            tree.handle(call)
        }
        reads = ContentReads(admission: admission, coding: coding) { counts.add(.readsHeld) }
        refusals = RefusalLog(log: log)
        (self.transports, self.counts, departureHandler) = (transports, counts, onDeparture)
        tree.onArrival { [weak self] call in
            // A connection may have read more than was answered when the last part of listd went.
            guard let self else { return call.fail(ListError.ending) }
            arrived(call)
        }
        tree.onManagedObjects { [weak self] call, objects in self?.answer(call, objects) }
        tree.onProperties { [reads] call, answer in
            reads.answer(call, size: answer.size, stamp: answer.stamp, answer.read)
        }
    }

    private func arrived(_ call: Call) {
        counts.add(.calls)
        clients.record(call)
        call.onError { [weak self] call, error in self?.failed(call, error) }
        watchDeparture(of: call.peer)
        if !transports.isOnBus(call.peer) { transports.direct.check(call.peer) }
        do throws(ListError) {
            try admission.admit(call)
        } catch {
            counts.add(.callsRefused)
            call.fail(error)
        }
    }

    private func failed(_ call: Call, _ error: any Error) {
        let user = call.peer.credentials?.userID
        counts.add(refusal: refusals.record(error, of: call.member, user: user, .client(call.peer.name)))
    }

    /// Answers `GetManagedObjects` as what else has much to say: in its turn.
    private func answer(_ call: Call, _ objects: ManagedObjects) {
        reads.perform(for: call, size: AdapterObject.pageBytes) { [reads] finished in
            objects.collect { size in reads.answer(call, size: size, objects.body, finished: finished) }
        }
    }

    // MARK: Arguments

    /// Reads the arguments of a call and goes on with it: at once, or if they are long on another thread, while the calls
    /// behind it on its connection wait.
    ///
    /// - Parameter proceed: what it throws is the answer.
    func decode<Decoded: Sendable>(
        _ call: Call, _ read: @escaping @Sendable (inout MessageReader) throws(DBusError) -> Decoded,
        then proceed: @escaping @DBusActor @Sendable (Decoded) throws -> Void
    ) throws {
        let size = call.message.bodyLength
        guard size > ContentReads.largestAtOnce else { return try proceed(call.message.read(read)) }
        let body = try call.detachBody()
        call.onFailure(nil)  // it cannot be handled from the beginning again
        admission.hold(call.peer)
        coding.perform(for: call.peer, size: size) {
            Result { () throws(DBusError) in try body.read(read) }
        } finish: { [admission] outcome in
            defer { admission.release(call.peer) }
            guard !call.peer.hasDeparted || call.message.noReplyExpected else { return call.abandon() }
            do { try proceed(outcome.get()) } catch { call.fail(error) }
        }
    }

    // MARK: Calls that wait

    /// Runs something that waits for a call; what it throws is the answer, and `refusal` should listd end before.
    func answer(
        _ call: Call, refusal: ListError = .ending, _ body: @escaping @DBusActor () async throws -> Void
    ) {
        slowCalls.begin(call, refusal)
        Task { @DBusActor in
            do { try await body() } catch { call.fail(error) }
            slowCalls.end(call)
        }
    }

    /// Answers the calls that still wait when listd ends.
    func refuseSlowCalls() { slowCalls.refuseAll() }

    // MARK: Departures

    /// Has everything of a peer forgotten when it leaves.
    func watchDeparture(of peer: Peer) {
        guard watched.insert(ObjectIdentifier(peer)).inserted else { return }
        peer.onDeparture { [weak self, weak peer] in if let peer { self?.departed(peer) } }
    }

    private func departed(_ peer: Peer) {
        watched.remove(ObjectIdentifier(peer))
        transports.direct.forget(peer)
        admission.forget(peer)
        reads.forget(peer)
        departureHandler(peer)
    }
}

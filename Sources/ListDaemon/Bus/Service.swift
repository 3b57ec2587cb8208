// SPDX-License-Identifier: Apache-2.0

package import DBus
package import ListConfiguration
internal import ListKit
package import ListSources
package import ListStore
package import ListSupport
package import ListWorkers

/// What the objects on the bus share, and the one place where their common state is kept.
@DBusActor
package final class Service {
    /// Whether writing is still accepted.
    package enum Phase: Sendable {
        /// Everything is served.
        case running
        /// The end was asked for: writing is refused, reads and views still answer.
        case shuttingDown
    }

    /// The objects that every connection shows.
    package let tree = ObjectTree()
    /// The daemon's log.
    let log: Log
    /// Keeps the lists; nil = they live in memory.
    package private(set) var store: SQLiteStore?
    /// Knows who callers are.
    let authority: Authority
    /// Loads plugins.
    let plugins: PluginRegistry
    /// The plugins as the bus shows them.
    private(set) lazy var pluginObjects = PluginDirectory(tree: tree)
    /// The connections.
    private(set) lazy var transports = Transports(
        onCongestion: { [weak self] in self?.hold($0) }, onLoss: { [weak self] in self?.lost($0) })
    /// What users have under way, and whose turn it is.
    private(set) lazy var admission = makeAdmission()
    /// What is decoded and encoded on other threads.
    let coding = WorkTurns.forCoding()
    /// The calls that are answered with contents.
    private(set) lazy var reads = ContentReads(admission: admission, coding: coding) { [weak self] in
        self?.count(.readsHeld)
    }
    /// The searches in progress.
    let searches = Searches()
    /// What users have.
    let quotas: QuotaLedger
    /// What configured lists have, without a limit.
    let configuredLists = QuotaLedger(limits: .unlimited)
    /// What one call may bring, and who may create adapters.
    private var callLimits = CallLimits()
    /// Reads descriptors.
    let bulk = BulkReader()
    /// The calls that wait for something outside of listd.
    private var slowCalls = SlowCalls()
    /// The memory files that callers got.
    let lentFiles = LentFiles()
    /// Says who was refused something for a limit.
    let refusals: RefusalLog
    /// How long plugins take.
    let callbackTimes = CallbackTimes()
    /// Counts what happens.
    private(set) var statistics = Statistics()
    /// Whether writing is still accepted.
    package private(set) var phase = Phase.running
    /// Called when there is more or less of something that is counted for people.
    private var changeHandler: @DBusActor () -> Void = {}
    /// The adapters by name.
    let adapters = AdapterDirectory()
    /// The open views.
    let views = ViewDirectory()
    /// Who calls.
    let clients = ClientDirectory()
    /// Peers whose departure is waited for.
    private var watched: Set<ObjectIdentifier> = []
    /// Whether flushes are held because the bus connection has too much to send.
    private(set) var isHeld = false

    /// Makes a service without adapters.
    ///
    /// - Parameter plugins: makes the registry, which tells its changes to the observer that it is given.
    package init(
        log: Log, quotas: Quotas.Amounts,
        plugins: (@escaping @Sendable (PluginRegistry.Change) -> Void) -> PluginRegistry
    ) {
        self.log = log
        authority = Authority(log: log)
        refusals = RefusalLog(log: log)
        let relay = PluginRelay()
        self.plugins = plugins { change in EventLoop.shared.post { relay.target?.apply(change) } }
        self.quotas = QuotaLedger(limits: quotas)
        tree.addObjectManager(at: ObjectPath.adapters)
        tree.addObjectManager(at: ObjectPath.plugins)
        relay.target = self
        tree.onArrival { [weak self] call in
            // A connection may have read more than was answered when the last part of listd went.
            guard let self else { return call.fail(ListError.ending) }
            arrived(call)
        }
        admission.onLimits { [weak self] user, limits in self?.quotas.setLimits(limits.perUser, of: user) }
        tree.onManagedObjects { [weak self] call, objects in self?.answer(call, objects) }
        tree.onProperties { [weak self] call, answer in
            self?.reads.answer(call, size: answer.size, stamp: answer.stamp, answer.read)
        }
    }

    // MARK: What the daemon sets

    /// What one call may bring, and who may create adapters.
    package struct CallLimits: Sendable {
        /// Who may create adapters.
        package var creators = AccessRule.any
        /// How many bytes all objects of one call may take.
        package var payloadBytes = 16 << 20
        /// The limits of one object.
        package var objects = ObjectLimits()
        /// What may come through descriptors.
        package var bulk = BulkReader.Limits()

        /// The contract's defaults.
        package init() {}
    }

    /// Who may create adapters.
    package var creators: AccessRule { callLimits.creators }
    /// How many bytes all objects of one call may take.
    package var payloadBytes: Int { callLimits.payloadBytes }
    /// What one object may take.
    package var objectLimits: ObjectLimits { callLimits.objects }
    /// What may come through descriptors.
    package var bulkLimits: BulkReader.Limits { callLimits.bulk }

    /// Other limits hold from now on.
    package func setLimits(_ new: CallLimits) {
        let haveChanged = new.bulk != callLimits.bulk
        callLimits = new
        guard haveChanged else { return }
        bulk.setLimits(new.bulk)
        for adapter in adapters.all { adapter.setLimits(new.bulk) }
    }

    /// Keeps the lists from now on.
    package func setStore(_ new: SQLiteStore) { store = new }

    /// Refuses writing from now on.
    package func beginShutdown() { phase = .shuttingDown }

    /// There is more or less of something that is counted for people.
    func countsChanged() { changeHandler() }

    /// Calls `handler` when there is more or less of something that is counted for people.
    func onChange(_ handler: @escaping @DBusActor () -> Void) { changeHandler = handler }

    /// Counts something that happened.
    func count(_ counter: Statistics.Counter, _ count: Int = 1) { statistics.add(counter, count) }

    /// Answers `GetManagedObjects` as what else has much to say: in its turn.
    private func answer(_ call: Call, _ objects: ManagedObjects) {
        reads.perform(for: call, size: AdapterObject.pageBytes) { [reads] finished in
            objects.collect { size in reads.answer(call, size: size, objects.body, finished: finished) }
        }
    }

    private func arrived(_ call: Call) {
        count(.calls)
        clients.record(call)
        call.onError { [weak self] call, error in self?.noteFailure(of: call, error) }
        watchDeparture(of: call.peer)
        if !transports.isOnBus(call.peer) { transports.direct.check(call.peer) }
        do throws(ListError) {
            try admission.admit(call)
        } catch {
            count(.callsRefused)
            call.fail(error)
        }
    }

    private func makeAdmission() -> Admission {
        Admission { [weak self] call in
            guard let self else { return call.fail(ListError.ending) }
            authority.accompany(call) { [tree] in tree.handle($0) }
            tree.handle(call)
        }
    }

    /// Updates the bus object of a plugin.
    fileprivate func apply(_ change: PluginRegistry.Change) {
        pluginObjects.apply(change)
        countsChanged()
    }

    /// While the bus has too much to send, every host holds its flushes and composes.
    private func hold(_ holds: Bool) {
        isHeld = holds
        if holds { count(.holds) }
        for adapter in adapters.all { adapter.send(.hold(holds)) }
    }

    /// Tells a client that it missed something, without waiting for something new to say.
    private func lost(_ receiver: UnicastSignals.Receiver) {
        count(.signalsLost)
        switch receiver {
        case .view(let view): views.object(view)?.missed()
        case .subscriber(let client, let adapter): adapters.object(adapter)?.announce(toClient: client)
        }
    }

    /// Refuses those that the configuration does not let create adapters.
    func checkCreator(_ caller: Caller) throws(ListError) {
        guard AdapterAccess(owner: 0, writers: creators).allowsWriting(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not create adapters (Creators=\(creators.text))")
        }
    }

    /// Refuses writing once the end was asked for.
    func checkWriting() throws(ListError) {
        guard phase == .running else { throw .ending }
    }

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

    /// Sees to it that nothing of a peer stays behind when it leaves.
    func watchDeparture(of peer: Peer) {
        guard watched.insert(ObjectIdentifier(peer)).inserted else { return }
        peer.onDeparture { [weak self, weak peer] in if let peer { self?.departed(peer) } }
    }

    private func departed(_ peer: Peer) {
        watched.remove(ObjectIdentifier(peer))
        transports.direct.forget(peer)
        admission.forget(peer)
        reads.forget(peer)
        views.close(ownedBy: peer)
        removeTransients(of: peer)
        for adapter in adapters.all { adapter.forget(peer) }
    }
}

/// Breaks the circle of the service and its plugin registry: set once, as soon as both are there.
@DBusActor
private final class PluginRelay {
    fileprivate weak var target: Service?
}

extension ObjectPath {
    /// The manager.
    static let manager: ObjectPath = "/org/listd/Listd1"
    /// The parent of all adapters.
    static let adapters: ObjectPath = "/org/listd/Listd1/adapters"
    /// The parent of all plugins.
    static let plugins: ObjectPath = "/org/listd/Listd1/plugins"
    /// The parent of all views.
    static let views: ObjectPath = "/org/listd/Listd1/views"
}

// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
package import ListStore
package import ListSupport
package import ListWorkers

/// The state that all objects on the bus share; each kind of state has one owner.
@DBusActor
package final class Service {
    /// Whether listd still accepts writes.
    package enum Phase: Sendable {
        /// All calls are accepted.
        case running
        /// A stop was requested: writes are refused, while reads and views are still answered.
        case shuttingDown
    }

    /// The objects that are exported on every connection.
    package let tree = ObjectTree()
    /// The daemon's log.
    let log: Log
    /// The credentials and rights of callers.
    let authority: Authority
    /// The limits of calls, and the quotas of users.
    let limits: ServiceLimits
    /// The counters.
    let counts = ServiceCounts()
    /// The plugins, and their objects on the bus.
    let plugins: PluginDirectory
    /// The adapters by name.
    let adapters = AdapterDirectory()
    /// The open views.
    let views = ViewDirectory()
    /// Whether listd still accepts writes.
    package private(set) var phase = Phase.running
    /// The connections to the bus and to direct clients.
    private(set) lazy var transports = Transports(
        onCongestion: { [weak self] in self?.setFlushesHeld($0) },
        onLoss: { [weak self] in self?.handleLostSignal(to: $0) })
    /// The handler of all connections' calls.
    private(set) lazy var calls = CallHandler(
        of: tree, authority: authority, transports: transports, counts: counts, log: log
    ) { [weak self] in self?.handleDeparture(of: $0) }
    /// The store of the lists; nil = the lists are only in memory.
    package private(set) var store: SQLiteStore?
    /// The losses of stored data that nobody has acknowledged, oldest first.
    private(set) var losses: [Loss] = []

    /// Makes a service without adapters.
    ///
    /// - Parameter plugins: makes the registry, which reports changes to the given observer.
    package init(
        log: Log, quotas: Quotas.Amounts,
        plugins: (@escaping @Sendable (PluginRegistry.Change) -> Void) -> PluginRegistry
    ) {
        self.log = log
        authority = Authority(log: log)
        limits = ServiceLimits(quotas: quotas)
        self.plugins = PluginDirectory(tree: tree, registry: plugins) { [counts] in counts.notifyChange() }
        tree.addObjectManager(at: .manager, of: [.adapters, .plugins])
        for parent in [ObjectPath.adapters, .plugins, .views] { tree.keepNode(at: parent) }
        calls.admission.onLimitsLookup { [limits] user, new in limits.quotas.setLimits(new.perUser, of: user) }
    }

    /// Changes the limits of calls.
    func setLimits(_ new: ServiceLimits.OfCalls) {
        guard limits.setCallLimits(new) else { return }
        for adapter in adapters.all { adapter.setLimits(new.bulk) }
    }

    /// The operations that create, restore and remove adapters.
    var lifecycle: AdapterLifecycle { AdapterLifecycle(service: self) }

    /// Sets the store of the lists.
    package func setStore(_ new: SQLiteStore, losses: [Loss] = []) { (store, self.losses) = (new, losses) }

    /// Forgets the losses. This never fails: those that cannot be removed from the store are back at the next start.
    func acknowledgeLosses() async {
        losses = []
        counts.notifyChange()
        await store?.acknowledgeLosses()
    }

    /// Refuses writing calls from now on.
    package func beginShutdown() { phase = .shuttingDown }

    /// Throws if a stop was requested, because writes are refused then.
    func checkWriting() throws(ListError) {
        guard phase == .running else { throw .ending }
    }

    /// Counts events.
    func count(_ counter: Statistics.Counter, times: Int = 1) { counts.count(counter, times: times) }

    /// Holds back the flushes of all hosts while too much is queued for the bus. Changes are combined meanwhile.
    private func setFlushesHeld(_ holds: Bool) {
        if holds { count(.holds) }
        for adapter in adapters.all { adapter.send(.hold(holds)) }
    }

    /// Notifies a client at once that it missed a signal.
    private func handleLostSignal(to receiver: UnicastSignals.Receiver) {
        count(.signalsLost)
        switch receiver {
        case .view(let view): views.object(view)?.announceLoss()
        case .subscriber(let client, let adapter): adapters.object(named: adapter)?.signals.announce(toClient: client)
        }
    }

    private func handleDeparture(of peer: Peer) {
        views.close(ownedBy: peer)
        lifecycle.removeTransients(of: peer)
        for adapter in adapters.all { adapter.signals.unsubscribe(peer) }
    }
}

extension ObjectPath {
    /// The path of the manager.
    static let manager: ObjectPath = "/org/listd/Listd1"
    /// The parent path of all adapters.
    static let adapters: ObjectPath = "/org/listd/Listd1/adapters"
    /// The parent path of all plugins.
    static let plugins: ObjectPath = "/org/listd/Listd1/plugins"
    /// The parent path of all views.
    static let views: ObjectPath = "/org/listd/Listd1/views"
}

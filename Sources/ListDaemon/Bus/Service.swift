// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import ListConfiguration
internal import ListKit
package import ListStore
package import ListSupport
package import ListWorkers

/// What the objects on the bus share: one owner for each kind of state.
@DBusActor
package final class Service {
    /// Whether writing is still accepted.
    package enum Phase: Sendable {
        /// Everything is served.
        case running
        /// The end was requested: writes are refused, reads and views are still answered.
        case shuttingDown
    }

    /// The objects that every connection shows.
    package let tree = ObjectTree()
    /// The daemon's log.
    let log: Log
    /// Knows who callers are.
    let authority: Authority
    /// What one call may bring, and what users may have.
    let limits: ServiceLimits
    /// Counts what happens.
    let counts = ServiceCounts()
    /// The plugins, and their objects on the bus.
    let plugins: PluginDirectory
    /// The adapters by name.
    let adapters = AdapterDirectory()
    /// The open views.
    let views = ViewDirectory()
    /// Whether writing is still accepted.
    package private(set) var phase = Phase.running
    /// The connections.
    private(set) lazy var transports = Transports(
        onCongestion: { [weak self] in self?.hold($0) }, onLoss: { [weak self] in self?.lost($0) })
    /// Takes the calls of all connections.
    private(set) lazy var calls = CallHandler(
        of: tree, authority: authority, transports: transports, counts: counts, log: log
    ) { [weak self] in self?.departed($0) }
    /// Keeps the lists; nil = they live in memory.
    package private(set) var store: SQLiteStore?

    /// Makes a service without adapters.
    ///
    /// - Parameter plugins: makes the registry, which tells its changes to the observer that it is given.
    package init(
        log: Log, quotas: Quotas.Amounts,
        plugins: (@escaping @Sendable (PluginRegistry.Change) -> Void) -> PluginRegistry
    ) {
        self.log = log
        authority = Authority(log: log)
        limits = ServiceLimits(quotas: quotas)
        self.plugins = PluginDirectory(tree: tree, registry: plugins) { [counts] in counts.changed() }
        tree.addObjectManager(at: ObjectPath.adapters)
        tree.addObjectManager(at: ObjectPath.plugins)
        calls.admission.onLimits { [limits] user, new in limits.quotas.setLimits(new.perUser, of: user) }
    }

    /// Sets the limits of calls.
    func setLimits(_ new: ServiceLimits.OfCalls) {
        guard limits.set(new) else { return }
        for adapter in adapters.all { adapter.setLimits(new.bulk) }
    }

    /// Makes adapters and takes them away.
    var lifecycle: AdapterLifecycle { AdapterLifecycle(service: self) }

    /// Sets the store.
    package func setStore(_ new: SQLiteStore) { store = new }

    /// Refuses writing from now on.
    package func beginShutdown() { phase = .shuttingDown }

    /// Refuses writing once the end was asked for.
    func checkWriting() throws(ListError) {
        guard phase == .running else { throw .ending }
    }

    /// Counts an event.
    func count(_ counter: Statistics.Counter, _ count: Int = 1) { counts.add(counter, count) }

    /// While the bus has too much to send, every host holds its flushes and combines changes.
    private func hold(_ holds: Bool) {
        if holds { count(.holds) }
        for adapter in adapters.all { adapter.send(.hold(holds)) }
    }

    /// Tells a client at once that it missed a signal.
    private func lost(_ receiver: UnicastSignals.Receiver) {
        count(.signalsLost)
        switch receiver {
        case .view(let view): views.object(view)?.missed()
        case .subscriber(let client, let adapter): adapters.object(adapter)?.signals.announce(toClient: client)
        }
    }

    private func departed(_ peer: Peer) {
        views.close(ownedBy: peer)
        lifecycle.removeTransients(of: peer)
        for adapter in adapters.all { adapter.signals.forget(peer) }
    }
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

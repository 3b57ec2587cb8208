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
    let adapters = AdapterDirectory()
    /// The open views.
    let views = ViewDirectory()
    /// Whether a stop was requested: writes are refused then, while reads and views are still answered.
    package private(set) var isShuttingDown = false
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
        calls.queue.onLimitsLookup { [limits] user, new in limits.quotas.setLimits(new.perUser, of: user) }
    }

    /// Changes the limits of calls, and the rule for who may create adapters.
    func setLimits(_ new: Limits, creators: Creators) {
        guard limits.setCallLimits(new, creators: creators) else { return }
        for adapter in adapters.all { adapter.setLimits(new.bulk) }
    }

    /// The operations that create, restore and remove adapters.
    var lifecycle: AdapterLifecycle { AdapterLifecycle(service: self) }

    package func setStore(_ new: SQLiteStore, losses: [Loss] = []) { (store, self.losses) = (new, losses) }

    /// Forgets the losses. This never fails: those that cannot be removed from the store are back at the next start.
    func acknowledgeLosses() async {
        losses = []
        counts.notifyChange()
        await store?.acknowledgeLosses()
    }

    /// Refuses writing calls from now on.
    package func beginShutdown() { isShuttingDown = true }

    /// Throws if a stop was requested, because writes are refused then.
    func checkWriting() throws(ListError) {
        guard !isShuttingDown else { throw .ending }
    }

    /// Counts events.
    func count(_ counter: Statistics.Counter, times: Int = 1) { counts.count(counter, times: times) }

    /// Holds back the flushes of all hosts while too much is queued for the bus. Changes are combined meanwhile.
    private func setFlushesHeld(_ holds: Bool) {
        if holds { count(.holds) }
        for adapter in adapters.all { adapter.host.hold(holds) }
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
    static let manager: ObjectPath = "/org/listd/Listd1"
    /// The parent path of all adapters.
    static let adapters: ObjectPath = "/org/listd/Listd1/adapters"
    /// The parent path of all plugins.
    static let plugins: ObjectPath = "/org/listd/Listd1/plugins"
    /// The parent path of all views.
    static let views: ObjectPath = "/org/listd/Listd1/views"
}

// Checks that involve all lists.

extension Service {
    /// Reads group memberships again, and ends the subscriptions and views of clients that may no longer read a list.
    func updateReaders() {
        authority.forgetGroups()
        for adapter in adapters.all { adapter.updateReaders() }
        adapters.followers.reevaluateFollowers()
    }

    /// Throws if a caller may not read the list that a new list would follow.
    ///
    /// - Throws: `noSuchAdapter`, `accessDenied`.
    func checkFollowing(_ base: String, by caller: Caller) throws(ListError) {
        guard try adapters.existingObject(named: base).allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(base.quoted)")
        }
    }

    /// Throws if a list would follow itself.
    func checkForCycle(
        ofList name: String, source: SourceName, configured: [(name: String, base: String)] = []
    ) throws(ListError) {
        guard case .list(let base, _) = source,
            adapters.followers.closesCycle(name, following: base, configured: configured)
        else { return }
        throw ListError(.invalidArguments, "source: \(name.quoted) would follow itself through \(base.quoted)")
    }

    /// Returns the names of the lists that use a plugin for their source or their section controllers.
    func users(ofPlugin name: String) -> [String] {
        adapters.all.filter { $0.options.uses(plugin: name) }.map(\.name)
    }
}

extension AdapterOptions {
    /// Returns whether the list uses a plugin for its source or its section controllers.
    func uses(plugin name: String) -> Bool {
        if case .plugin(name, _, _) = source { return true }
        return sectionControllers.values.contains { $0.hasPrefix(name + "/") }
    }
}

// Log messages about lists, with the origin of each event.

extension Service {
    /// Logs an event of a list and its origin.
    ///
    /// - Parameters:
    ///   - what: the event as a participle: `created`, `removed`, `renamed from …`.
    ///   - key: the key of the rate limit; nil = unlimited.
    func log(_ what: String, of adapter: AdapterObject, by origin: Origin, limitedBy key: String? = nil) {
        log.write(
            .info,
            { "adapter \(adapter.name.quoted) was \(what) by \(origin.text)" },
            origin.fields + [.adapter(adapter.name), .revision(adapter.status.revision)], limitedBy: key)
    }

    /// Logs changes of who may read a list, write to it or invoke its actions, if there are any.
    func log(changesFrom before: AdapterAccess, of adapter: AdapterObject, by origin: Origin) {
        let now = adapter.access
        let changes = [
            ("readers", before.readers, now.readers), ("writers", before.writers, now.writers),
            ("invokers", before.invokers, now.invokers),
        ].filter { $0.1 != $0.2 }.map { "\($0.0) from \($0.1.text) to \($0.2.text)" }
        guard !changes.isEmpty else { return }
        log("changed (\(changes.joined(separator: ", ")))", of: adapter, by: origin)
    }

    /// Logs that a full list removed many objects, so that an administrator can find who replaced them.
    func log(_ removed: LargeRemoval, by call: Call, of adapter: String, at revision: UInt64) {
        let origin = Origin(call.peer)
        log.write(
            .info,
            {
                "\(call.member) by \(origin.text) made revision \(revision) of adapter \(adapter.quoted), "
                    + "which removed \(removed.objects) of \(removed.total) objects"
            }, origin.fields + [.adapter(adapter), .revision(revision)],
            limitedBy: "objects removed by \(call.peer.userText)")
    }

    /// Records the writer of a list, logs a writing call at the level debug, and reports dropped objects.
    func recordWrite(_ call: Call, to adapter: AdapterObject, at revision: UInt64, dropped: DroppedDuplicates) {
        adapter.recordWrite(by: call.peer)
        if log.level >= .debug {
            log.debug(
                "\(call.member) took effect in revision \(revision)", .adapter(adapter.name), .client(call.peer.name),
                .revision(revision), limitedBy: call.peer.userText)
        }
        adapter.report(dropped, [.client(call.peer.name), .revision(revision)])
    }
}

/// The names of the composite types of listd's interfaces by their signatures, for the annotations
/// `org.qtproject.QtDBus.QtTypeName`. Names without `Listd` are types of Qt.
let qtTypeNames: [String: String] = [
    "a{sv}": "QVariantMap",
    "a{st}": "ListdCounters",
    "au": "QList<uint>",
    "(dd)": "QPointF",
    "(dddd)": "QRectF",
    "(uu)": "ListdRange",
    "a(ssa{sv})": "ListdObjects",
    "a(ssssa{sv})": "ListdUpserts",
    "a(ususa{sv})": "ListdItems",
    "a(ttsuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu)))": "ListdBatches",
    "(a(uu)a(uu)a(uu)a(uu))": "ListdSectionChanges",
    "(a(uu)a(uu)a(uuuu)a(uu))": "ListdItemChanges",
    "a(us)": "ListdSections",
    "a(usu)": "ListdSectionItems",
    "a(su)": "ListdSelection",
    "a(soa{sv})": "ListdAdapters",
    "a(oa{sv})": "ListdViews",
    "a(sa{sv})": "ListdDescriptions",
    "a(sudd)": "ListdSizes",
    "a(usuuss(dddd)xa{sv})": "ListdShown",
    "a(uuu(dddd)x)": "ListdPlaced",
    "a(ua{sv})": "ListdRebound",
    "a(ts)": "ListdLosses",
]

// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

extension Service {
    /// Makes what a list is made of; nothing that is there changes.
    ///
    /// - Parameter limits: what its source may read; nil = what holds now.
    /// - Throws: what is wrong with the section controllers, the source, or the plugins that they come from.
    func makeParts(
        of options: AdapterOptions, limits: BulkReader.Limits? = nil
    ) async throws(ListError) -> AdapterParts {
        let controllers = try await plugins.sectionControllers(for: options.sectionControllers)
        let relays = AdapterRelays()
        let source = try await makeSource(options.source, limits: limits ?? bulkLimits, relays: relays)
        return AdapterParts(controllers: controllers, source: source, relays: relays)
    }

    /// Makes an adapter, stores that it exists, and shows it.
    ///
    /// - Parameter parts: what it is made of; nil = made here. They are given up when there is no adapter in the end.
    /// - Throws: `invalidArguments` or `adapterExists` for the name, `limitsExceeded` when the owner has as many as a user
    ///   may have, `storeFailed`, and what is wrong with the source, the section controllers or the plugins that they come
    ///   from.
    func makeAdapter(
        name: String, options: AdapterOptions, access: AdapterAccess, parts: AdapterParts? = nil
    ) async throws(ListError) -> AdapterObject {
        var parts = parts
        do throws(ListError) {
            try await adapters.reserve(name, isConfigured: access.isConfigured)
            defer { adapters.cancelReservation(name) }
            try book(Quotas.Amounts(adapters: 1), for: access)
            do throws(ListError) {
                let made: AdapterParts
                if let parts { made = parts } else { made = try await makeParts(of: options) }
                parts = made
                let stored = try storedList(name, epoch: Epoch.new(), options, access)
                try await stored.create()
                return show(stored, nil, name, options, access, made.controllers, made.source, made.relays)
            } catch {
                release(Quotas.Amounts(adapters: 1), of: access)
                throw error
            }
        } catch {
            parts?.discard()
            throw error
        }
    }

    /// Brings an adapter back that was stored, and shows it.
    ///
    /// Where a plugin is gone, the list has built-in section controllers, or no source, and says that it `failed`; so it is
    /// where its source is not for the one who created it.
    ///
    /// - Parameter parts: what it is made of; nil = made here.
    func restoreAdapter(
        _ restored: RestoredAdapter, options: AdapterOptions, access: AdapterAccess, parts: AdapterParts? = nil
    ) async {
        let name = restored.adapter.name
        do throws(ListError) {
            let stored = try storedList(
                name, epoch: restored.adapter.epoch, options, access, cursor: restored.cursor)
            if !access.isConfigured { quotas.adopt(Quotas.Amounts(adapters: 1), for: access.owner) }
            var faults: [ListError] = []
            let made: AdapterParts
            if let parts { made = parts } else { made = await makePossibleParts(of: options, access, &faults) }
            let adapter = show(stored, restored, name, options, access, made.controllers, made.source, made.relays)
            // A plugin that was given up because listd ends is no fault.
            guard !faults.isEmpty, phase == .running else { return }
            for fault in faults {
                log.error("adapter \(name.debugDescription) is not what it was: \(fault)", .adapter(name))
            }
            adapter.setIncomplete(true)
            adapter.lacks(faults)
        } catch {
            parts?.discard()
            log.error("adapter \(name.debugDescription) is not restored: \(error)", .adapter(name))
        }
    }

    /// What can be made of the parts; the built-in section controllers, or no source, stand for what cannot.
    private func makePossibleParts(
        of options: AdapterOptions, _ access: AdapterAccess, _ faults: inout [ListError]
    ) async -> AdapterParts {
        let controllers = await attempt(&faults) { () async throws(ListError) in
            try await plugins.sectionControllers(for: options.sectionControllers)
        }
        let relays = AdapterRelays()
        let source = await attempt(&faults) { () async throws(ListError) in
            try access.checkSource(options.source)
            return try await makeSource(options.source, limits: bulkLimits, relays: relays)
        }
        return AdapterParts(controllers: controllers ?? .builtIn, source: source ?? nil, relays: relays)
    }

    private func attempt<Result>(
        _ faults: inout [ListError], _ body: () async throws(ListError) -> Result
    ) async -> Result? {
        do throws(ListError) {
            return try await body()
        } catch {
            faults.append(error)
            return nil
        }
    }

    private func storedList(
        _ name: String, epoch: String, _ options: AdapterOptions, _ access: AdapterAccess, cursor: [UInt8]? = nil
    ) throws(ListError) -> StoredList {
        let values = access.storedOptions(
            options, isOwnerAdministrator: authority.isAlwaysAdministrator(access.owner))
        let adapter = StoredAdapter(
            name: name, epoch: epoch, owner: access.owner, isConfigured: access.isConfigured,
            options: try Fields(values))
        return StoredList(adapter, cursor: cursor, durability: options.durability, store: store, log: log)
    }

    private func show(
        _ stored: StoredList, _ restored: RestoredAdapter?, _ name: String, _ options: AdapterOptions,
        _ access: AdapterAccess, _ controllers: SectionControllerTable, _ source: (any Source)?, _ relays: AdapterRelays
    ) -> AdapterObject {
        let storing = StoringRelay(stored)
        let bytes = ListBytes()
        let host = controllers.makeHost(
            configuration: options.configuration(named: name),
            objects: restored?.objects ?? [], revision: restored?.revision ?? 0,
            changes: restored?.changes.compactMap(\.transaction) ?? [],
            account: account(of: access, bytes),
            isStored: stored.isStored, isRestored: restored != nil, times: callbackTimes,
            sink: storing.sink(relays.adapter.sink))
        storing.setTarget(host)
        let record = restored?.cursor.flatMap(SourceRecord.init(bytes:)) ?? SourceRecord()
        let adapter = AdapterObject(
            service: self, name: name, stored: stored, access: access, options: options, relay: relays.adapter,
            storing: storing, host: host, bytes: bytes, sourceState: SourceState(record))
        adapter.begin(source, relays.feed)
        adapters.add(adapter)
        tree.add(ExportedObject(AdapterObject.interface, of: adapter), at: adapter.path)
        return adapter
    }

    /// On whose account the objects of a list go; configured ones do not count on that of a user.
    func account(of access: AdapterAccess, _ bytes: ListBytes) -> HostAccount {
        HostAccount(ledger: access.isConfigured ? configuredLists : quotas, user: access.owner, bytes: bytes)
    }

    /// Takes an adapter away; returns when its views are closed and its callers answered.
    ///
    /// - Throws: `noSuchAdapter` when somebody else has taken it away, `storeFailed`; the adapter is as it was then.
    func remove(_ adapter: AdapterObject) async throws(ListError) {
        try await adapters.reserve(removalOf: adapter)
        defer { adapters.cancelReservation(adapter.name) }
        try await adapter.stored.remove()
        adapters.remove(adapter)
        countsChanged()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            adapter.end(.adapterRemoved) { continuation.resume() }
        }
        // Who follows a list hears how everything in it ends before it is gone.
        tree.remove(at: adapter.path)
        release(Quotas.Amounts(adapters: 1), of: adapter.access)
    }

    /// Returns when the host of one adapter has reported what its list is.
    func hearHost(of adapter: AdapterObject) async {
        await withCheckedContinuation { continuation in
            adapter.ping { EventLoop.shared.post { continuation.resume() } }
        }
    }

    /// Returns when the hosts that are there have reported what their lists are, so that no property lags behind them.
    func hearHosts() async {
        await forEachAdapter { adapter, done in
            adapter.ping { EventLoop.shared.post { done() } }
        }
    }

    /// How long workers have to end their lists: half of what the unit gives the whole daemon (`TimeoutStopSec=`).
    private static let workersLimit = Duration.seconds(5)

    /// Ends all hosts: what was accepted is finished, the views are closed, every caller is answered.
    ///
    /// A worker that does not do that in time is ended, and its lists end without it.
    func stopHosts() async {
        let limit = EventLoop.shared.addTimer(after: Self.workersLimit) { [plugins] in
            Task { await plugins.giveUpWorkers() }
        }
        await forEachAdapter { adapter, done in adapter.end(.shuttingDown, completion: done) }
        limit.cancel()
    }

    /// Lets every adapter do something; returns when all have done it.
    private func forEachAdapter(_ act: (AdapterObject, _ done: @escaping @DBusActor () -> Void) -> Void) async {
        let all = adapters.all
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var left = all.count
            if left == 0 { continuation.resume() }
            for adapter in all {
                act(adapter) {
                    left -= 1
                    if left == 0 { continuation.resume() }
                }
            }
        }
    }

    /// Books what an adapter takes on its owner's account; configured ones do not count.
    private func book(_ amounts: Quotas.Amounts, for access: AdapterAccess) throws(ListError) {
        guard !access.isConfigured else { return }
        do throws(Quotas.Exceeded) {
            try quotas.change(amounts, for: access.owner)
        } catch {
            throw error.refusal(
                "user \(access.owner) has \(error.limit) \(error.resource.rawValue), more are not allowed")
        }
    }

    private func release(_ amounts: Quotas.Amounts, of access: AdapterAccess) {
        if !access.isConfigured { quotas.release(amounts, for: access.owner) }
    }
}

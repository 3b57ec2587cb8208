// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

/// Makes adapters, brings them back from the store, completes them when a plugin comes, renames them and takes them away.
@DBusActor
struct AdapterLifecycle {
    let service: Service

    var adapters: AdapterDirectory { service.adapters }
    var plugins: PluginRegistry { service.plugins.registry }
    var counts: ServiceCounts { service.counts }
    var log: Log { service.log }
    var tree: ObjectTree { service.tree }
    private var authority: Authority { service.authority }
}

// MARK: - Making

extension AdapterLifecycle {
    /// Makes what a list is made of; nothing that is there changes.
    ///
    /// - Parameter limits: what its source may read; nil = what holds now.
    /// - Throws: what is wrong with the section controllers, the source, or the plugins that they come from.
    func makeParts(
        of options: AdapterOptions, limits: BulkReader.Limits? = nil
    ) async throws(ListError) -> AdapterParts {
        let controllers = try await plugins.sectionControllers(for: options.sectionControllers)
        let relays = AdapterRelays()
        let source = try await makeSource(options.source, limits: limits ?? service.limits.ofBulk, relays: relays)
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
            try service.limits.bookAdapter(for: access)
            do throws(ListError) {
                let made: AdapterParts
                if let parts { made = parts } else { made = try await makeParts(of: options) }
                parts = made
                let stored = try storedList(name, epoch: Epoch.new(), options, access)
                try await stored.create()
                return show(stored, nil, name, options, access, made.controllers, made.source, made.relays)
            } catch {
                service.limits.releaseAdapter(of: access)
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
            service.limits.adoptAdapter(of: access)
            var faults: [ListError] = []
            let made: AdapterParts
            if let parts { made = parts } else { made = await makePossibleParts(of: options, access, &faults) }
            let adapter = show(stored, restored, name, options, access, made.controllers, made.source, made.relays)
            // A plugin that was given up because listd ends is no fault.
            guard !faults.isEmpty, service.phase == .running else { return }
            for fault in faults {
                log.error("adapter \(name.debugDescription) is not as it was stored: \(fault)", .adapter(name))
            }
            adapter.changeFilling { $0.setIncomplete(true) }
            AdapterReconfiguring(adapter: adapter).fail(faults)
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
            return try await makeSource(options.source, limits: service.limits.ofBulk, relays: relays)
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
        return StoredList(adapter, cursor: cursor, durability: options.durability, store: service.store, log: log)
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
            account: service.limits.account(of: access, bytes),
            isStored: stored.isStored, isRestored: restored != nil, times: counts.callbackTimes,
            sink: storing.sink(relays.adapter.sink))
        storing.setTarget(host)
        let record = restored?.cursor.flatMap(SourceRecord.init(bytes:)) ?? SourceRecord()
        let adapter = AdapterObject(
            service: service, name: name, stored: stored, access: access, options: options, relay: relays.adapter,
            host: host, bytes: bytes, sourceState: SourceState(record))
        adapter.begin(source, relays.feed)
        adapters.add(adapter)
        tree.add(ExportedObject(AdapterObject.interface, of: adapter), at: adapter.path)
        return adapter
    }

    /// Takes an adapter away; returns when its views are closed and its callers answered.
    ///
    /// - Throws: `noSuchAdapter` when somebody else has taken it away, `storeFailed`; the adapter is as it was then.
    func remove(_ adapter: AdapterObject) async throws(ListError) {
        try await adapters.reserve(removalOf: adapter)
        defer { adapters.cancelReservation(adapter.name) }
        try await adapter.stored.remove()
        adapters.remove(adapter)
        counts.changed()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            adapter.end(.adapterRemoved) { continuation.resume() }
        }
        // Who follows a list hears how everything in it ends before it is gone.
        tree.remove(at: adapter.path)
        service.limits.releaseAdapter(of: adapter.access)
    }

    /// What the option `source` names; nil for `push`.
    ///
    /// - Throws: what is wrong with the plugin, or with the option.
    private func makeSource(
        _ name: SourceName, limits: BulkReader.Limits, relays: AdapterRelays
    ) async throws(ListError) -> (any Source)? {
        let feed = relays.feed
        switch name {
        case .push:
            return nil
        case .builtIn(let kind, let argument):
            let context = BuiltInSource.Context(limits: limits.objects, fileBytes: limits.fileBytes) { feed.submit($0) }
            return try kind.makeSource(argument, context)
        case .list(let base, let argument):
            let query = try DerivedQuery(parsing: argument)
            return Follower(of: base, query, directory: adapters.followers, relay: relays.adapter)
        case .plugin(let plugin, let source, let argument):
            return try await plugins.source(source, of: plugin, argument: argument) { feed.submit($0) }
        }
    }
}

// MARK: - Completing

extension AdapterLifecycle {
    /// Gives the lists that came back from the store without a plugin of theirs what they lack, if it is there now.
    ///
    /// One whose plugin is still missing stays as it is, which is logged.
    ///
    /// - Parameter plugin: the plugin that has come: only the lists that it fills or shows are looked at; nil = all.
    func completeAdapters(plugin: String? = nil) async {
        for adapter in adapters.all where adapter.filling.isIncomplete {
            if let plugin, !adapter.options.uses(plugin: plugin) { continue }
            let name = adapter.name
            do throws(ListError) {
                try adapter.access.checkSource(adapter.options.source)
                let parts = try await makeParts(of: adapter.options)
                try await AdapterReconfiguring(adapter: adapter).complete(with: parts)
                log.info("adapter \(name.debugDescription) has its plugins again", .adapter(name))
            } catch {
                log.error("adapter \(name.debugDescription) is still not as it was stored: \(error)", .adapter(name))
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

/// The life of adapters: creation, restoration from the store, completion when a plugin is loaded, renaming and
/// removal.
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
    /// Makes the parts of a list, without changes to existing lists.
    ///
    /// - Parameter limits: the limits on what its source may read; nil = the present ones.
    /// - Throws: an error of the section controllers, the source, or their plugins.
    func makeParts(
        of options: AdapterOptions, limits: BulkReader.Limits? = nil
    ) async throws(ListError) -> AdapterParts {
        let controllers = try await plugins.sectionControllers(for: options.sectionControllers)
        let feed = SourceFeed()
        let source = try await makeSource(
            options.source, identify: options.identify, limits: limits ?? service.limits.ofBulk, feed: feed)
        return AdapterParts(controllers: controllers, source: source, feed: feed)
    }

    /// Makes an adapter, stores it, and exports its object.
    ///
    /// - Parameter parts: the parts of the list; nil = they are made here. If the adapter cannot be made, they are
    ///   discarded.
    /// - Throws: `invalidArguments` or `adapterExists` for the name, `limitsExceeded` if the owner has the maximum
    ///   number of adapters, `storeFailed`, and errors of the source, the section controllers or their plugins.
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
                let stored = try makeStoredList(
                    named: name, epoch: Epoch.random(), options: options, access: access)
                try await stored.create()
                return export(stored, restoredFrom: nil, name: name, options: options, access: access, parts: made)
            } catch {
                service.limits.releaseAdapter(of: access)
                throw error
            }
        } catch {
            parts?.discard()
            throw error
        }
    }

    /// Restores a stored adapter, and exports its object.
    ///
    /// Section controllers of a missing plugin are replaced by built-in ones. If the plugin of the source is missing,
    /// or the creator may not use the source, the list gets no source. In all these cases its state is `failed`.
    ///
    /// - Parameter parts: the parts of the list; nil = they are made here.
    func restoreAdapter(
        _ restored: RestoredAdapter, options: AdapterOptions, access: AdapterAccess, parts: AdapterParts? = nil
    ) async {
        let name = restored.adapter.name
        do throws(ListError) {
            let stored = try makeStoredList(
                named: name, epoch: restored.adapter.epoch, options: options, access: access, cursor: restored.cursor)
            service.limits.bookRestoredAdapter(for: access)
            var faults: [ListError] = []
            let made: AdapterParts
            if let parts {
                made = parts
            } else {
                made = await makePossibleParts(of: options, access: access, faults: &faults)
            }
            let adapter = export(
                stored, restoredFrom: restored, name: name, options: options, access: access, parts: made)
            // A plugin that was not started because listd is stopping is no fault.
            guard !faults.isEmpty, !service.isShuttingDown else { return }
            for fault in faults {
                log.error("adapter \(name.quoted) was restored incompletely: \(fault)", .adapter(name))
            }
            adapter.changeFilling { $0.setIncomplete(true) }
            adapter.fail(faults)
        } catch {
            parts?.discard()
            log.error("adapter \(name.quoted) could not be restored: \(error)", .adapter(name))
        }
    }

    /// Makes the parts that can be made; built-in section controllers, or no source, replace those that cannot.
    ///
    /// - Parameter faults: gets the errors because of which parts cannot be made.
    private func makePossibleParts(
        of options: AdapterOptions, access: AdapterAccess, faults: inout [ListError]
    ) async -> AdapterParts {
        let controllers = await attempt(collectingErrorsIn: &faults) { () async throws(ListError) in
            try await plugins.sectionControllers(for: options.sectionControllers)
        }
        let feed = SourceFeed()
        let source = await attempt(collectingErrorsIn: &faults) { () async throws(ListError) in
            try access.checkSource(options.source)
            return try await makeSource(
                options.source, identify: options.identify, limits: service.limits.ofBulk, feed: feed)
        }
        return AdapterParts(controllers: controllers ?? .builtIn, source: source ?? nil, feed: feed)
    }

    /// Runs `body`; appends its error to `faults` and returns nil if it fails.
    private func attempt<Result>(
        collectingErrorsIn faults: inout [ListError], _ body: () async throws(ListError) -> Result
    ) async -> Result? {
        do throws(ListError) {
            return try await body()
        } catch {
            faults.append(error)
            return nil
        }
    }

    private func makeStoredList(
        named name: String, epoch: String, options: AdapterOptions, access: AdapterAccess, cursor: [UInt8]? = nil
    ) throws(ListError) -> StoredList {
        let values = access.storedOptions(
            options, isOwnerAdministrator: authority.isAlwaysAdministrator(access.owner))
        let adapter = StoredAdapter(
            name: name, epoch: epoch, owner: access.owner, isConfigured: access.isConfigured,
            options: try Fields(values))
        return StoredList(adapter, cursor: cursor, durability: options.durability, store: service.store, log: log)
    }

    /// Makes the host and the object of an adapter, starts its source, and exports the object on the bus.
    private func export(
        _ stored: StoredList, restoredFrom restored: RestoredAdapter?, name: String, options: AdapterOptions,
        access: AdapterAccess, parts: AdapterParts
    ) -> AdapterObject {
        let bytes = ListBytes()
        let host = parts.controllers.makeHost(
            configuration: options.configuration(named: name),
            objects: restored?.objects ?? [], revision: restored?.revision ?? 0,
            changes: restored?.changes.compactMap(\.transaction) ?? [],
            account: service.limits.account(of: access, bytes: bytes),
            isStored: stored.isStored, isRestored: restored != nil, times: counts.callbackTimes,
            store: { work, completion in stored.write(work, completion: completion) })
        let record = restored?.cursor.flatMap(SourceRecord.init(bytes:)) ?? SourceRecord()
        let adapter = AdapterObject(
            service: service, name: name, stored: stored, access: access, options: options,
            host: host, bytes: bytes, sourceState: SourceState(record))
        adapter.startSource(parts.source, feed: parts.feed)
        adapters.add(adapter)
        tree.add(ExportedObject(AdapterObject.interface, of: adapter), at: adapter.path)
        return adapter
    }

    /// Removes an adapter; returns when its views are closed and its calls answered.
    ///
    /// - Throws: `noSuchAdapter` if the adapter was removed in between, `storeFailed`; the adapter then stays
    ///   unchanged.
    func remove(_ adapter: AdapterObject) async throws(ListError) {
        try await adapters.reserve(removalOf: adapter)
        defer { adapters.cancelReservation(adapter.name) }
        try await adapter.stored.remove()
        adapters.remove(adapter)
        counts.notifyChange()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            adapter.end(.adapterRemoved) { continuation.resume() }
        }
        adapter.signals.unsubscribeAll()
        // The object is removed last, so that subscribers are notified before that everything displayed is no longer
        // displayed.
        tree.remove(at: adapter.path)
        service.limits.releaseAdapter(of: adapter.access)
    }

    /// Makes the source that the option `source` names; nil for `push`.
    ///
    /// - Throws: an error of the plugin or of the option.
    private func makeSource(
        _ name: SourceName, identify: Identify, limits: BulkReader.Limits, feed: SourceFeed
    ) async throws(ListError) -> (any Source)? {
        switch name {
        case .push:
            return nil
        case .builtIn(let kind, let argument):
            let context = BuiltInSource.Context(
                limits: limits.objects, fileBytes: limits.fileBytes, identify: identify
            ) { feed.submit($0) }
            return try kind.makeSource(argument, context)
        case .list(let base, let argument):
            let query = try DerivedQuery(parsing: argument)
            return Follower(of: base, query, directory: adapters.followers)
        case .plugin(let plugin, let source, let argument):
            return try await plugins.source(source, of: plugin, argument: argument) { feed.submit($0) }
        }
    }
}

// MARK: - Completing

extension AdapterLifecycle {
    /// Adds the missing parts to lists that were restored incompletely, if their plugins are available now.
    ///
    /// A list whose plugin is still missing stays unchanged, which is logged.
    ///
    /// - Parameter plugin: the loaded plugin: only lists that use it are completed; nil = all lists.
    func completeAdapters(plugin: String? = nil) async {
        for adapter in adapters.all where adapter.filling.isIncomplete {
            if let plugin, !adapter.options.uses(plugin: plugin) { continue }
            let name = adapter.name
            do throws(ListError) {
                try adapter.access.checkSource(adapter.options.source)
                let parts = try await makeParts(of: adapter.options)
                try await adapter.complete(with: parts)
                log.info("adapter \(name.quoted) is complete again", .adapter(name))
            } catch {
                log.error("adapter \(name.quoted) is still incomplete: \(error)", .adapter(name))
            }
        }
    }
}

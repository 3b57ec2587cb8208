// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers

extension RunningDaemon {
    /// Reads the configuration anew and makes it hold: lists come, go and change, the others are not touched.
    ///
    /// - Parameter origin: who wants it.
    /// - Throws: `InvalidArgs` with the faults of `listd.conf`; nothing changes then. `ReloadIncomplete` with file and
    ///   line of each list that was left out, while all the rest of the new configuration is in force: lists whose
    ///   files have a fault, whose plugins or sources are not available, or that the store, or an engine, refused. A
    ///   list among them that is running stays as it was.
    func reload(by origin: Origin) async throws {
        try await reloads.perform { [self] in try await readConfigurationAnew(for: origin) }
    }

    private func readConfigurationAnew(for origin: Origin) async throws {
        guard !isStopping else { throw ListError.reloadGivenUp }
        supervision.beginReload()
        defer { if !isStopping { supervision.endReload() } }
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        guard !loaded.isDaemonFaulty else {
            for fault in loaded.faults { log.report(fault) }
            let faults = loaded.faults.listed(after: "listd.conf has a fault, and the configuration stays as it was:")
            throw DBusError.invalidArgs(faults)
        }
        service.adapters.setConfiguredNames(loaded.listNames, keepingOthers: true)
        let plugins = Set(await service.plugins.registry.plugins.map(\.name))
        configuration.candidate = loaded.configuration
        var plan = await makePlan(for: loaded)
        configuration.candidate = nil
        plan.faults = loaded.faults + plan.faults
        guard !isStopping else {
            plan.discard()
            throw ListError.reloadGivenUp
        }
        emitReloading(true)
        defer { emitReloading(false) }
        service.adapters.setConfiguredNames(loaded.listNames)
        configuration.all = loaded.configuration
        apply(loaded.configuration)
        for fault in plan.faults { log.report(fault) }
        let result = await perform(plan, for: origin)
        guard !isStopping else { throw ListError.reloadGivenUp }
        if !plan.faults.isEmpty { await unloadUnused(besides: plugins) }
        await service.lifecycle.completeAdapters()
        service.checkReaders()
        for name in unclaimed.names where !loaded.listNames.contains(name) {
            unclaimed.remove(name)
            forget(name.text)
        }
        log.notice(
            "configuration read: \(result.added) lists added, \(result.removed) removed, \(result.changed) changed",
            event: .reloaded)
        let leftOut = plan.faults + result.failures
        guard leftOut.isEmpty else {
            throw ListError(.reloadIncomplete, leftOut.listed(after: "the new configuration is in force, but for:"))
        }
    }

    // MARK: - Before anything changes

    /// Compares the lists that are there with those that are to be, and makes what the new ones are made of.
    private func makePlan(for loaded: LoadedConfiguration) async -> ReloadPlan {
        var plan = ReloadPlan()
        let new = loaded.configuration
        // A list whose file has a fault is not among the lists, but its name is known: a running list of that name
        // stays.
        plan.removed = service.adapters.all.filter {
            $0.access.isConfigured && !loaded.listNames.contains(ExactText($0.name))
        }
        for list in new.lists.values.sorted(by: { $0.name < $1.name }) where !isStopping {
            let adapter = service.adapters.object(list.name)
            if let adapter, adapter.access.isConfigured, list.options.source.continues(adapter.options.source) {
                await planChange(of: adapter, to: list, &plan)
            } else {
                switch await prepare(list, limits: new.limits) {
                case .impossible(let faults): plan.faults += faults
                case .ready(let prepared):
                    if let adapter { plan.replaced.append((adapter, prepared)) } else { plan.added.append(prepared) }
                }
            }
        }
        return plan
    }

    /// Plans for a list that keeps its source, and with it its objects.
    private func planChange(
        of adapter: AdapterObject, to list: ListConfiguration, _ plan: inout ReloadPlan
    ) async {
        guard adapter.options != list.options else { return }
        let faults = circleFaults(of: list)
        guard faults.isEmpty else { return plan.faults += faults }
        guard adapter.options.sectionControllers != list.options.sectionControllers else {
            return plan.changed.append((adapter, list, nil))
        }
        let sectionFaults = await sectionFaults(of: list)
        guard sectionFaults.isEmpty else { return plan.faults += sectionFaults }
        do throws(ListError) {
            let controllers = try await service.plugins.registry.sectionControllers(
                for: list.options.sectionControllers)
            plan.changed.append((adapter, list, controllers))
        } catch {
            plan.faults.append(ConfigurationFault(place: list.place(of: "*", inSection: "Sections"), error))
        }
    }

    /// Forgets the plugins that were loaded for lists that are left out, with settings that are not in force.
    private func unloadUnused(besides kept: Set<String>) async {
        for plugin in await service.plugins.registry.plugins where !kept.contains(plugin.name) {
            // One that a client's list has begun to use meanwhile stays.
            try? await service.plugins.registry.unload(plugin.name, usedBy: service.users(ofPlugin: plugin.name))
        }
    }

    private func emitReloading(_ isActive: Bool) {
        try? service.tree.emit(ManagerObject.reloading, of: ManagerObject.interface, at: .manager, isActive)
    }
}

extension [ConfigurationFault] {
    /// As many bytes as a message of an error may have, and less than some for its end.
    private static let longestList = 900

    /// The faults after a heading, as many as go into the message of an error.
    fileprivate func listed(after heading: String) -> String {
        var text = heading
        for (index, fault) in enumerated() {
            let part = (index == 0 ? " " : "; ") + fault.description
            guard text.utf8.count + part.utf8.count <= Self.longestList || index == 0 else {
                return text + "; and \(count - index) more; see the log"
            }
            text += part
        }
        return text
    }
}

// MARK: - What was planned

/// What a reload has done.
struct ReloadResult {
    /// How many lists are gone.
    var removed = 0
    /// How many lists are others, or have taken the place of one.
    var changed = 0
    /// How many lists are new.
    var added = 0
    /// What could not be done.
    var failures: [ConfigurationFault] = []
}

extension RunningDaemon {
    /// Whether the daemon ends: no further step of a start or a reload is taken.
    var isStopping: Bool { stopFlag.isSet || service.phase != .running }

    /// Does what was planned, as far as the store and the engines let it, until the daemon ends.
    ///
    /// - Parameter origin: who wants it.
    func perform(_ plan: ReloadPlan, for origin: Origin) async -> ReloadResult {
        var result = ReloadResult()
        for adapter in plan.removed {
            await attempt("stays, although no file configures it", adapter.name, directory, \.removed, &result) {
                () async throws(ListError) in
                try await service.lifecycle.remove(adapter)
                service.log(adapter, "removed", by: origin)
            }
        }
        for (adapter, list, controllers) in plan.changed {
            await attempt("stays as it was", list.name, list.place(of: "Source"), \.changed, &result) {
                () async throws(ListError) in
                let before = adapter.access
                try await AdapterReconfiguring(adapter: adapter).reconfigure(
                    list.options, access: list.access, controllers: controllers)
                service.log(changesFrom: before, of: adapter, by: origin)
            }
        }
        for (adapter, prepared) in plan.replaced {
            await attempt("could not be replaced", prepared.list.name, prepared.place, \.changed, &result) {
                () async throws(ListError) in
                let before = adapter.access
                try await replace(adapter, by: prepared, for: origin)
                guard let new = service.adapters.object(prepared.list.name) else { return }
                service.log(new, "created", by: origin)
                service.log(changesFrom: before, of: new, by: origin)
            }
        }
        for prepared in plan.added {
            let name = prepared.list.name
            let isStored = unclaimed[name] != nil
            await attempt("is left out", name, prepared.place, \.added, &result) {
                () async throws(ListError) in
                try await make(prepared)
                if let adapter = service.adapters.object(name) { service.log(adapter, "created", by: origin) }
            }
            // Whoever reads its properties after the reload finds what was stored.
            if isStored, let adapter = service.adapters.object(name) { await service.lifecycle.awaitHost(of: adapter) }
        }
        return result
    }

    /// Where a list is missing that has no file any more.
    private var directory: ConfigurationPlace {
        ConfigurationPlace(file: options.configurationDirectory, line: nil)
    }

    /// Takes one step; a failure says what the list is then.
    private func attempt(
        _ failure: String, _ name: String, _ place: ConfigurationPlace, _ count: WritableKeyPath<ReloadResult, Int>,
        _ result: inout ReloadResult, _ step: () async throws(ListError) -> Void
    ) async {
        guard !isStopping else { return }
        do throws(ListError) {
            try await step()
            result[keyPath: count] += 1
        } catch {
            let fault = ConfigurationFault(place: place, message: "the list \(name) \(failure): \(error)")
            log.report(fault, ofList: name)
            result.failures.append(fault)
        }
    }

    private func replace(
        _ adapter: AdapterObject, by prepared: PreparedList, for origin: Origin
    ) async throws(ListError) {
        do throws(ListError) {
            try await service.lifecycle.remove(adapter)
            service.log(adapter, "removed", by: origin)
        } catch {
            prepared.parts.discard()
            throw error
        }
        try await make(prepared)
    }
}

extension PreparedList {
    /// Where the file says what the list is made of.
    fileprivate var place: ConfigurationPlace { list.place(of: "Source") }
}

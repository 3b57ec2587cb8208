internal import DBus
internal import ListKit

/// What a reload is going to do; nothing of it is done yet.
private struct ReloadPlan {
    /// Lists that no file configures any more.
    var removed: [AdapterObject] = []
    /// Lists that are there with other options; with the section controllers, if they are others too.
    var changed: [(adapter: AdapterObject, list: ListConfiguration, controllers: SectionControllerTable?)] = []
    /// Lists that take the place of one with another source.
    var replaced: [(adapter: AdapterObject, by: PreparedList)] = []
    /// Lists that are not there.
    var added: [PreparedList] = []
    /// What stands in the way.
    var faults: [ConfigurationFault] = []

    /// Gives up what was made for it.
    @DBusActor
    func discard() {
        for prepared in added + replaced.map(\.by) { prepared.parts.discard() }
    }
}

extension RunningDaemon {
    /// Reads the configuration anew and makes it hold: lists come, go and change, the others are not touched.
    ///
    /// - Throws: `InvalidArgs` with every fault, file and line; then the old configuration stays as it is. `Failed` with the
    ///   lists that the store, or an engine, refused; all the rest of the new configuration is in force then.
    func reload() async throws {
        let earlier = lastReload
        let reload = Task { @DBusActor in
            _ = await earlier?.result
            try await readConfigurationAnew()
        }
        lastReload = reload
        try await reload.value
    }

    private func readConfigurationAnew() async throws {
        notify.send(.reloading)
        defer { notify.send(.ready) }
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        let kept = service.adapters.configuredNames
        service.adapters.configuredNames.formUnion(loaded.listNames)
        let plugins = Set(await service.plugins.plugins.map(\.name))
        configuration.candidate = loaded.configuration
        var plan = await makePlan(for: loaded.configuration)
        configuration.candidate = nil
        plan.faults = loaded.faults + plan.faults
        guard plan.faults.isEmpty else {
            plan.discard()
            await unloadUnused(besides: plugins)
            service.adapters.configuredNames = kept
            for fault in plan.faults { log.say(fault) }
            let text = plan.faults.map(\.description).joined(separator: "\n")
            throw DBusError.invalidArgs("the configuration stays as it was:\n\(text)")
        }
        say(reloading: true)
        defer { say(reloading: false) }
        service.adapters.configuredNames = loaded.listNames
        configuration.all = loaded.configuration
        apply(loaded.configuration)
        let failures = await perform(plan)
        await service.completeAdapters()
        for name in setApart.keys where !loaded.listNames.contains(name) {
            setApart[name] = nil
            forget(name.text)
        }
        log.notice(
            "configuration read: \(plan.added.count) lists added, \(plan.removed.count) removed, "
                + "\(plan.changed.count + plan.replaced.count) changed",
            event: .reloaded)
        guard failures.isEmpty else {
            let text = failures.map(\.description).joined(separator: "\n")
            throw DBusError.failed("the new configuration is in force, but for:\n\(text)")
        }
    }

    // MARK: - Before anything changes

    /// Compares the lists that are there with those that are to be, and makes what the new ones are made of.
    private func makePlan(for new: Configuration) async -> ReloadPlan {
        var plan = ReloadPlan()
        let names = Set(new.lists.values.map { ExactText($0.name) })
        plan.removed = service.adapters.all.filter { $0.access.isConfigured && !names.contains(ExactText($0.name)) }
        for list in new.lists.values.sorted(by: { $0.name < $1.name }) {
            let adapter = service.adapters.object(list.name)
            if let adapter, adapter.access.isConfigured, adapter.options.source == list.options.source {
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
        guard adapter.options.sectionControllers != list.options.sectionControllers else {
            return plan.changed.append((adapter, list, nil))
        }
        let faults = await sectionFaults(of: list)
        guard faults.isEmpty else { return plan.faults += faults }
        do throws(ListError) {
            let controllers = try await service.plugins.sectionControllers(for: list.options.sectionControllers)
            plan.changed.append((adapter, list, controllers))
        } catch {
            plan.faults.append(ConfigurationFault(place: list.place(of: "*", inSection: "Sections"), error))
        }
    }

    /// Forgets the plugins that were loaded for lists that do not come, with settings that do not hold.
    private func unloadUnused(besides kept: Set<String>) async {
        for plugin in await service.plugins.plugins where !kept.contains(plugin.name) {
            // One that a client's list has begun to use meanwhile stays.
            try? await service.plugins.unload(plugin.name, usedBy: service.users(ofPlugin: plugin.name))
        }
    }

    // MARK: - Changing

    /// Does what was planned; answers what could not be done.
    private func perform(_ plan: ReloadPlan) async -> [ConfigurationFault] {
        var failures: [ConfigurationFault] = []
        func attempt(_ list: ListConfiguration, _ what: String, _ body: () async throws(ListError) -> Void) async {
            do throws(ListError) {
                try await body()
            } catch {
                let fault = ConfigurationFault(
                    place: list.place(of: "Source"), message: "the list \(list.name) \(what): \(error)")
                log.say(fault, of: list)
                failures.append(fault)
            }
        }
        for adapter in plan.removed { await remove(adapter) }
        for (adapter, list, controllers) in plan.changed {
            await attempt(list, "stays as it was") { () async throws(ListError) in
                try await adapter.reconfigure(list.options, access: list.access, controllers: controllers)
            }
        }
        for (adapter, prepared) in plan.replaced {
            await attempt(prepared.list, "could not be replaced") { () async throws(ListError) in
                try await replace(adapter, by: prepared)
            }
        }
        for prepared in plan.added {
            let name = prepared.list.name
            let isStored = setApart[ExactText(name)] != nil
            await attempt(prepared.list, "is left out") { () async throws(ListError) in try await make(prepared) }
            // Whoever reads its properties after the reload finds what was stored.
            if isStored, let adapter = service.adapters.object(name) { await service.hearHost(of: adapter) }
        }
        return failures
    }

    private func replace(_ adapter: AdapterObject, by prepared: PreparedList) async throws(ListError) {
        do throws(ListError) {
            try await service.remove(adapter)
        } catch {
            prepared.parts.discard()
            throw error
        }
        try await make(prepared)
    }

    private func remove(_ adapter: AdapterObject) async {
        do throws(ListError) {
            try await service.remove(adapter)
        } catch {
            log.error(
                "the list \(adapter.name) stays, although no file configures it: \(error)", .adapter(adapter.name))
        }
    }

    private func say(reloading isActive: Bool) {
        try? service.tree.emit(ManagerObject.reloading, of: ManagerObject.interface, at: .manager, isActive)
    }
}

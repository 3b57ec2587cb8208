internal import DBus
internal import ListKit

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
        guard !isStopping else { throw Self.givenUp }
        notify.send(.reloading)
        defer { if !isStopping { notify.send(.ready) } }
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        let kept = service.adapters.configuredNames
        service.adapters.configuredNames.formUnion(loaded.listNames)
        let plugins = Set(await service.plugins.plugins.map(\.name))
        configuration.candidate = loaded.configuration
        var plan = await makePlan(for: loaded.configuration)
        configuration.candidate = nil
        plan.faults = loaded.faults + plan.faults
        guard !isStopping else {
            plan.discard()
            throw Self.givenUp
        }
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
        let result = await perform(plan)
        guard !isStopping else { throw Self.givenUp }
        await service.completeAdapters()
        for name in setApart.keys where !loaded.listNames.contains(name) {
            setApart[name] = nil
            forget(name.text)
        }
        log.notice(
            "configuration read: \(result.added) lists added, \(result.removed) removed, \(result.changed) changed",
            event: .reloaded)
        guard result.failures.isEmpty else {
            let text = result.failures.map(\.description).joined(separator: "\n")
            throw DBusError.failed("the new configuration is in force, but for:\n\(text)")
        }
    }

    // MARK: - When the daemon ends

    /// How long a reload has to come to the end of its present step: little of what the unit gives (`TimeoutStopSec=`).
    private static let reloadLimit = Duration.seconds(2)

    private static let givenUp = ListError(.shuttingDown, "listd is ending; the reload was given up")

    /// Has a reload that is under way end before its next step; workers that it waits for are ended.
    ///
    /// Returns when it has ended. One whose present step takes long is left to itself: it does not take another one.
    func giveUpReload() async {
        guard let lastReload else { return }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let limit = EventLoop.shared.addTimer(after: Self.reloadLimit) { continuation.finish() }
        Task { [plugins = service.plugins] in await plugins.giveUpStarts() }
        Task {
            _ = await lastReload.result
            continuation.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }

    // MARK: - Before anything changes

    /// Compares the lists that are there with those that are to be, and makes what the new ones are made of.
    private func makePlan(for new: Configuration) async -> ReloadPlan {
        var plan = ReloadPlan()
        let names = Set(new.lists.values.map { ExactText($0.name) })
        plan.removed = service.adapters.all.filter { $0.access.isConfigured && !names.contains(ExactText($0.name)) }
        for list in new.lists.values.sorted(by: { $0.name < $1.name }) where !isStopping {
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

    private func say(reloading isActive: Bool) {
        try? service.tree.emit(ManagerObject.reloading, of: ManagerObject.interface, at: .manager, isActive)
    }
}

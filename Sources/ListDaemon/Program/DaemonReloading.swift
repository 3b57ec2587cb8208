// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSupport
internal import ListWorkers

extension RunningDaemon {
    /// Reads the configuration anew and makes it hold: lists come, go and change, the others are not touched.
    ///
    /// - Parameter origin: who wants it.
    /// - Throws: `InvalidArgs` with the faults of `listd.conf`, and nothing changes then. `ReloadIncomplete` with what was left
    ///   out, file and line, all the rest of the new configuration being in force: lists whose files have a fault, whose
    ///   plugins or sources cannot be had, or that the store, or an engine, refused. One of them that runs goes on as it was.
    func reload(by origin: Origin) async throws {
        let earlier = lastReload
        let reload = Task { @DBusActor in
            _ = await earlier?.result
            try await readConfigurationAnew(for: origin)
        }
        lastReload = reload
        try await reload.value
    }

    private func readConfigurationAnew(for origin: Origin) async throws {
        guard !isStopping else { throw ListError.reloadGivenUp }
        notify.send(.reloading)
        defer { if !isStopping { notify.send(.ready) } }
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        guard !loaded.isDaemonFaulty else {
            for fault in loaded.faults { log.say(fault) }
            let faults = loaded.faults.listed(after: "listd.conf has a fault, and the configuration stays as it was:")
            throw DBusError.invalidArgs(faults)
        }
        service.adapters.configuredNames.formUnion(loaded.listNames)
        let plugins = Set(await service.plugins.plugins.map(\.name))
        configuration.candidate = loaded.configuration
        var plan = await makePlan(for: loaded)
        configuration.candidate = nil
        plan.faults = loaded.faults + plan.faults
        guard !isStopping else {
            plan.discard()
            throw ListError.reloadGivenUp
        }
        say(reloading: true)
        defer { say(reloading: false) }
        service.adapters.configuredNames = loaded.listNames
        configuration.all = loaded.configuration
        apply(loaded.configuration)
        for fault in plan.faults { log.say(fault) }
        let result = await perform(plan, for: origin)
        guard !isStopping else { throw ListError.reloadGivenUp }
        if !plan.faults.isEmpty { await unloadUnused(besides: plugins) }
        await service.completeAdapters()
        service.checkReaders()
        for name in setApart.keys where !loaded.listNames.contains(name) {
            setApart[name] = nil
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

    // MARK: - When the daemon ends

    /// How long a reload has to come to the end of its present step: little of what the unit gives (`TimeoutStopSec=`).
    private static let reloadLimit = Duration.seconds(2)

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
    private func makePlan(for loaded: LoadedConfiguration) async -> ReloadPlan {
        var plan = ReloadPlan()
        let new = loaded.configuration
        // One whose file has a fault is not among the lists, but has a name: it stays.
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

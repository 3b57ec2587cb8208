// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers

extension RunningDaemon {
    /// Reads the configuration again and puts it into force: lists are added, removed and changed; lists without
    /// changes are not touched.
    ///
    /// - Parameter origin: the origin of the request.
    /// - Throws: `InvalidArgs` with the mistakes in `listd.conf`; the configuration then stays as it was.
    ///   `ReloadIncomplete` with file and line of each list that was left out, while the rest of the new
    ///   configuration is in force: lists with mistakes in their files, with unavailable plugins or sources, or
    ///   refused by the store or an engine. A running list among them stays as it was.
    func reload(by origin: Origin) async throws {
        try await reloads.perform { [self] in try await reloadConfiguration(for: origin) }
    }

    private func reloadConfiguration(for origin: Origin) async throws {
        guard !isStopping else { throw ListError.reloadGivenUp }
        supervision.beginReload()
        defer { if !isStopping { supervision.endReload() } }
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        guard !loaded.isDaemonFaulty else {
            for fault in loaded.faults { log.report(fault) }
            let faults = loaded.faults.text(heading: "listd.conf has a mistake, so the configuration was not changed:")
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
        for fault in loaded.unknownAccounts { log.warning("\(fault)", .file(fault.place.file)) }
        let result = await perform(plan, for: origin)
        guard !isStopping else { throw ListError.reloadGivenUp }
        if !plan.faults.isEmpty { await unloadUnused(except: plugins) }
        await reportOtherSettings()
        await service.lifecycle.completeAdapters()
        service.updateReaders()
        for name in unclaimed.names where !loaded.listNames.contains(name) {
            unclaimed.remove(name)
            removeStoredList(name.text)
        }
        log.notice(
            """
            reloaded the configuration: \(result.added) lists added, \(result.removed) removed, \
            \(result.changed) changed
            """, event: .reloaded)
        let leftOut = plan.faults + result.failures
        guard leftOut.isEmpty else {
            throw ListError(.reloadIncomplete, leftOut.text(heading: "the new configuration is in force, except for:"))
        }
    }

    // MARK: - Planning

    /// Compares the running lists with the configured ones, and makes the parts of new lists.
    private func makePlan(for loaded: LoadedConfiguration) async -> ReloadPlan {
        var plan = ReloadPlan()
        let new = loaded.configuration
        // A list whose file has a mistake is not in the configuration, but its name is in `listNames`, so a running
        // list of that name stays.
        plan.removed = service.adapters.all.filter {
            $0.access.isConfigured && !loaded.listNames.contains(ExactText($0.name))
        }
        for list in new.lists.values.sorted(by: { $0.name < $1.name }) where !isStopping {
            let adapter = service.adapters.object(named: list.name)
            if let adapter, adapter.access.isConfigured,
                list.options.source.keepsObjects(replacing: adapter.options.source)
            {
                await planChange(of: adapter, to: list, in: &plan)
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

    /// Plans the change of a list that keeps its source, and therefore its objects.
    private func planChange(
        of adapter: AdapterObject, to list: ListConfiguration, in plan: inout ReloadPlan
    ) async {
        guard adapter.options != list.options else { return }
        let faults = cycleFaults(of: list)
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

    /// Unloads the plugins that were loaded only for lists that were left out, because their settings are not in
    /// force.
    private func unloadUnused(except kept: Set<String>) async {
        for plugin in await service.plugins.registry.plugins where !kept.contains(plugin.name) {
            // A plugin that a client's list has started to use in between is not unloaded.
            try? await service.plugins.registry.unload(plugin.name, usedBy: service.users(ofPlugin: plugin.name))
        }
    }

    /// Says which plugins still run with the settings that they were loaded with.
    private func reportOtherSettings() async {
        let plugins = await service.plugins.registry.pluginsWithOtherSettings
        for (name, isEnough) in plugins.sorted(by: { $0.key < $1.key }) {
            let time = isEnough ? "it is loaded the next time (listctl load \(name))" : "listd is restarted"
            log.notice("plugin \(name): its changed settings apply when \(time)", .plugin(name))
        }
    }

    private func emitReloading(_ isActive: Bool) {
        try? service.tree.emit(ManagerObject.reloading, of: ManagerObject.interface, at: .manager, isActive)
    }
}

extension [ConfigurationFault] {
    /// The maximum number of bytes of an error message, minus room for its end.
    private static let longestList = 900

    /// Returns a heading followed by the mistakes, as many as fit into an error message.
    fileprivate func text(heading: String) -> String {
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

// MARK: - Carrying out the plan

/// The outcome of a reload.
struct ReloadResult {
    var removed = 0
    /// The number of changed or replaced lists.
    var changed = 0
    var added = 0
    /// The planned steps that failed.
    var failures: [ConfigurationFault] = []
}

extension RunningDaemon {
    /// Whether the daemon is stopping, so that a start or a reload takes no further steps.
    var isStopping: Bool { stopFlag.isSet || service.isShuttingDown }

    /// Carries out a plan, as far as the store and the engines allow it, until the daemon stops.
    ///
    /// - Parameter origin: the origin of the request.
    func perform(_ plan: ReloadPlan, for origin: Origin) async -> ReloadResult {
        var result = ReloadResult()
        for adapter in plan.removed {
            await attemptStep(
                on: adapter.name, failure: "was not removed, although no file configures it", at: directory,
                counting: \.removed, in: &result
            ) { () async throws(ListError) in
                try await service.lifecycle.remove(adapter)
                service.log("removed", of: adapter, by: origin)
            }
        }
        for (adapter, list, controllers) in plan.changed {
            await attemptStep(
                on: list.name, failure: "was not changed", at: list.place(of: "Source"), counting: \.changed,
                in: &result
            ) { () async throws(ListError) in
                let before = adapter.access
                try await adapter.reconfigure(
                    list.options, access: list.access, controllers: controllers)
                service.log(changesFrom: before, of: adapter, by: origin)
            }
        }
        for (adapter, prepared) in plan.replaced {
            await attemptStep(
                on: prepared.list.name, failure: "was not replaced", at: prepared.place, counting: \.changed,
                in: &result
            ) { () async throws(ListError) in
                let before = adapter.access
                try await replace(adapter, by: prepared, for: origin)
                guard let new = service.adapters.object(named: prepared.list.name) else { return }
                service.log("created", of: new, by: origin)
                service.log(changesFrom: before, of: new, by: origin)
            }
        }
        for prepared in plan.added {
            let name = prepared.list.name
            let isStored = unclaimed[name] != nil
            await attemptStep(on: name, failure: "was not created", at: prepared.place, counting: \.added, in: &result)
            {
                () async throws(ListError) in
                try await makeList(prepared)
                if let adapter = service.adapters.object(named: name) {
                    service.log("created", of: adapter, by: origin)
                }
            }
            // Clients that read the list's properties after the reload must find the stored values.
            if isStored, let adapter = service.adapters.object(named: name) {
                await service.lifecycle.awaitHost(of: adapter)
            }
        }
        return result
    }

    /// The place to report for a list that no file configures any more.
    private var directory: ConfigurationPlace {
        ConfigurationPlace(file: options.configurationDirectory, line: nil)
    }

    /// Takes one step of the plan, and counts its success or reports its failure.
    ///
    /// - Parameters:
    ///   - name: the name of the list.
    ///   - failure: the rest of the error message, after "the list NAME".
    private func attemptStep(
        on name: String, failure: String, at place: ConfigurationPlace,
        counting count: WritableKeyPath<ReloadResult, Int>, in result: inout ReloadResult,
        _ step: () async throws(ListError) -> Void
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
            service.log("removed", of: adapter, by: origin)
        } catch {
            prepared.parts.discard()
            throw error
        }
        try await makeList(prepared)
    }
}

extension PreparedList {
    /// The place in the file that names the list's source.
    fileprivate var place: ConfigurationPlace { list.place(of: "Source") }
}

/// The changes that a reload will make, none of which has been made yet.
struct ReloadPlan {
    /// Lists that no configuration file names any more.
    var removed: [AdapterObject] = []
    /// Running lists whose options change, with new section controllers if those change too.
    var changed: [(adapter: AdapterObject, list: ListConfiguration, controllers: SectionControllerTable?)] = []
    /// Lists whose source changes, so that a new list replaces them.
    var replaced: [(adapter: AdapterObject, by: PreparedList)] = []
    /// Lists that do not exist yet.
    var added: [PreparedList] = []
    /// The mistakes because of which lists are left out: in their files, or found when their parts were made.
    var faults: [ConfigurationFault] = []

    /// Discards the parts that were prepared for new lists.
    @DBusActor
    func discard() {
        for prepared in added + replaced.map(\.by) { prepared.parts.discard() }
    }
}

/// A queue of reloads: each begins when the previous one has ended.
@DBusActor
final class ReloadTurns {
    /// The time that a stop leaves a reload to finish its present step: a small part of the unit's `TimeoutStopSec=`.
    private static let limit = Duration.seconds(2)

    private var last: Task<Void, any Error>?

    nonisolated init() {}

    /// Runs a reload after all earlier ones.
    func perform(_ reload: @escaping @DBusActor () async throws -> Void) async throws {
        let earlier = last
        let task = Task { @DBusActor in
            _ = await earlier?.result
            try await reload()
        }
        last = task
        try await task.value
    }

    /// Waits until the reload in progress ends, or until the time limit.
    ///
    /// - Parameter giveUp: cancels the operations that a reload may wait for; called first if there is a reload.
    func awaitEnd(_ giveUp: @escaping @Sendable () async -> Void) async {
        guard let last else { return }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let timer = EventLoop.shared.addTimer(after: Self.limit) { continuation.finish() }
        Task { await giveUp() }
        Task {
            _ = await last.result
            continuation.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }
}

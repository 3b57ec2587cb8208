// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

extension RunningDaemon {
    /// Opens the store, brings back what is in it, and makes the configured lists.
    ///
    /// - Throws: why there is no store.
    func restoreLists() async throws(StartFailure) {
        let lists = configuration.all.lists.values.sorted { $0.name < $1.name }
        // Lists that follow others wait for them until all are there.
        defer { if !isStopping { service.adapters.followers.lookAgain() } }
        guard let opened = try openStore() else { return await makeFirstLists(lists) }
        service.setStore(opened.store)
        for restored in opened.adapters where !isStopping {
            if restored.adapter.isConfigured {
                unclaimed.add(restored)
            } else {
                await restore(restored)
            }
        }
        await makeFirstLists(lists)
        // What was not brought back stays in the store as it is.
        guard !isStopping else { return }
        if isConfigurationFaulty {
            // A list whose file has a fault is not forgotten, and nobody else gets its name.
            service.adapters.setConfiguredNames(unclaimed.names, keepingOthers: true)
        } else {
            for name in unclaimed.names where !service.adapters.configuredNames.contains(name) {
                unclaimed.remove(name)
                forget(name.text)
            }
        }
        await service.lifecycle.awaitHosts()
        log.notice("\(service.adapters.count) lists, \(opened.adapters.count) of them stored")
    }

    /// Makes the lists that are configured at the start; one that cannot be made is reported and left out.
    ///
    /// One that was stored is there all the same, with what can be had of it.
    private func makeFirstLists(_ lists: [ListConfiguration]) async {
        for list in lists where !isStopping {
            let preparation = await prepare(list, limits: configuration.all.limits)
            guard !isStopping else { return preparation.discard() }
            switch preparation {
            case .impossible(let faults):
                for fault in faults { log.report(fault, ofList: list.name) }
                guard let stored = unclaimed[list.name], list.continues(stored.adapter) else { continue }
                unclaimed.remove(ExactText(list.name))
                await restore(stored, as: list, nil)
            case .ready(let prepared):
                do throws(ListError) {
                    try await make(prepared)
                } catch {
                    let message = "the list \(list.name) is left out: \(error)"
                    log.report(ConfigurationFault(place: list.place(of: "Source"), message: message), ofList: list.name)
                }
            }
        }
    }

    /// The store; nil without one, and when the end is asked for while it is read.
    private func openStore() throws(StartFailure) -> OpenedStore? {
        guard let directory = options.stateDirectory else { return nil }
        do throws(ListError) {
            let opened = try SQLiteStore.open(directory: directory, boot: options.bootIdentifier) { [stopFlag] in
                stopFlag.isSet
            } report: { [log] loss in
                log.error("\(loss)", .file(loss.file), event: .storeLost)
            }
            if let damage = opened.damage { report(damage) }
            if let damage = opened.logDamage { report(damage, restored: opened.adapters.count) }
            return opened
        } catch {
            guard !isStopping else { return nil }
            throw StartFailure(code: .store, message: "no store in \(directory): \(error)")
        }
    }

    private func report(_ damage: StoreDamage) {
        let lists = damage.lists.isEmpty ? "all lists in it" : damage.lists.joined(separator: ", ")
        let place = damage.file.map { "; the file is kept as \($0)" } ?? ""
        log.error(
            "the stored lists cannot be read from \(damage.original) (\(damage.reason)); lost: \(lists)\(place)",
            .file(damage.file ?? damage.original), event: .storeDamaged)
    }

    private func report(_ damage: LogDamage, restored count: Int) {
        let lists = damage.lists > count ? "\(damage.lists - count) lists, and " : ""
        let place = damage.copy.map { "; the file is kept as \($0)" } ?? ""
        log.error(
            "\(damage.file) is \(damage.reason); lost: \(lists)the last changes of other lists\(place)",
            .file(damage.copy ?? damage.file), event: .storeDamaged)
    }

    private func restore(_ restored: RestoredAdapter) async {
        let adapter = restored.adapter
        do throws(ListError) {
            let (options, isGranted) = try adapter.readOptions()
            await service.lifecycle.restoreAdapter(
                restored, options: options,
                access: AdapterAccess(
                    owner: adapter.owner, readers: options.readers, writers: options.writers,
                    invokers: options.invokers,
                    mayHaveSource: isGranted || service.authority.isAlwaysAdministrator(adapter.owner)))
        } catch {
            log.error("adapter \(adapter.name.debugDescription) is not restored: \(error)", .adapter(adapter.name))
        }
    }

    /// A configured list goes on with its objects and its numbering; its options are those of the file.
    ///
    /// - Parameter parts: what it is made of; nil = what can be had of it.
    func restore(_ restored: RestoredAdapter, as list: ListConfiguration, _ parts: AdapterParts?) async {
        await service.lifecycle.restoreAdapter(restored, options: list.options, access: list.access, parts: parts)
        guard restored.adapter.options.dictionary != list.options.values, let options = try? Fields(list.options.values)
        else { return }
        // What fails has been logged, and is tried again at the next start.
        try? await service.adapters.object(list.name)?.stored.setOptions(options, durability: list.options.durability)
    }

    /// Takes a list out of the store.
    func forget(_ name: String) {
        service.store?.write(.remove(name: name), durability: .disk) { [log] outcome in
            guard case .failure(let error) = outcome else { return }
            log.error("the stored list \(name.debugDescription) could not be removed: \(error)", .adapter(name))
        }
    }
}

extension ListConfiguration {
    /// Whether the list has the stored source: with another one it starts empty.
    func continues(_ stored: StoredAdapter) -> Bool {
        guard let source = stored.options["source"]?.string.flatMap({ SourceName($0) }) else { return false }
        return options.durability != .memory && options.source.continues(source)
    }
}

// MARK: - Making a list

/// A list of a configuration file whose parts are made: only the store can still refuse it.
struct PreparedList {
    let list: ListConfiguration
    let parts: AdapterParts
}

/// Whether a list of a configuration file can be made.
enum Preparation {
    /// It can.
    case ready(PreparedList)
    /// It cannot, although its file is sound: a plugin, a name or an argument is in the way.
    case impossible([ConfigurationFault])

    /// Gives up what was made.
    @DBusActor
    func discard() {
        if case .ready(let prepared) = self { prepared.parts.discard() }
    }
}

extension RunningDaemon {
    /// Makes what a list is made of, and changes nothing that is there.
    ///
    /// - Parameter limits: those of the configuration that the list is from.
    func prepare(_ list: ListConfiguration, limits: Limits) async -> Preparation {
        var faults = nameFaults(of: list) + circleFaults(of: list) + (await sectionFaults(of: list))
        do throws(ListError) {
            // A plugin that has failed is tried again.
            if case .plugin(let plugin, _, _) = list.options.source {
                try await service.plugins.registry.revive(plugin)
            }
            // With a fault in a section controller only the source's own are looked for.
            var options = list.options
            if !faults.isEmpty { options.sectionControllers = AdapterOptions().sectionControllers }
            let parts = try await service.lifecycle.makeParts(of: options, limits: limits.bulk)
            if faults.isEmpty { return .ready(PreparedList(list: list, parts: parts)) }
            parts.discard()
        } catch {
            faults.append(ConfigurationFault(place: list.place(of: "Source"), error))
        }
        return .impossible(faults)
    }

    private func nameFaults(of list: ListConfiguration) -> [ConfigurationFault] {
        guard let adapter = service.adapters.object(list.name), !adapter.access.isConfigured else { return [] }
        let message = "a client has created a list \(list.name.debugDescription) already"
        return [ConfigurationFault(place: ConfigurationPlace(file: list.file, line: nil), message: message)]
    }

    /// Whether a list would follow itself, by way of others, as the configuration is or is about to be.
    func circleFaults(of list: ListConfiguration) -> [ConfigurationFault] {
        let lists = (configuration.candidate ?? configuration.all).lists.values
        let configured = lists.compactMap { list in list.options.source.followed.map { (list.name, $0) } }
        do throws(ListError) {
            try service.checkCircle(list.name, list.options.source, configured: configured)
            return []
        } catch {
            return [ConfigurationFault(place: list.place(of: "Source"), error)]
        }
    }

    /// What is wrong with each section controller; if nothing is, with all of them in one list.
    func sectionFaults(of list: ListConfiguration) async -> [ConfigurationFault] {
        let all = list.options.sectionControllers.sorted { $0.key < $1.key }
        var faults: [ConfigurationFault] = []
        for (type, name) in all { faults += await sectionFault(of: list, at: type, [type: name]) }
        guard faults.isEmpty, all.count > 1, let last = all.last else { return faults }
        return await sectionFault(of: list, at: last.key, list.options.sectionControllers)
    }

    private func sectionFault(
        of list: ListConfiguration, at type: String, _ controllers: [String: String]
    ) async -> [ConfigurationFault] {
        do throws(ListError) {
            _ = try await service.plugins.registry.sectionControllers(for: controllers)
            return []
        } catch {
            return [ConfigurationFault(place: list.place(of: type, inSection: "Sections"), error)]
        }
    }

    /// Makes a list, or lets it go on with what is stored of it.
    ///
    /// - Throws: `storeFailed`, or that somebody has taken its name; there is no such list then.
    func make(_ prepared: PreparedList) async throws(ListError) {
        let (list, name) = (prepared.list, ExactText(prepared.list.name))
        if let stored = unclaimed[list.name], list.continues(stored.adapter) {
            unclaimed.remove(name)
            return await restore(stored, as: list, prepared.parts)
        }
        if unclaimed.remove(name) { forget(list.name) }
        _ = try await service.lifecycle.makeAdapter(
            name: list.name, options: list.options, access: list.access, parts: prepared.parts)
        log.info("the list \(list.name) is made as \(list.file) says", .adapter(list.name), .file(list.file))
    }
}

extension Log {
    /// Says what is wrong with the configuration.
    func report(_ fault: ConfigurationFault) {
        error("\(fault)", .file(fault.place.file), event: .configurationFault)
    }

    /// Says what stands in the way of a list.
    func report(_ fault: ConfigurationFault, ofList name: String) {
        error("\(fault)", .adapter(name), .file(fault.place.file), event: .configurationFault)
    }
}

extension ConfigurationFault {
    /// What went wrong with something that a file asks for, with the cause of it.
    init(place: ConfigurationPlace, _ error: ListError) {
        self.init(place: place, message: error.reason)
    }
}

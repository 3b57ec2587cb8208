// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

extension RunningDaemon {
    /// Opens the store, restores the stored lists, and makes the configured lists.
    ///
    /// - Throws: an error if the store cannot be opened.
    func restoreLists() async throws(StartFailure) {
        let lists = configuration.all.lists.values.sorted { $0.name < $1.name }
        // Lists that follow others start following when all lists exist.
        defer { if !isStopping { service.adapters.followers.reevaluateFollowers() } }
        guard let opened = try openStore() else { return await makeConfiguredLists(lists) }
        service.setStore(opened.store, losses: opened.losses)
        for restored in opened.adapters where !isStopping {
            if restored.adapter.isConfigured {
                unclaimed.add(restored)
            } else {
                await restore(restored)
            }
        }
        await makeConfiguredLists(lists)
        await nameNamelessList()
        // Lists that were not restored because of the stop remain in the store.
        guard !isStopping else { return }
        if isConfigurationFaulty {
            // A list whose file has a mistake stays stored, and its name stays reserved.
            service.adapters.setConfiguredNames(unclaimed.names, keepingOthers: true)
        } else {
            for name in unclaimed.names where !service.adapters.configuredNames.contains(name) {
                unclaimed.remove(name)
                removeStoredList(name.text)
            }
        }
        await service.lifecycle.awaitHosts()
        let count = service.adapters.count
        let exist = count == 1 ? "list exists" : "lists exist"
        log.notice("\(count) \(exist), \(min(count, opened.adapters.count)) from the store")
    }

    /// Makes the configured lists at the start; a list that cannot be made is reported and left out.
    ///
    /// If the list is stored, it is restored nevertheless, with those of its parts that are available.
    private func makeConfiguredLists(_ lists: [ListConfiguration]) async {
        for list in lists where !isStopping {
            let preparation = await prepare(list, limits: configuration.all.limits)
            guard !isStopping else { return preparation.discard() }
            switch preparation {
            case .impossible(let faults):
                for fault in faults { log.report(fault, ofList: list.name) }
                guard let stored = unclaimed[list.name], list.keepsObjects(of: stored.adapter) else { continue }
                unclaimed.remove(ExactText(list.name))
                await restore(stored, as: list, parts: nil)
            case .ready(let prepared):
                do throws(ListError) {
                    try await makeList(prepared)
                } catch {
                    let message = "the list \(list.name) was not created: \(error)"
                    log.report(ConfigurationFault(place: list.place(of: "Source"), message: message), ofList: list.name)
                }
            }
        }
    }

    /// Opens the store; returns nil if no store is used, or if the stop was requested during the opening.
    private func openStore() throws(StartFailure) -> OpenedStore? {
        guard let directory = options.stateDirectory else { return nil }
        adoptEarlierStore(in: directory)
        if let refusal = SQLiteStore.refusal(directory: directory) {
            throw StartFailure(code: .newerStore, message: refusal)
        }
        for finding in StoreAccess.restrict(directory: directory) { log.warning("\(finding)", .file(directory)) }
        do throws(ListError) {
            let opened = try SQLiteStore.open(directory: directory, boot: options.bootIdentifier) { [stopFlag] in
                stopFlag.isSet
            } report: { [log] loss in
                log.error("\(loss)", .file(loss.file), event: .storeLost)
            }
            for line in opened.news { log.error("\(line)", .file(opened.store.path), event: .storeDamaged) }
            if opened.losses.contains(where: { !opened.news.contains($0.text) }) {
                log.warning("\(opened.losses.count) losses are not acknowledged; listctl losses shows them")
            }
            return opened
        } catch {
            guard !isStopping else { return nil }
            throw StartFailure(code: .store, message: "the store in \(directory) cannot be opened: \(error.reason)")
        }
    }

    /// Takes the store of a user's listd that is beside the configuration, where systemd before version 254 had it.
    private func adoptEarlierStore(in directory: String) {
        let old = options.configurationDirectory
        guard options.bus == .session, old != directory else { return }
        do throws(ListError) {
            guard try SQLiteStore.move(from: old, to: directory) else { return }
            log.notice("moved the stored lists from \(old) to \(directory)", .file(directory))
        } catch {
            log.error("the stored lists in \(old) were not moved to \(directory): \(error.reason)", .file(old))
        }
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
            log.error(
                "adapter \(adapter.name.quoted) could not be restored: \(error)", .adapter(adapter.name))
        }
    }

    /// Gives a name to a list that was stored with the empty name, which no new list can have.
    private func nameNamelessList() async {
        guard let list = service.adapters.object(named: ""), !isStopping else { return }
        var number = 1
        while true {
            let name = number == 1 ? "unnamed" : "unnamed-\(number)"
            do throws(ListError) {
                try await service.lifecycle.rename(list, to: name)
                return log.notice("the list with the empty name is \(name) from now on", .adapter(name))
            } catch {
                guard error.code == .adapterExists else {
                    return log.error("the list with the empty name cannot be renamed: \(error)", .adapter(""))
                }
                number += 1
            }
        }
    }

    /// Restores a configured list with its stored objects and numbering, and the options of its file.
    ///
    /// - Parameter parts: the parts of the list; nil = those that are available.
    func restore(_ restored: RestoredAdapter, as list: ListConfiguration, parts: AdapterParts?) async {
        await service.lifecycle.restoreAdapter(restored, options: list.options, access: list.access, parts: parts)
        guard restored.adapter.options.dictionary != list.options.values, let options = try? Fields(list.options.values)
        else { return }
        // A failure has been logged; the next start tries again.
        try? await service.adapters.object(named: list.name)?.stored.setOptions(
            options, durability: list.options.durability)
    }

    /// Removes a list from the store.
    func removeStoredList(_ name: String) {
        service.store?.write(.remove(name: name), durability: .disk) { [log] outcome in
            guard case .failure(let error) = outcome else { return }
            log.error("the stored list \(name.quoted) could not be removed: \(error)", .adapter(name))
        }
    }
}

extension ListConfiguration {
    /// Returns whether the list has the same source as the stored one. With another source, it starts empty.
    func keepsObjects(of stored: StoredAdapter) -> Bool {
        guard let source = stored.options["source"]?.string.flatMap({ SourceName($0) }) else { return false }
        return options.durability != .memory && options.source.keepsObjects(replacing: source)
    }
}

// MARK: - Making a list

/// A list of a configuration file with all its parts; only the store can still refuse it.
struct PreparedList {
    let list: ListConfiguration
    let parts: AdapterParts
}

/// The outcome of preparing a list of a configuration file.
enum Preparation {
    /// All parts of the list were made.
    case ready(PreparedList)
    /// The list cannot be made, although its file is correct, because of a plugin, a name or an argument.
    case impossible([ConfigurationFault])

    /// Discards the parts that were made.
    @DBusActor
    func discard() {
        if case .ready(let prepared) = self { prepared.parts.discard() }
    }
}

extension RunningDaemon {
    /// Makes the parts of a list, without changes to existing lists.
    ///
    /// - Parameter limits: the limits of the configuration that the list is from.
    func prepare(_ list: ListConfiguration, limits: Limits) async -> Preparation {
        var faults = nameFaults(of: list) + cycleFaults(of: list) + (await sectionFaults(of: list))
        do throws(ListError) {
            // A failed plugin is started again.
            if case .plugin(let plugin, _, _) = list.options.source {
                try await service.plugins.registry.revive(plugin)
            }
            // After a mistake in the section controllers, only the source is checked for more mistakes.
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
        guard let adapter = service.adapters.object(named: list.name), !adapter.access.isConfigured else { return [] }
        let message = "a client has already created a list \(list.name.quoted)"
        return [ConfigurationFault(place: ConfigurationPlace(file: list.file, line: nil), message: message)]
    }

    /// Returns the mistake of a list that would follow itself, directly or through others, in the present or the
    /// coming configuration.
    func cycleFaults(of list: ListConfiguration) -> [ConfigurationFault] {
        let lists = (configuration.candidate ?? configuration.all).lists.values
        let configured = lists.compactMap { list in list.options.source.followed.map { (list.name, $0) } }
        do throws(ListError) {
            try service.checkForCycle(ofList: list.name, source: list.options.source, configured: configured)
            return []
        } catch {
            return [ConfigurationFault(place: list.place(of: "Source"), error)]
        }
    }

    /// Returns the mistakes of each section controller. If each is correct alone, returns the mistakes of their
    /// combination in one list.
    func sectionFaults(of list: ListConfiguration) async -> [ConfigurationFault] {
        let all = list.options.sectionControllers.sorted { $0.key < $1.key }
        var faults: [ConfigurationFault] = []
        for (type, name) in all { faults += await sectionFault(of: list, at: type, controllers: [type: name]) }
        guard faults.isEmpty, all.count > 1, let last = all.last else { return faults }
        return await sectionFault(of: list, at: last.key, controllers: list.options.sectionControllers)
    }

    private func sectionFault(
        of list: ListConfiguration, at type: String, controllers: [String: String]
    ) async -> [ConfigurationFault] {
        do throws(ListError) {
            _ = try await service.plugins.registry.sectionControllers(for: controllers)
            return []
        } catch {
            return [ConfigurationFault(place: list.place(of: type, inSection: "Sections"), error)]
        }
    }

    /// Makes a list, or restores it if it is stored.
    ///
    /// - Throws: `storeFailed`, or `adapterExists` if the name is in use; the list does not exist then.
    func makeList(_ prepared: PreparedList) async throws(ListError) {
        let (list, name) = (prepared.list, ExactText(prepared.list.name))
        if let stored = unclaimed[list.name], list.keepsObjects(of: stored.adapter) {
            unclaimed.remove(name)
            return await restore(stored, as: list, parts: prepared.parts)
        }
        if unclaimed.remove(name) { removeStoredList(list.name) }
        _ = try await service.lifecycle.makeAdapter(
            name: list.name, options: list.options, access: list.access, parts: prepared.parts)
        log.info("the list \(list.name) was created from \(list.file)", .adapter(list.name), .file(list.file))
    }
}

extension Log {
    /// Logs a mistake in the configuration.
    func report(_ fault: ConfigurationFault) {
        error("\(fault)", .file(fault.place.file), event: .configurationFault)
    }

    /// Logs a mistake because of which a list cannot be made or changed.
    func report(_ fault: ConfigurationFault, ofList name: String) {
        error("\(fault)", .adapter(name), .file(fault.place.file), event: .configurationFault)
    }
}

extension ConfigurationFault {
    /// Makes the report of an error, with its cause, at a place in a file.
    init(place: ConfigurationPlace, _ error: ListError) {
        self.init(place: place, message: error.reason)
    }
}

/// The stored lists whose configuration files have mistakes; they are restored when their files are corrected.
@DBusActor
final class UnclaimedLists {
    private var lists: [ExactText: RestoredAdapter] = [:]

    nonisolated init() {}

    var names: [ExactText] { Array(lists.keys) }

    /// The stored list with a name; nil if there is none.
    subscript(_ name: String) -> RestoredAdapter? { lists[ExactText(name)] }

    /// Adds a stored list.
    func add(_ list: RestoredAdapter) { lists[ExactText(list.adapter.name)] = list }

    /// Removes the stored list with a name; returns `false` if there was none.
    @discardableResult
    func remove(_ name: ExactText) -> Bool { lists.removeValue(forKey: name) != nil }
}

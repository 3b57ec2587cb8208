// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport

extension RunningDaemon {
    /// Opens the store, brings back what is in it, and makes the configured lists.
    ///
    /// - Throws: why there is no store.
    func restoreLists() async throws(StartFailure) {
        let lists = configuration.all.lists.values.sorted { $0.name < $1.name }
        // Lists that follow others wait for them until all are there.
        defer { if !isStopping { service.adapters.followers.lookAgain() } }
        guard let opened = try openStore() else { return await makeFirstLists(lists) }
        service.store = opened.store
        for restored in opened.adapters where !isStopping {
            if restored.adapter.isConfigured {
                setApart[ExactText(restored.adapter.name)] = restored
            } else {
                await restore(restored)
            }
        }
        await makeFirstLists(lists)
        // What was not brought back stays in the store as it is.
        guard !isStopping else { return }
        if isConfigurationFaulty {
            // A list whose file has a fault is not forgotten, and nobody else gets its name.
            service.adapters.configuredNames.formUnion(setApart.keys)
        } else {
            for name in setApart.keys where !service.adapters.configuredNames.contains(name) {
                setApart[name] = nil
                forget(name.text)
            }
        }
        await service.hearHosts()
        log.notice("\(service.adapters.count) lists, \(opened.adapters.count) of them stored")
    }

    /// Makes the lists that are configured at the start; one that cannot be made is said and left out.
    ///
    /// One that was stored is there all the same, with what can be had of it.
    private func makeFirstLists(_ lists: [ListConfiguration]) async {
        for list in lists where !isStopping {
            let preparation = await prepare(list, limits: configuration.all.limits)
            guard !isStopping else { return preparation.discard() }
            switch preparation {
            case .impossible(let faults):
                for fault in faults { log.say(fault, ofList: list.name) }
                guard let stored = setApart[ExactText(list.name)], list.continues(stored.adapter) else { continue }
                setApart[ExactText(list.name)] = nil
                await restore(stored, as: list, nil)
            case .ready(let prepared):
                do throws(ListError) {
                    try await make(prepared)
                } catch {
                    let message = "the list \(list.name) is left out: \(error)"
                    log.say(ConfigurationFault(place: list.place(of: "Source"), message: message), ofList: list.name)
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
            if let damage = opened.damage { say(damage) }
            if let damage = opened.logDamage { say(damage, restored: opened.adapters.count) }
            return opened
        } catch {
            guard !isStopping else { return nil }
            throw StartFailure(code: .store, message: "no store in \(directory): \(error)")
        }
    }

    private func say(_ damage: StoreDamage) {
        let lists = damage.lists.isEmpty ? "all lists in it" : damage.lists.joined(separator: ", ")
        let place = damage.file.map { "; the file is kept as \($0)" } ?? ""
        log.error(
            "the stored lists cannot be read from \(damage.original) (\(damage.reason)); lost: \(lists)\(place)",
            .file(damage.file ?? damage.original), event: .storeDamaged)
    }

    private func say(_ damage: LogDamage, restored count: Int) {
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
            await service.restoreAdapter(
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
        await service.restoreAdapter(restored, options: list.options, access: list.access, parts: parts)
        guard restored.adapter.options.dictionary != list.options.values, let options = try? Fields(list.options.values)
        else { return }
        // What fails has been logged, and is tried again at the next start.
        try? await service.adapters.object(list.name)?.stored.take(options, durability: list.options.durability)
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
    /// Whether the list is what was stored: from another source it starts anew.
    func continues(_ stored: StoredAdapter) -> Bool {
        guard let source = stored.options["source"]?.string.flatMap({ SourceName($0) }) else { return false }
        return options.durability != .memory && options.source.continues(source)
    }
}

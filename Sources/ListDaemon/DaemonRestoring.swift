internal import DBus
internal import ListKit

extension RunningDaemon {
    /// Opens the store, brings back what is in it, and makes the configured lists.
    ///
    /// - Throws: why there is no store.
    func restoreLists() async throws(StartFailure) {
        let lists = configuration.all.lists.values.sorted { $0.name < $1.name }
        guard let opened = try openStore() else { return await makeFirstLists(lists) }
        service.store = opened.store
        var configured: [ExactText: RestoredAdapter] = [:]
        for restored in opened.adapters {
            if restored.adapter.isConfigured {
                configured[ExactText(restored.adapter.name)] = restored
            } else {
                await restore(restored)
            }
        }
        for list in lists {
            let restored = configured.removeValue(forKey: ExactText(list.name))
            if let restored, list.continues(restored.adapter) {
                _ = await check(list)
                await restore(restored, as: list)
            } else {
                if restored != nil { forget(list.name) }
                await makeFirstLists([list])
            }
        }
        // A list whose file has a fault is not forgotten.
        if !isConfigurationFaulty { configured.keys.forEach { forget($0.text) } }
        await service.hearHosts()
        log.notice("\(service.adapters.count) lists, \(opened.adapters.count) of them stored")
    }

    private func openStore() throws(StartFailure) -> OpenedStore? {
        guard let directory = options.stateDirectory else { return nil }
        do throws(ListError) {
            let opened = try SQLiteStore.open(directory: directory)
            if let damage = opened.damage { say(damage) }
            return opened
        } catch {
            throw StartFailure(code: .store, message: "no store in \(directory): \(error)")
        }
    }

    private func say(_ damage: StoreDamage) {
        let lists = damage.lists.isEmpty ? "all lists in it" : damage.lists.joined(separator: ", ")
        log.error(
            "the stored lists cannot be read (\(damage.reason)); lost: \(lists); the file is kept as \(damage.file)",
            .file(damage.file), event: .storeDamaged)
    }

    private func restore(_ restored: RestoredAdapter) async {
        let adapter = restored.adapter
        do throws(ListError) {
            let options = try AdapterOptions(adapter.options.dictionary)
            await service.restoreAdapter(
                restored, options: options,
                access: AdapterAccess(owner: adapter.owner, readers: options.readers, writers: options.writers))
        } catch {
            log.error("adapter \(adapter.name.debugDescription) is not restored: \(error)", .adapter(adapter.name))
        }
    }

    /// A configured list goes on with its objects and its numbering; its options are those of the file.
    private func restore(_ restored: RestoredAdapter, as list: ListConfiguration) async {
        await service.restoreAdapter(restored, options: list.options, access: list.access)
        guard restored.adapter.options.dictionary != list.options.values, let options = try? Fields(list.options.values)
        else { return }
        // What fails has been logged, and is tried again at the next start.
        try? await service.adapters.object(list.name)?.stored.take(options, durability: list.options.durability)
    }

    private func forget(_ name: String) {
        service.store?.write(.remove(name: name), durability: .disk) { [log] outcome in
            guard case .failure(let error) = outcome else { return }
            log.error("the stored list \(name.debugDescription) could not be removed: \(error)", .adapter(name))
        }
    }
}

extension ListConfiguration {
    /// Whether the list is what was stored: from another source it starts anew.
    fileprivate func continues(_ stored: StoredAdapter) -> Bool {
        options.durability != .memory && stored.options["source"] == options.values["source"]
    }
}

extension Fields {
    /// The values by their keys.
    fileprivate var dictionary: [String: Value] { Dictionary(self.map { ($0.key, $0.value) }) { $1 } }
}

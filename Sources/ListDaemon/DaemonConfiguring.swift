internal import DBus
internal import ListKit
internal import Synchronization

/// The configuration that holds now.
///
/// Changed by the daemon on `DBusActor`, read by whoever starts a plugin too; the lock keeps it whole.
final class CurrentConfiguration: Sendable {
    private let value: Mutex<Configuration>

    init(_ configuration: Configuration) {
        value = Mutex(configuration)
    }

    /// All of it.
    var all: Configuration {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    /// What it says about a plugin.
    func plugin(named name: String) -> PluginConfiguration { all.plugins[name] ?? PluginConfiguration() }
}

extension RunningDaemon {
    /// Reads the configuration for the start: lists with a fault are left out, a faulty `listd.conf` ends it.
    static func loadConfiguration(_ options: DaemonOptions, log: Log) throws(StartFailure) -> LoadedConfiguration {
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        for fault in loaded.faults { log.error(fault) }
        guard !loaded.isDaemonFaulty else {
            throw StartFailure(
                code: .configuration,
                message: "listd.conf in \(options.configurationDirectory) has a fault: who may do what is not known")
        }
        return loaded
    }

    /// Makes the limits and rights of a configuration hold.
    func apply(_ new: Configuration) {
        service.quotas.limits = new.limits.perUser
        service.payloadBytes = new.limits.payloadBytes
        service.objectLimits = new.limits.objects
        service.bulkLimits = new.limits.bulk
        service.callsPerConnection = new.limits.callsPerConnection
        service.creators = (new.daemon.creators ?? options.bus.defaultCreators).accessRule
        server?.limit(
            connections: new.limits.directConnections, authenticationTimeout: new.limits.authenticationTime)
    }

    /// What stands in the way of lists although their files are sound: plugins that are not there, names that clients have.
    private func faults(of lists: [ListConfiguration]) async -> [ConfigurationFault] {
        var faults: [ConfigurationFault] = []
        for list in lists {
            if let adapter = service.adapters.object(list.name), !adapter.access.isConfigured {
                let message = "a client has created a list \(list.name.debugDescription) already"
                let place = ConfigurationPlace(file: list.file, line: nil)
                faults.append(ConfigurationFault(place: place, message: message))
            }
            do throws(ListError) {
                try await service.checkSource(list.options.source)
            } catch {
                faults.append(ConfigurationFault(place: list.place(of: "Source"), message: error.message))
            }
            faults += await sectionFaults(of: list)
        }
        return faults
    }

    /// What is wrong with each section controller; if nothing is, with all of them in one list.
    private func sectionFaults(of list: ListConfiguration) async -> [ConfigurationFault] {
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
            _ = try await service.plugins.sectionControllers(for: controllers)
            return []
        } catch {
            let place = list.place(of: type, inSection: "Sections")
            return [ConfigurationFault(place: place, message: error.message)]
        }
    }

    /// Says what stands in the way of a list; answers whether nothing does.
    func check(_ list: ListConfiguration) async -> Bool {
        let faults = await faults(of: [list])
        for fault in faults { log.error(fault, of: list) }
        return faults.isEmpty
    }

    /// Makes the lists that are configured at the start; one that cannot be made is said and left out.
    func makeFirstLists(_ lists: [ListConfiguration]) async {
        for list in lists where await check(list) { await makeConfiguredLists([list]) }
    }

    private func makeConfiguredLists(_ lists: some Sequence<ListConfiguration>) async {
        for list in lists {
            do throws(ListError) {
                _ = try await service.makeAdapter(name: list.name, options: list.options, access: list.access)
                log.info("the list \(list.name) is made as \(list.file) says", .adapter(list.name), .file(list.file))
            } catch {
                log.error(
                    "\(list.place(of: "Source")): the list \(list.name) is left out: \(error.message)",
                    .adapter(list.name), .file(list.file), event: .configurationFault)
            }
        }
    }

    /// Reads the configuration anew and makes it hold: lists come, go and change, the others are not touched.
    ///
    /// - Throws: `InvalidArgs` with every fault, file and line; then the old configuration stays as it is.
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
        let changes = configuration.all.changes(to: loaded.configuration)
        let faults = loaded.faults + (await faults(of: changes.added + changes.changed.map(\.new)))
        guard faults.isEmpty else {
            for fault in faults { log.error(fault) }
            let text = faults.map(\.description).joined(separator: "\n")
            throw DBusError.invalidArgs("the configuration stays as it was:\n\(text)")
        }
        say(reloading: true)
        defer { say(reloading: false) }
        configuration.all = loaded.configuration
        apply(loaded.configuration)
        for list in changes.removed { await removeConfiguredList(list.name) }
        for (old, new) in changes.changed {
            if let adapter = service.adapters.object(new.name), adapter.access.isConfigured,
                old.options.source == new.options.source
            {
                await reconfigure(adapter, from: old, to: new)
            } else {
                await removeConfiguredList(new.name)
                await makeConfiguredLists([new])
            }
        }
        await makeConfiguredLists(changes.added)
        log.notice(
            "configuration read: \(changes.added.count) lists added, \(changes.removed.count) removed, "
                + "\(changes.changed.count) changed",
            event: .reloaded)
    }

    /// Another source starts a list anew; whatever else changes, it keeps its objects.
    private func reconfigure(
        _ adapter: AdapterObject, from old: ListConfiguration, to new: ListConfiguration
    ) async {
        do throws(ListError) {
            let controllers =
                old.options.sectionControllers == new.options.sectionControllers
                ? nil : try await service.plugins.sectionControllers(for: new.options.sectionControllers)
            try await adapter.reconfigure(new.options, access: new.access, controllers: controllers)
        } catch {
            log.error(
                "\(new.file): the list \(new.name) stays as it was: \(error.message)", .adapter(new.name),
                .file(new.file),
                event: .configurationFault)
        }
    }

    private func removeConfiguredList(_ name: String) async {
        guard let adapter = service.adapters.object(name), adapter.access.isConfigured else { return }
        do throws(ListError) {
            try await service.remove(adapter)
        } catch {
            log.error("the list \(name) stays, although no file configures it: \(error)", .adapter(name))
        }
    }

    private func say(reloading isActive: Bool) {
        try? service.tree.emit(ManagerObject.reloading, of: ManagerObject.interface, at: .manager, isActive)
    }
}

extension Log {
    /// Says what is wrong with the configuration.
    fileprivate func error(_ fault: ConfigurationFault) {
        error("\(fault)", .file(fault.place.file), event: .configurationFault)
    }

    fileprivate func error(_ fault: ConfigurationFault, of list: ListConfiguration) {
        error("\(fault)", .adapter(list.name), .file(fault.place.file), event: .configurationFault)
    }
}

extension ListConfiguration {
    /// Configured lists belong to root, and nobody removes them over the bus.
    var access: AdapterAccess {
        AdapterAccess(owner: 0, readers: options.readers, writers: options.writers, isConfigured: true)
    }
}

extension Creators {
    /// The same as a rule of access to what root owns.
    fileprivate var accessRule: AccessRule {
        switch self {
        case .any: .any
        case .administrators: .owner
        case .group(let name): .group(name)
        }
    }
}

extension BusAddress {
    /// Who may create lists where the configuration does not say.
    fileprivate var defaultCreators: Creators { self == .system ? .administrators : .any }
}

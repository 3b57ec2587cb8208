// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

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
            if case .plugin(let plugin, _, _) = list.options.source { try await service.plugins.revive(plugin) }
            // With a fault in a section controller only the source's own are looked for.
            var options = list.options
            if !faults.isEmpty { options.sectionControllers = AdapterOptions().sectionControllers }
            let parts = try await service.makeParts(of: options, limits: limits.bulk)
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
            _ = try await service.plugins.sectionControllers(for: controllers)
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
        if let stored = setApart[name], list.continues(stored.adapter) {
            setApart[name] = nil
            return await restore(stored, as: list, prepared.parts)
        }
        if setApart.removeValue(forKey: name) != nil { forget(list.name) }
        _ = try await service.makeAdapter(
            name: list.name, options: list.options, access: list.access, parts: prepared.parts)
        log.info("the list \(list.name) is made as \(list.file) says", .adapter(list.name), .file(list.file))
    }
}

extension Log {
    /// Says what is wrong with the configuration.
    func say(_ fault: ConfigurationFault) {
        error("\(fault)", .file(fault.place.file), event: .configurationFault)
    }

    /// Says what stands in the way of a list.
    func say(_ fault: ConfigurationFault, ofList name: String) {
        error("\(fault)", .adapter(name), .file(fault.place.file), event: .configurationFault)
    }
}

extension ConfigurationFault {
    /// What went wrong with something that a file asks for, with the cause of it.
    init(place: ConfigurationPlace, _ error: ListError) {
        self.init(place: place, message: error.reason)
    }
}

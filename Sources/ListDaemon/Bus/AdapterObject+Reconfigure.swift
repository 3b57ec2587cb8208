internal import DBus
@_spi(Daemon) internal import ListKit

extension AdapterObject {
    /// Takes other options over; the objects stay, wherever the section controllers are from now on.
    ///
    /// - Parameter controllers: the section controllers, if they are others than before.
    /// - Throws: why the engine did not take them; everything is as it was then.
    func reconfigure(
        _ new: AdapterOptions, access: AdapterAccess, controllers: SectionControllerTable?
    ) async throws(ListError) {
        try await configureHost(new, access: access, controllers: controllers)
        adopt(new, access: access)
        propertiesChanged(["Options"])
        try await store(new)
    }

    /// Lets other section controllers show the list, wherever they are; the objects stay.
    func configureHost(
        _ new: AdapterOptions, access: AdapterAccess, controllers: SectionControllerTable?
    ) async throws(ListError) {
        let configuration = new.configuration(named: name)
        if let controllers, let worker = controllers.worker, let present = host as? AdapterHost {
            await move(from: present) { [service] legacy, sink in
                let next = GuardedHost(
                    configuration: configuration, controllers: controllers, objects: legacy.objects,
                    revision: legacy.revision, changes: legacy.changes, account: service.account(of: access),
                    isStored: legacy.isStored, views: legacy.views, selection: legacy.selection, wasHosted: true,
                    times: service.callbackTimes, sink: sink)
                worker.host(next)
                return next
            }
        } else {
            try await ask { id in .configure(id, configuration, controllers) }
        }
    }

    /// Has the list stored as its options say, from now on.
    private func store(_ options: AdapterOptions) async throws(ListError) {
        let wasStored = stored.isStored
        if wasStored, options.durability == .memory { try await ask { id in .keep(id, false) } }
        try await stored.take(try Fields(options.values), durability: options.durability)
        if !wasStored, stored.isStored { try await ask { id in .keep(id, true) } }
    }

    private func ask(_ command: (RequestID) -> AdapterCommand) async throws(ListError) {
        let outcome = await withCheckedContinuation { continuation in
            request({ continuation.resume(returning: $0) }, command)
        }
        _ = try outcome.get()
    }
}

/// A provider of section controllers that can be exchanged while the list lives.
final class ExchangeableProvider: ListSectionControllerProvider {
    /// Who answers now.
    private var current: any ListSectionControllerProvider
    /// Whether any of them comes from a plugin.
    private(set) var usesPlugins: Bool

    init(_ table: SectionControllerTable) {
        current = table.makeProvider()
        usesPlugins = table.usesPlugins
    }

    /// Lets others answer from now on.
    func exchange(_ table: SectionControllerTable) {
        current = table.makeProvider()
        usesPlugins = table.usesPlugins
    }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        current.sectionControllerKind(forType: type)
    }
}

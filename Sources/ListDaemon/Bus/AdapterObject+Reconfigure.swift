internal import DBus
@_spi(Daemon) internal import ListKit

extension AdapterObject {
    /// Takes other options over; the objects stay.
    ///
    /// - Parameter controllers: the section controllers, if they are others than before.
    /// - Throws: why the engine did not take them; everything is as it was then.
    func reconfigure(
        _ new: AdapterOptions, access: AdapterAccess, controllers: SectionControllerTable?
    ) async throws(ListError) {
        let configuration = new.configuration(named: name)
        let outcome = await withCheckedContinuation { continuation in
            request {
                continuation.resume(returning: $0)
            } _: { id in
                .configure(id, configuration, controllers)
            }
        }
        _ = try outcome.get()
        adopt(new, access: access)
        propertiesChanged(["Options"])
    }
}

/// A provider of section controllers that can be exchanged while the list lives.
final class ExchangeableProvider: ListSectionControllerProvider {
    /// Who answers now.
    var current: any ListSectionControllerProvider

    init(_ table: SectionControllerTable) {
        current = table.makeProvider()
    }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        current.sectionControllerKind(forType: type)
    }
}

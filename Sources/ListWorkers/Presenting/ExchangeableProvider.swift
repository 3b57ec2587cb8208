// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

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

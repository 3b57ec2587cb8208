// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// A provider of section controllers that delegates to another provider, which can be exchanged while the list is open.
final class ExchangeableProvider: ListSectionControllerProvider {
    /// The provider in use.
    private var current: any ListSectionControllerProvider
    /// Whether any of its section controllers comes from a plugin.
    private(set) var usesPlugins: Bool

    init(_ table: SectionControllerTable) {
        current = table.makeProvider()
        usesPlugins = table.usesPlugins
    }

    /// Uses the section controllers of another table from now on.
    func replaceTable(with table: SectionControllerTable) {
        current = table.makeProvider()
        usesPlugins = table.usesPlugins
    }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        current.sectionControllerKind(forType: type)
    }
}

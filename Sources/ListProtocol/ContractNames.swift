// SPDX-License-Identifier: Apache-2.0

/// The names of listd's service and interfaces on a bus (docs/rules/contract.md, "Names"). `ObjectPath` creates the
/// paths.
package enum ObjectNames {
    /// The well-known name that the daemon owns.
    package static let service = "org.listd.Listd1"
    /// The interface of the manager.
    package static let manager = service + ".Manager"
    /// The interface of a list.
    package static let adapter = service + ".Adapter"
    /// The interface of a view.
    package static let view = service + ".View"
    /// The interface of a plugin.
    package static let plugin = service + ".Plugin"
    /// The prefix of listd's own error names.
    package static let errorPrefix = service + ".Error."
    /// The maximum length of an adapter's or a plugin's name in bytes.
    package static let longestName = 255
}

/// The name of an option of a list on the bus: a key of the `CreateAdapter` argument and of the property `Options`.
///
/// The daemon's `AdapterOptions` declares where each value is stored and which values are valid. listctl uses these
/// names and types to parse and complete options.
package enum ListOption: String, Sendable, CaseIterable {
    case source
    case sectionControllers = "section-controllers"
    case layout
    case direction
    case stickyHeaders = "sticky-headers"
    case stretchToEdge = "stretch-to-edge"
    case showHeaderWhenEmpty = "show-header-when-empty"
    case topContentInset = "top-content-inset"
    case stickyHeaderOffset = "sticky-header-offset"
    case workingRange = "working-range"
    case nearEndDistance = "near-end-distance"
    case updater
    case reloadThreshold = "reload-threshold"
    case sectionMovesAsDeletesInserts = "section-moves-as-deletes-inserts"
    case preferItemReloads = "prefer-item-reloads"
    case minimalMoves = "minimal-moves"
    case coalesceMinimum = "coalesce-min"
    case coalesceMaximum = "coalesce-max"
    case coalesceIncrement = "coalesce-increment"
    case durability
    case empty
    case hints
    case readers
    case writers
    case invokers
    case identify
    case transient

    /// The D-Bus type of the value.
    package var type: OptionValueType {
        switch self {
        case .source, .layout, .direction, .updater, .durability, .readers, .writers, .invokers, .identify: .text
        case .stickyHeaders, .stretchToEdge, .showHeaderWhenEmpty, .sectionMovesAsDeletesInserts, .preferItemReloads,
            .minimalMoves, .transient:
            .flag
        case .workingRange, .reloadThreshold, .coalesceMinimum, .coalesceMaximum, .coalesceIncrement: .count
        case .topContentInset, .stickyHeaderOffset, .nearEndDistance: .number
        case .sectionControllers, .hints: .texts
        case .empty: .fields
        }
    }
}

/// The type of an option's value, with its D-Bus signature.
package enum OptionValueType: String, Sendable {
    /// A string.
    case text = "s"
    /// A boolean.
    case flag = "b"
    /// A non-negative integer.
    case count = "u"
    /// A floating-point number.
    case number = "d"
    /// A dictionary of strings.
    case texts = "a{ss}"
    /// A dictionary of values of any type.
    case fields = "a{sv}"
}

/// The version of listd and of listctl, which are built together.
package enum Version {
    /// The version, as `--version` and `listctl version` print it and `Manager.Version` returns it.
    package static let text = "0.1.0"
}

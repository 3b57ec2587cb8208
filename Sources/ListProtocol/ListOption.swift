// SPDX-License-Identifier: Apache-2.0

/// An option of a list, by its name on the bus: a member of the argument of `CreateAdapter` and of the property `Options`.
///
/// The daemon's `AdapterOptions` says where the value is kept and what it may be; listctl reads and completes what is here.
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
    case transient

    /// The D-Bus type of the value.
    package var type: OptionValueType {
        switch self {
        case .source, .layout, .direction, .updater, .durability, .readers, .writers, .invokers: .text
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

/// The type of an option's value, by its D-Bus signature.
package enum OptionValueType: String, Sendable {
    /// A string.
    case text = "s"
    /// A truth value.
    case flag = "b"
    /// A whole number that is not negative.
    case count = "u"
    /// A floating-point number.
    case number = "d"
    /// Strings by name.
    case texts = "a{ss}"
    /// Values of any type by name.
    case fields = "a{sv}"
}

// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import ListProtocol
package import PluginAPI

/// The options of an adapter, from `CreateAdapter` or from a configuration file (docs/rules/contract.md, "Contents and
/// options").
package struct AdapterOptions: Sendable, Equatable {
    /// Where the objects come from.
    package var source = SourceName.push
    /// Section controllers by the types of objects; `*` is for all other types.
    package var sectionControllers = ["*": "listd/single"]
    /// The layout of views that choose none.
    package var layout = ListLayoutKind.flow
    /// The axis along which the list scrolls.
    package var direction = ScrollDirection.vertical
    /// Whether headers stay at the edge of the viewport while their section is passed.
    package var stickyHeaders = false
    /// Whether the last item of a row grows to the edge.
    package var stretchToEdge = false
    /// Whether sections without items show their header and footer.
    package var showHeaderWhenEmpty = false
    /// Added to the scroll offset for sticky headers, in points.
    package var topContentInset: Double = 0
    /// Likewise; the one meant to change while scrolling.
    package var stickyHeaderOffset: Double = 0
    /// The working range, in sections on both sides.
    package var workingRange = 0
    /// How near the end of the list counts as near, in points (layout `none`: items); 0 = never.
    package var nearEndDistance: Double = 0
    /// How changes are announced.
    package var updater = ListAdapter.Updater.batch
    /// More section changes than this are announced as a reload; 0 = only when the signal would pass 64 KiB.
    package var reloadThreshold = 0
    /// Whether moves are announced as a delete and an insert.
    package var sectionMovesAsDeletesInserts = false
    /// Whether a section that only reloads is announced as item reloads.
    package var preferItemReloads = false
    /// The fewest moves instead of IGListKit's.
    package var minimalMoves = false
    /// The least time between flushes, in milliseconds.
    package var coalesceMinimum = 0
    /// The most that this time grows to, in milliseconds.
    package var coalesceMaximum = 0
    /// By how much it grows, in milliseconds.
    package var coalesceIncrement = 0
    /// What an acknowledged update survives.
    package var durability = Durability.disk
    /// The content of the empty view.
    package var empty = Fields()
    /// Hints for showing fields, which override those of the source.
    package var hints: [String: FieldHint] = [:]
    /// Who may read.
    package var readers = AccessRule.any
    /// Who may write.
    package var writers = AccessRule.owner
    /// Who may invoke actions.
    package var invokers = AccessRule.owner
    /// Whether the list is removed when the connection that created it leaves.
    package var transient = false

    /// Makes the contract's defaults.
    package init() {}

    /// Reads the options of a call.
    ///
    /// - Throws: `invalidArguments`, naming the option at fault.
    package init(_ values: [String: Value]) throws(ListError) {
        self = try Self.table.decode(values, into: AdapterOptions())
    }

    /// All options, as the property `Options` shows them.
    package var values: [String: Value] { Self.table.encode(self) }

    /// The contract's table.
    package static let table = OptionTable<AdapterOptions>(ListOption.allCases.map(entry))

    /// The property of an option, and its allowed values.
    private static func entry(for option: ListOption) -> OptionTable<AdapterOptions>.Entry {
        let name = option.rawValue
        return switch option {
        case .source: .init(name, \.source, .sourceName)
        case .sectionControllers: .init(name, \.sectionControllers, .sectionControllers)
        case .layout: .init(name, \.layout, .word)
        case .direction: .init(name, \.direction, .direction)
        case .stickyHeaders: .init(name, \.stickyHeaders, .flag)
        case .stretchToEdge: .init(name, \.stretchToEdge, .flag)
        case .showHeaderWhenEmpty: .init(name, \.showHeaderWhenEmpty, .flag)
        case .topContentInset: .init(name, \.topContentInset, .real)
        case .stickyHeaderOffset: .init(name, \.stickyHeaderOffset, .real)
        case .workingRange: .init(name, \.workingRange, .number)
        case .nearEndDistance: .init(name, \.nearEndDistance, .distance)
        case .updater: .init(name, \.updater, .word)
        case .reloadThreshold: .init(name, \.reloadThreshold, .number)
        case .sectionMovesAsDeletesInserts: .init(name, \.sectionMovesAsDeletesInserts, .flag)
        case .preferItemReloads: .init(name, \.preferItemReloads, .flag)
        case .minimalMoves: .init(name, \.minimalMoves, .flag)
        case .coalesceMinimum: .init(name, \.coalesceMinimum, .milliseconds)
        case .coalesceMaximum: .init(name, \.coalesceMaximum, .milliseconds)
        case .coalesceIncrement: .init(name, \.coalesceIncrement, .milliseconds)
        case .durability: .init(name, \.durability, .word)
        case .empty: .init(name, \.empty, .fields)
        case .hints: .init(name, \.hints, .hints)
        case .readers: .init(name, \.readers, .accessRule)
        case .writers: .init(name, \.writers, .accessRule)
        case .invokers: .init(name, \.invokers, .accessRule)
        case .transient: .init(name, \.transient, .flag)
        }
    }
}

/// What an acknowledged update survives.
package enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Nothing: adapter and objects are gone at exit.
    case memory
    /// A crash of listd.
    case disk
    /// A crash of the machine.
    case fsync
}

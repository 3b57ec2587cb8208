// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import ListProtocol
package import ListSources
package import PluginAPI

/// The options of an adapter, from `CreateAdapter` or from a configuration file (docs/rules/contract.md, "Contents
/// and options").
package struct AdapterOptions: Sendable, Equatable {
    /// The source of the objects.
    package var source = SourceName.push
    /// The section controllers by object type; `*` stands for all other types.
    package var sectionControllers = ["*": "listd/single"]
    /// The layout of views that do not choose one.
    package var layout = ListLayoutKind.flow
    /// The axis along which the list scrolls.
    package var direction = ScrollDirection.vertical
    /// Whether headers stay at the edge of the viewport while their section scrolls past it.
    package var stickyHeaders = false
    /// Whether the last item of a row is stretched to the edge.
    package var stretchToEdge = false
    /// Whether sections without items show their header and footer.
    package var showHeaderWhenEmpty = false
    /// The inset that is added to the scroll offset for sticky headers, in points.
    package var topContentInset: Double = 0
    /// A second offset for sticky headers in points, meant to be changed while scrolling.
    package var stickyHeaderOffset: Double = 0
    /// The size of the working range in sections, on each side.
    package var workingRange = 0
    /// The distance to the end of the list below which a viewport counts as near the end, in points (in items for the
    /// layout `none`); 0 for never.
    package var nearEndDistance: Double = 0
    /// How changes are announced.
    package var updater = ListAdapter.Updater.batch
    /// The number of section changes beyond which a reload is announced; 0 for a reload only when the signal would
    /// exceed 64 KiB.
    package var reloadThreshold = 0
    /// Whether moves are announced as a delete and an insert.
    package var sectionMovesAsDeletesInserts = false
    /// Whether the reload of a section is announced as reloads of its items.
    package var preferItemReloads = false
    /// Whether the number of moves is minimal, instead of the moves that IGListKit would compute.
    package var minimalMoves = false
    /// The minimum time between flushes, in milliseconds.
    package var coalesceMinimum = 0
    /// The maximum to which the time between flushes grows, in milliseconds.
    package var coalesceMaximum = 0
    /// The increment by which the time between flushes grows, in milliseconds.
    package var coalesceIncrement = 0
    /// The failures that an acknowledged update survives.
    package var durability = Durability.disk
    /// The content of the empty view.
    package var empty = Fields()
    /// Hints for displaying fields, which override those of the source.
    package var hints: [String: FieldHint] = [:]
    /// Who may read the list.
    package var readers = AccessRule.any
    /// Who may write to the list.
    package var writers = AccessRule.owner
    /// Who may invoke actions on items.
    package var invokers = AccessRule.owner
    /// The identifiers of objects that come without one.
    package var identify = Identify.none
    /// Whether the list is removed when the connection that created it ends.
    package var transient = false

    /// Creates the contract's defaults.
    package init() {}

    /// Decodes the options of a call.
    ///
    /// - Throws: `invalidArguments` that names the faulty option.
    package init(_ values: [String: Value]) throws(ListError) {
        self = try Self.table.decode(values, into: AdapterOptions())
    }

    /// The values of all options, as in the property `Options`.
    package var values: [String: Value] { Self.table.encode(self) }

    /// The table of all options, in the order of the contract.
    package static let table = OptionTable<AdapterOptions>(ListOption.allCases.map(entry))

    /// Returns the table entry of an option: its property and its type.
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
        case .identify: .init(name, \.identify, .word)
        case .transient: .init(name, \.transient, .flag)
        }
    }
}

/// The failures that an acknowledged update survives.
package enum Durability: String, Sendable, Hashable, CaseIterable {
    /// None: the adapter and its objects are lost when listd exits.
    case memory
    /// A crash of listd.
    case disk
    /// A crash of the machine.
    case fsync
}

extension AdapterOptions {
    /// Returns the configuration of the engine with these options.
    package func configuration(named name: String) -> ListAdapter.Configuration {
        var configuration = ListAdapter.Configuration(name: name)
        configuration.layout = layout
        configuration.direction = direction
        configuration.stickyHeaders = stickyHeaders
        configuration.stretchToEdge = stretchToEdge
        configuration.showHeaderWhenEmpty = showHeaderWhenEmpty
        configuration.topContentInset = topContentInset
        configuration.stickyHeaderOffset = stickyHeaderOffset
        configuration.workingRange = workingRange
        configuration.nearEndDistance = nearEndDistance
        configuration.updater = updater
        configuration.reloadThreshold = reloadThreshold
        configuration.sectionMovesAsDeletesInserts = sectionMovesAsDeletesInserts
        configuration.preferItemReloads = preferItemReloads
        configuration.minimalMoves = minimalMoves
        configuration.coalescing = ListAdapter.Coalescing(
            minimum: UInt64(coalesceMinimum), maximum: UInt64(coalesceMaximum), increment: UInt64(coalesceIncrement),
            usesMaximumWhenNotVisible: true)
        configuration.emptyContent = empty
        return configuration
    }
}

extension ListViewOptions {
    /// Decodes the options of `OpenView`.
    ///
    /// - Throws: `invalidArguments` that names the faulty option.
    package init(_ values: [String: Value]) throws(ListError) {
        self = try Self.table.decode(values, into: Self.standard)
    }

    /// The contract's defaults. A client has to acknowledge pictures, as it may draw more slowly than the list
    /// changes.
    private static let standard = {
        var options = ListViewOptions()
        options.window = 32
        options.windowBytes = 262_144
        return options
    }()

    /// Returns all options as in the view's property `Options`. Options that the client omitted have the adapter's
    /// values.
    package func values(inForceWith adapter: AdapterOptions) -> [String: Value] {
        var inForce = self
        inForce.layout = layout ?? adapter.layout
        inForce.lead = lead ?? adapter.workingRange
        inForce.trail = trail ?? adapter.workingRange
        return Self.table.encode(inForce)
    }

    /// The table of all options of a view.
    package static let table = OptionTable<ListViewOptions>([
        .init("layout", \.layout, .optionalWord()),
        .init("window", \.window, .optionalPositiveNumber),
        .init("window-bytes", \.windowBytes, .optionalNumber),
        .init("lead", \.lead, .optionalNumber),
        .init("trail", \.trail, .optionalNumber),
        .init("working-range-unit", \.workingRangeUnit, .word),
        .init("buffer", \.buffer, .distance),
        .init("overscan-items", \.overscanItems, .number),
        .init("fields", \.fields, .texts),
        .init("anchor", \.isAnchored, .flag),
        .init("anchor-at-start", \.isAnchoredAtStart, .flag),
        .init("scale", \.scale, .distance),
        .init("at", \.opening, .opening),
    ])
}

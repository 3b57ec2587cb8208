// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import ListProtocol
package import ListSources
package import PluginAPI

/// The options of an adapter, from `CreateAdapter` or from a configuration file (docs/rules/contract.md, "Contents
/// and options").
///
/// The options of the engine are members too, as in `options.layout`.
@dynamicMemberLookup
package struct AdapterOptions: Sendable, Equatable {
    /// The source of the objects.
    package var source = SourceName.push
    /// The section controllers by object type; `*` stands for all other types.
    package var sectionControllers = ["*": "listd/single"]
    /// The options of the engine, with the contract's defaults. Its name and ``ListOptions/coalescing`` are unused:
    /// ``configuration(named:)`` sets them.
    package var engine = {
        var engine = ListOptions()
        engine.reloadThreshold = 0
        return engine
    }()
    /// The minimum time between flushes, in milliseconds.
    package var coalesceMinimum = 0
    /// The maximum to which the time between flushes grows, in milliseconds.
    package var coalesceMaximum = 0
    /// The increment by which the time between flushes grows, in milliseconds.
    package var coalesceIncrement = 0
    /// The failures that an acknowledged update survives.
    package var durability = Durability.disk
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
    package static let table = OptionTable<AdapterOptions>(ListOption.allCases.map(row))

    /// Returns the row of an option: its property and its type.
    private static func row(for option: ListOption) -> OptionTable<AdapterOptions>.Row {
        let name = option.rawValue
        return switch option {
        case .source: .init(name, \.source, .sourceName)
        case .sectionControllers: .init(name, \.sectionControllers, .sectionControllers)
        case .layout: .init(name, \.engine.layout, .word)
        case .direction: .init(name, \.engine.layoutConfiguration.direction, .direction)
        case .stickyHeaders: .init(name, \.engine.layoutConfiguration.stickyHeaders, .flag)
        case .stretchToEdge: .init(name, \.engine.layoutConfiguration.stretchToEdge, .flag)
        case .showHeaderWhenEmpty: .init(name, \.engine.layoutConfiguration.showHeaderWhenEmpty, .flag)
        case .topContentInset: .init(name, \.engine.layoutConfiguration.topContentInset, .real)
        case .stickyHeaderOffset: .init(name, \.engine.layoutConfiguration.stickyHeaderOffset, .real)
        case .workingRange: .init(name, \.engine.workingRange, .number)
        case .nearEndDistance: .init(name, \.engine.nearEndDistance, .distance)
        case .updater: .init(name, \.engine.updater, .word)
        case .reloadThreshold: .init(name, \.engine.reloadThreshold, .number)
        case .sectionMovesAsDeletesInserts: .init(name, \.engine.sectionMovesAsDeletesInserts, .flag)
        case .preferItemReloads: .init(name, \.engine.preferItemReloads, .flag)
        case .minimalMoves: .init(name, \.engine.minimalMoves, .flag)
        case .coalesceMinimum: .init(name, \.coalesceMinimum, .milliseconds)
        case .coalesceMaximum: .init(name, \.coalesceMaximum, .milliseconds)
        case .coalesceIncrement: .init(name, \.coalesceIncrement, .milliseconds)
        case .durability: .init(name, \.durability, .word)
        case .empty: .init(name, \.engine.emptyContent, .fields)
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
    package subscript<Content>(dynamicMember path: WritableKeyPath<ListOptions, Content>) -> Content {
        get { engine[keyPath: path] }
        set { engine[keyPath: path] = newValue }
    }

    /// Returns the options of the engine of a list with the given name.
    package func configuration(named name: String) -> ListOptions {
        var options = engine
        options.name = name
        options.coalescing = ListOptions.Coalescing(
            minimum: UInt64(coalesceMinimum), maximum: UInt64(coalesceMaximum), increment: UInt64(coalesceIncrement),
            usesMaximumWhenNotVisible: true)
        return options
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

    package static let table = OptionTable<ListViewOptions>([
        .init("layout", \.layout, .optionalWord()),
        .init("window", \.window, .optionalPositiveNumber),
        .init("window-bytes", \.windowBytes, .optionalNumber),
        .init("lead", \.lead, .optionalNumber),
        .init("trail", \.trail, .optionalNumber),
        .init("working-range-unit", \.workingRangeUnit, .word),
        .init("buffer", \.buffer, .distance),
        .init("prefetch", \.prefetch, .distance),
        .init("overscan-items", \.overscanItems, .number),
        .init("range-at", \.rangeAt, .word),
        .init("fields", \.fields, .texts),
        .init("anchor", \.isAnchored, .flag),
        .init("anchor-at-start", \.isAnchoredAtStart, .flag),
        .init("scale", \.scale, .distance),
        .init("at", \.opening, .opening),
    ])
}

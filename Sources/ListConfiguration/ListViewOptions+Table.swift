// SPDX-License-Identifier: Apache-2.0

package import ListKit

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

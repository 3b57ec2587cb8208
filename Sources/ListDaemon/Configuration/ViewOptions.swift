package import ListKit

/// How a view looks at an adapter (the contract's chapter "Viewing", `OpenView`).
package struct ViewOptions: Sendable, Equatable {
    /// The layout; nil = the adapter's.
    package var layout: LayoutKind?
    /// How many pictures may be unacknowledged.
    package var window = 32
    /// How many bytes of pictures may be unacknowledged.
    package var windowBytes = 262_144
    /// The working range after the visible sections; nil = the adapter's.
    package var lead: Int?
    /// The working range before the visible sections; nil = the adapter's.
    package var trail: Int?
    /// How far beyond the viewport items count as shown.
    package var buffer: Double = 20
    /// How many items beyond the visible range count as shown; layout `none` only.
    package var overscanItems = 0
    /// The keys of contents that the view is sent; empty = all.
    package var fields: [String] = []
    /// Whether what is on the screen keeps its place.
    package var anchor = true
    /// Whether it does so at the very start of the content too.
    package var anchorAtStart = false
    /// Device pixels per unit; 0 = no rounding.
    package var scale: Double = 0

    /// Makes the contract's defaults.
    package init() {}

    /// Reads the options of a call.
    ///
    /// - Throws: `invalidArguments`, naming the option at fault.
    package init(_ values: [String: Value]) throws(ListError) {
        self = try Self.table.decode(values, into: ViewOptions())
    }

    /// All options, as the property `Options` shows them.
    package var values: [String: Value] { Self.table.encode(self) }

    /// The contract's table.
    package static let table = OptionTable<ViewOptions>([
        .init("window", \.window, .number),
        .init("window-bytes", \.windowBytes, .number),
        .init("lead", \.lead, .optionalNumber),
        .init("trail", \.trail, .optionalNumber),
        .init("buffer", \.buffer, .distance),
        .init("overscan-items", \.overscanItems, .number),
        .init("fields", \.fields, .texts),
        .init("anchor", \.anchor, .flag),
        .init("anchor-at-start", \.anchorAtStart, .flag),
        .init("scale", \.scale, .distance),
    ])
}

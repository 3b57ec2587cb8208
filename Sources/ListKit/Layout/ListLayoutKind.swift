// SPDX-License-Identifier: Apache-2.0

/// A kind of layout: its name in options, and a function that makes a layout.
///
/// A program adds a kind of its own by making it and setting it as ``ListOptions/layout`` or
/// ``ListViewOptions/layout``. Two kinds with the same name are equal.
public struct ListLayoutKind: RawRepresentable, CaseIterable, Sendable, Hashable, CustomStringConvertible {
    /// All built-in kinds, which are the ones that options can name.
    public static let allCases: [ListLayoutKind] = [.flow, .absolute, .none]

    /// The name.
    public let rawValue: String
    /// Whether the layout reads placements of items instead of sizes.
    public let usesPlacements: Bool
    private let make: @Sendable (LayoutConfiguration) -> any ListLayout

    /// Makes a kind.
    ///
    /// - Parameters:
    ///   - name: the name, which must differ from those of the built-in kinds.
    ///   - usesPlacements: whether the layout reads placements of items instead of sizes.
    ///   - make: makes a layout without sections. Called whenever a view opens and whenever an option of layouts
    ///     changes.
    public init(
        name: String, usesPlacements: Bool = false,
        make: @escaping @Sendable (LayoutConfiguration) -> any ListLayout
    ) {
        rawValue = name
        self.usesPlacements = usesPlacements
        self.make = make
    }

    /// Finds the built-in kind with a name; `nil` if there is none.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Makes a layout without sections.
    public func makeLayout(_ configuration: LayoutConfiguration) -> any ListLayout { make(configuration) }

    /// The name.
    public var description: String { rawValue }

    /// Returns whether two kinds have the same name.
    public static func == (one: ListLayoutKind, other: ListLayoutKind) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// The layout of views whose viewers compute the layout themselves and report the visible items.
///
/// The layout stores nothing and returns the values of an empty list.
public struct NoLayout: ListLayout {
    /// Makes the layout.
    public init() {}

    /// The scroll axis: vertical.
    public var direction: ScrollDirection { .vertical }
    /// The number of sections: zero.
    public var numberOfSections: Int { 0 }
    /// The size of the content: zero.
    public var contentSize: Size { .zero }
    /// Whether ``attributes(in:origin:)`` returns elements section by section: true.
    public var ordersBySection: Bool { true }
    /// Whether views keep visible items in place: false.
    public var supportsAnchoring: Bool { false }

    /// Does nothing.
    public mutating func prepare(_ source: some LayoutSource, container: Size) {}
    /// Does nothing and returns false.
    @discardableResult
    public mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool { false }
    /// Does nothing and returns false.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool { false }
    /// Returns `nil`.
    public func itemCount(ofSection section: Int) -> Int? { nil }
    /// Returns no elements.
    public func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] { [] }
    /// Returns `nil`.
    public func attributes(ofItem path: IndexPath) -> LayoutAttributes? { nil }
    /// Returns `nil`.
    public func item(at point: Point) -> IndexPath? { nil }
    /// Returns nothing, as no frame depends on the viewport.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation { .nothing }
}

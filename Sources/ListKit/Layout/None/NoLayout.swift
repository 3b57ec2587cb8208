// SPDX-License-Identifier: Apache-2.0

extension ListLayoutKind {
    /// The viewer computes the layout; frames are zero.
    public static let none = ListLayoutKind(name: "none") { _ in NoLayout() }
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

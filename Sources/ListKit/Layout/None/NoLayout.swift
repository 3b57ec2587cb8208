// SPDX-License-Identifier: Apache-2.0

extension ListLayoutKind {
    /// The viewer lays out; frames are zero.
    public static let none = ListLayoutKind(name: "none") { _ in NoLayout() }
}

/// The layout of views whose viewers lay out by themselves and name the items that they show.
///
/// It keeps nothing: its answers are those of an empty list.
public struct NoLayout: ListLayout {
    /// Makes the layout.
    public init() {}

    /// Vertical.
    public var direction: ScrollDirection { .vertical }
    /// Zero.
    public var numberOfSections: Int { 0 }
    /// Zero.
    public var contentSize: Size { .zero }
    /// Whether ``attributes(in:origin:)`` answers section by section: true.
    public var ordersBySection: Bool { true }
    /// Whether views keep visible items in place: false.
    public var supportsAnchoring: Bool { false }

    /// Does nothing.
    public mutating func prepare(_ source: some LayoutSource, container: Size) {}
    /// Does nothing; false.
    @discardableResult
    public mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool { false }
    /// Does nothing; false.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool { false }
    /// `nil`.
    public func itemCount(ofSection section: Int) -> Int? { nil }
    /// Nothing.
    public func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] { [] }
    /// `nil`.
    public func attributes(ofItem path: IndexPath) -> LayoutAttributes? { nil }
    /// `nil`.
    public func item(at point: Point) -> IndexPath? { nil }
    /// What a change of the viewport requires: nothing.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation { .nothing }
}

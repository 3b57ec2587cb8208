// SPDX-License-Identifier: Apache-2.0

/// Where everything in a list lies.
///
/// A layout is a value. ``prepare(_:container:)``, ``update(_:source:)`` and ``resize(_:source:)`` ask a ``LayoutSource`` about
/// the list and keep what the layout needs; queries ask nothing. Views keep copies over changes, so storage should be shared
/// in parts.
///
/// ```swift
/// var layout = FlowLayout(LayoutConfiguration())
/// layout.prepare(source, container: viewport.size)
/// layout.attributes(in: viewport, origin: viewport.origin)      // what is on the screen
/// layout.update(LayoutChanges(inserts: [3]), source: source)    // after the list changed
/// ```
///
/// ``ListLayoutKind`` names a layout for the options of lists and views.
public protocol ListLayout: Sendable {
    /// The axis along which the list scrolls.
    var direction: ScrollDirection { get }

    /// How many sections the layout knows.
    var numberOfSections: Int { get }

    /// The size of the whole content, in points; zero without sections.
    var contentSize: Size { get }

    /// Whether ``attributes(in:origin:)`` answers section by section, header first and footer last; views sort its answers
    /// where it does not. Default: false.
    var ordersBySection: Bool { get }

    /// Whether views scroll to keep visible items in place when the list changes before them
    /// (``ListViewOptions/isAnchored``). Default: true.
    var supportsAnchoring: Bool { get }

    /// Lays the whole list out in a container of the given size, in points.
    ///
    /// Called at first, when the container's size changes (rule LY-47) and when everything is reloaded.
    mutating func prepare(_ source: some LayoutSource, container: Size)

    /// Follows one transaction of the list.
    ///
    /// The source answers for the list after it. The result is that of ``prepare(_:container:)``, for sections that are
    /// named in the changes or whose answers are the same as before. Built-in layouts: O(changes · log n) as a rule; a
    /// section that makes all rows after it break elsewhere costs up to O(n).
    ///
    /// - Returns: whether anything lies elsewhere than before, or may.
    @discardableResult
    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool

    /// Asks again for the sizes or placements of single items, as after a client measured them.
    ///
    /// Paths that name no item are ignored. Default: the items' sections are reloaded.
    ///
    /// - Returns: whether anything lies elsewhere than before, or may.
    @discardableResult
    mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool

    /// How many items a section has; `nil` past the last section.
    func itemCount(ofSection section: Int) -> Int?

    /// The elements whose frames overlap a rectangle with area.
    ///
    /// - Parameters:
    ///   - rect: in content coordinates; it may be larger than the viewport.
    ///   - origin: the viewport's, where headers stick.
    func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes]

    /// Where an item lies; `nil` if there is none at the path.
    func attributes(ofItem path: IndexPath) -> LayoutAttributes?

    /// Where a section's header or footer lies; `nil` if it has none, which is the default.
    ///
    /// - Parameter origin: the viewport's, for where a sticky header is; `nil` = where it is at rest.
    func attributes(of kind: ElementKind, section: Int, origin: Point?) -> LayoutAttributes?

    /// The item at a point; the right and bottom edges of a frame do not belong to it.
    func item(at point: Point) -> IndexPath?

    /// The first and the last section whose bounds overlap a rectangle, `nil` if none does (rule LY-45).
    ///
    /// Default: those of the elements that overlap it.
    func sections(in rect: Rect) -> ClosedRange<Int>?

    /// What a change of the viewport requires (rules LY-01, LY-47).
    ///
    /// Default: everything for another size, otherwise nothing.
    func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation
}

extension ListLayout {
    /// Whether ``attributes(in:origin:)`` answers section by section: false.
    public var ordersBySection: Bool { false }

    /// Whether views keep visible items in place: true.
    public var supportsAnchoring: Bool { true }

    /// Reloads the sections of the items.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool {
        update(LayoutChanges(reloads: Set(items.map(\.section)).sorted()), source: source)
    }

    /// Where a section's header or footer lies at rest; `nil` if it has none.
    public func attributes(of kind: ElementKind, section: Int) -> LayoutAttributes? {
        attributes(of: kind, section: section, origin: nil)
    }

    /// `nil`: no section has a header or footer.
    public func attributes(of kind: ElementKind, section: Int, origin: Point?) -> LayoutAttributes? { nil }

    /// The first and the last section of the elements that overlap a rectangle.
    public func sections(in rect: Rect) -> ClosedRange<Int>? {
        let sections = attributes(in: rect, origin: rect.origin).map(\.path.section)
        guard let first = sections.min(), let last = sections.max() else { return nil }
        return first...last
    }

    /// Everything for another size, otherwise nothing.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation {
        old.size == new.size ? .nothing : .everything
    }
}

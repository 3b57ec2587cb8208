// SPDX-License-Identifier: Apache-2.0

/// A layout of a list: it computes the frames of all items, headers and footers.
///
/// A layout is a value type. ``prepare(_:container:)``, ``update(_:source:)`` and ``resize(_:source:)`` read the list
/// from a ``LayoutSource`` and store what the layout needs. Queries use only the stored values. Views keep copies of
/// the layout during changes, so copies should share most of their storage.
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

    /// The number of sections in the layout.
    var numberOfSections: Int { get }

    /// The size of the whole content, in points; zero without sections.
    var contentSize: Size { get }

    /// Whether ``attributes(in:origin:)`` returns elements section by section, header first and footer last. If not,
    /// views sort the elements. Default: false.
    var ordersBySection: Bool { get }

    /// Whether views scroll to keep visible items in place when the list changes before them
    /// (``ListViewOptions/isAnchored``). Default: true.
    var supportsAnchoring: Bool { get }

    /// Lays out the whole list in a container of the given size, in points.
    ///
    /// Called before all other functions, and again whenever the size of the container changes (rule LY-47) or
    /// everything is reloaded.
    mutating func prepare(_ source: some LayoutSource, container: Size)

    /// Lays out the sections that the layout has in a container of another size, without reading the list. Called
    /// instead of ``prepare(_:container:)`` if nothing that the source returned depends on the size of the container.
    ///
    /// - Returns: false if the layout cannot do that. Then it is prepared again. Default: false.
    mutating func setContainer(_ container: Size) -> Bool

    /// Updates the layout after one transaction of the list.
    ///
    /// The source returns the values after the transaction. The result equals that of ``prepare(_:container:)``,
    /// provided that the changes contain every section whose values differ. Built-in layouts usually need O(changes ·
    /// log n); a section that changes the breaks of all rows after it costs up to O(n).
    ///
    /// - Returns: true if a frame or a stacking order changed or may have changed.
    @discardableResult
    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool

    /// Reads the sizes or placements of single items again, such as after a client measured them.
    ///
    /// Paths without an item are ignored. Default: reloads the sections of the items.
    ///
    /// - Returns: true if a frame or a stacking order changed or may have changed.
    @discardableResult
    mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool

    /// Returns the number of items in a section; `nil` past the last section.
    func itemCount(ofSection section: Int) -> Int?

    /// Returns the elements whose frames overlap a rectangle. Touching edges do not count.
    ///
    /// - Parameters:
    ///   - rect: a rectangle in content coordinates, which may be larger than the viewport.
    ///   - origin: the origin of the viewport, at whose edge headers stick.
    func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes]

    /// Returns the attributes of an item; `nil` if the item does not exist.
    func attributes(ofItem path: IndexPath) -> LayoutAttributes?

    /// Returns the attributes of a section's header or footer; `nil` if the section lacks it. Default: `nil`.
    ///
    /// - Parameter origin: the origin of the viewport, for the frame of a sticky header; `nil` for the frame without
    ///   stickiness.
    func attributes(of kind: ElementKind, section: Int, origin: Point?) -> LayoutAttributes?

    /// Returns the item at a point. The right and bottom edges of a frame do not belong to the item.
    func item(at point: Point) -> IndexPath?

    /// Returns the first and the last section whose bounds overlap a rectangle; `nil` if no section does (rule
    /// LY-45).
    ///
    /// Default: the sections of the elements that overlap the rectangle.
    func sections(in rect: Rect) -> ClosedRange<Int>?

    /// Returns the part of the layout that a change of the viewport invalidates (rules LY-01, LY-47).
    ///
    /// Default: everything if the size changes, otherwise nothing.
    func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation
}

extension ListLayout {
    /// Whether ``attributes(in:origin:)`` returns elements section by section: false.
    public var ordersBySection: Bool { false }

    /// Whether views keep visible items in place: true.
    public var supportsAnchoring: Bool { true }

    /// Returns false, so that the layout is prepared again.
    public mutating func setContainer(_ container: Size) -> Bool { false }

    /// Reloads the sections of the items.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool {
        update(LayoutChanges(reloads: Set(items.map(\.section)).sorted()), source: source)
    }

    /// Returns the attributes of a section's header or footer without stickiness; `nil` if the section lacks it.
    public func attributes(of kind: ElementKind, section: Int) -> LayoutAttributes? {
        attributes(of: kind, section: section, origin: nil)
    }

    /// Returns `nil`, for layouts without headers and footers.
    public func attributes(of kind: ElementKind, section: Int, origin: Point?) -> LayoutAttributes? { nil }

    /// Returns the first and the last section of the elements that overlap a rectangle.
    public func sections(in rect: Rect) -> ClosedRange<Int>? {
        let sections = attributes(in: rect, origin: rect.origin).map(\.path.section)
        guard let first = sections.min(), let last = sections.max() else { return nil }
        return first...last
    }

    /// Returns everything if the size changes, otherwise nothing.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation {
        old.size == new.size ? .nothing : .everything
    }
}

/// The layout of one element: its frame and its stacking order.
public struct LayoutAttributes: Sendable, Hashable {
    /// The section and the item of the element. The item is 0 for headers and footers.
    public var path: IndexPath
    /// Whether the element is a cell, a header or a footer.
    public var kind: ElementKind
    /// The frame of the element in content coordinates.
    public var frame: Rect
    /// The stacking order. Of two overlapping elements, the one with the larger number is in front.
    public var zIndex: Int
    /// The first and the last position along the scroll axis between which a sticky element travels; `nil` for any other
    /// element.
    public var travel: ClosedRange<Double>?

    /// Makes attributes from their parts.
    public init(path: IndexPath, kind: ElementKind, frame: Rect, zIndex: Int) {
        self.path = path
        self.kind = kind
        self.frame = frame
        self.zIndex = zIndex
    }
}

/// The part of a layout that has to be computed again when the viewport moves or changes its size (rule LY-47).
@frozen public enum BoundsInvalidation: Sendable, Hashable {
    /// Nothing. All frames are unchanged.
    case nothing
    /// The sticky headers.
    case supplementaryViews
    /// The whole layout.
    case everything
}

/// The changes of sections in one transaction, for a layout.
///
/// `deletes` and the origins of `moves` are positions before the transaction. `inserts`, the targets of `moves` and
/// `reloads` are positions **after** it, because the layout reads these sections from its source. A section whose
/// items changed in number, order or size, or whose metrics changed, is a reload. Positions may be in any order.
/// Duplicates and positions out of range are ignored.
public struct LayoutChanges: Sendable, Hashable {
    /// The old positions of deleted sections.
    public var deletes: [Int]
    /// The new positions of inserted sections.
    public var inserts: [Int]
    /// The moves of sections.
    public var moves: [Move]
    /// The **new** positions of sections to read again.
    public var reloads: [Int]

    /// The move of a section.
    public struct Move: Sendable, Hashable {
        /// The old position.
        public var from: Int
        /// The new position.
        public var to: Int

        /// Makes a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Makes changes; without arguments, no changes.
    public init(deletes: [Int] = [], inserts: [Int] = [], moves: [Move] = [], reloads: [Int] = []) {
        self.deletes = deletes
        self.inserts = inserts
        self.moves = moves
        self.reloads = reloads
    }

    /// The number of changes.
    var count: Int { deletes.count + inserts.count + moves.count + reloads.count }
}

/// The changes of one transaction, validated and sorted.
struct SectionEdit: Sendable {
    /// The old positions of deleted and moved sections, ascending.
    let removals: [Int]
    /// The new positions of inserted and moved sections, ascending.
    let insertions: [Int]
    /// The new positions of reloaded sections, ascending.
    let reloads: [Int]

    /// Validates and sorts changes. Nil if they do not turn `oldCount` sections into `newCount`.
    init?(_ changes: LayoutChanges, from oldCount: Int, to newCount: Int) {
        removals = Self.sortedPositions(changes.deletes + changes.moves.map(\.from), below: oldCount)
        insertions = Self.sortedPositions(changes.inserts + changes.moves.map(\.to), below: newCount)
        let inserted = Set(insertions)
        reloads = Self.sortedPositions(changes.reloads, below: newCount).filter { !inserted.contains($0) }
        guard oldCount - removals.count + insertions.count == newCount else { return nil }
    }

    /// The number of changes.
    var count: Int { removals.count + insertions.count + reloads.count }

    private static func sortedPositions(_ positions: [Int], below count: Int) -> [Int] {
        Set(positions).filter { $0 >= 0 && $0 < count }.sorted()
    }
}

/// The settings of a layout, which are those of IGListCollectionViewLayout. Layout `flow` uses all of them.
///
/// Layout `absolute` uses only the direction.
public struct LayoutConfiguration: Sendable, Hashable {
    /// The axis along which rows follow each other.
    public var direction: ScrollDirection
    /// Whether headers stay at the edge of the viewport while their section scrolls by.
    public var stickyHeaders: Bool
    /// The distance in points that is added to the scroll offset for sticky headers only.
    public var topContentInset: Double
    /// A second distance in points that is added to the scroll offset for sticky headers. A program may change it
    /// during scrolling (IGListKit's `stickyHeaderYOffset`).
    public var stickyHeaderOffset: Double
    /// Whether the last item of a row is stretched to the edge if at most 1 point is left.
    public var stretchToEdge: Bool
    /// Whether sections without items show their header and footer.
    public var showHeaderWhenEmpty: Bool
    /// The insets of the whole content. They shorten the rows; frames stay in content coordinates.
    public var contentInset: EdgeInsets
    /// The number of device pixels per point, for rounding frames to whole pixels. 0 disables rounding; other values
    /// are clamped to 1/16…16.
    public var scale: Double

    /// Makes settings. By default everything is off and 0.
    public init(
        direction: ScrollDirection = .vertical, stickyHeaders: Bool = false, topContentInset: Double = 0,
        stickyHeaderOffset: Double = 0, stretchToEdge: Bool = false, showHeaderWhenEmpty: Bool = false,
        contentInset: EdgeInsets = .zero, scale: Double = 0
    ) {
        self.direction = direction
        self.stickyHeaders = stickyHeaders
        self.topContentInset = topContentInset
        self.stickyHeaderOffset = stickyHeaderOffset
        self.stretchToEdge = stretchToEdge
        self.showHeaderWhenEmpty = showHeaderWhenEmpty
        self.contentInset = contentInset
        self.scale = scale
    }
}

extension ListLayoutKind {
    /// The viewer computes the layout; frames are zero.
    public static let none = ListLayoutKind(name: "none") { _ in NoLayout() }
}

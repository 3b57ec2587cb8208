// SPDX-License-Identifier: Apache-2.0

/// The options of a list: the contract's adapter options that concern the engine, and those for library users.
public struct ListOptions: Sendable, Equatable {
    /// Names the list in descriptions and logs.
    public var name: String
    /// The layout of views that choose none.
    public var layout: ListLayoutKind = .flow
    /// The axis along which the list scrolls.
    public var direction: ScrollDirection = .vertical
    /// Whether headers stay at the edge of the viewport while their section is passed.
    public var stickyHeaders = false
    /// Whether the last item of a row grows to the edge when at most 1 point is left.
    public var stretchToEdge = false
    /// Whether sections without items show their header and footer.
    public var showHeaderWhenEmpty = false
    /// Added to the scroll offset for sticky headers, in points.
    public var topContentInset: Double = 0
    /// Added to the scroll offset for sticky headers too, in points; for changes during scrolling.
    public var stickyHeaderOffset: Double = 0
    /// The working range, in sections on both sides.
    public var workingRange = 0
    /// How changes are announced.
    public var updater: Updater = .batch
    /// More announced section changes than this are announced as a reload; 0 = only when the batches would pass 64 KiB.
    ///
    /// IGListKit's is 100.
    public var reloadThreshold = 0
    /// Whether section moves are announced as a delete and an insert.
    public var sectionMovesAsDeletesInserts = false
    /// Whether a section that only reloads and keeps its number of items is announced as item reloads, except in a transaction
    /// that also inserts, deletes or moves sections (rules UP-35 to UP-42).
    public var preferItemReloads = false
    /// Whether every section has one item, so that no item operation is announced (rules UP-31, UP-32).
    public var singleItemSectionUpdates = false
    /// Whether the diff finds the fewest moves instead of IGListKit's.
    public var minimalMoves = false
    /// How long requests are collected.
    public var coalescing = Coalescing()
    /// The number of objects, old and new together, from which the diff of a full list is returned as a ``DiffJob``; with fewer
    /// it runs at once.
    public var backgroundDiffThreshold = 4096
    /// The content of the empty view; no fields = there is none.
    public var emptyContent = Fields()
    /// When a list counts as empty.
    public var emptiness: Emptiness = .noItems
    /// The distance from its end at which the list announces that a view is near it, in points (layout `none`: items); 0 = never.
    public var nearEndDistance: Double = 0
    /// Whether an item is deselected again right after it was selected.
    public var deselectsAutomatically = false

    /// Makes the contract's defaults.
    public init(name: String = "") { self.name = name }
}

extension ListOptions {
    /// How changes are announced.
    @frozen public enum Updater: String, Sendable, Hashable, CaseIterable {
        /// As batches of what changed.
        case batch
        /// As a reload, even of the same objects: every section is asked again for its number of items, sizes, supplementary
        /// views and contents. Section controllers stay.
        ///
        /// An update costs O(sections). A reload of unknown objects and an item update without operations are no updates.
        case reload
    }

    /// When a list counts as empty.
    @frozen public enum Emptiness: String, Sendable, Hashable, CaseIterable {
        /// When it has no items, whatever objects and headers it has.
        case noItems
        /// When it has no objects.
        case noObjects
    }

    /// How long requests are collected, in milliseconds; all 0 = until the next turn of the executor.
    public struct Coalescing: Sendable, Hashable {
        /// The least time between the starts of two flushes.
        public var minimum: UInt64 = 0
        /// The longest time between flushes while requests keep coming.
        public var maximum: UInt64 = 0
        /// How much that time grows with each flush that had to wait.
        public var increment: UInt64 = 0
        /// Whether a list that no view shows always waits for the maximum.
        public var usesMaximumWhenNotVisible = false

        /// Makes the contract's defaults: no waiting.
        public init() {}

        /// Makes adaptive coalescing.
        public init(
            minimum: UInt64, maximum: UInt64, increment: UInt64, usesMaximumWhenNotVisible: Bool = false
        ) {
            self.minimum = minimum
            self.maximum = max(minimum, maximum)
            self.increment = increment
            self.usesMaximumWhenNotVisible = usesMaximumWhenNotVisible
        }

        /// Whether there is any waiting.
        var isAdaptive: Bool { maximum > 0 || minimum > 0 }
    }
}

extension ListOptions {
    /// Whether views have to be laid out again.
    func affectsLayout(comparedTo other: ListOptions) -> Bool {
        layout != other.layout || direction != other.direction || stickyHeaders != other.stickyHeaders
            || stretchToEdge != other.stretchToEdge || showHeaderWhenEmpty != other.showHeaderWhenEmpty
            || topContentInset != other.topContentInset || stickyHeaderOffset != other.stickyHeaderOffset
    }

    /// Whether views show something else, or have something else in range, in the same layout.
    func affectsViews(comparedTo other: ListOptions) -> Bool {
        emptyContent != other.emptyContent || emptiness != other.emptiness || workingRange != other.workingRange
    }
}

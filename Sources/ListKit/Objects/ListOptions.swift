// SPDX-License-Identifier: Apache-2.0

/// The options of a list: the adapter options of the D-Bus contract that concern the engine, and options for library
/// users.
///
/// The settings of the layout are members too, as in `options.stickyHeaders`.
@dynamicMemberLookup
public struct ListOptions: Sendable, Equatable {
    /// The name of the list in descriptions and logs.
    public var name: String
    /// The default layout, for views that do not choose a layout.
    public var layout: ListLayoutKind = .flow
    /// The settings of the layout, such as the axis and sticky headers. Its insets and scale are a view's
    /// (``ListViewOptions``).
    public var layoutConfiguration = LayoutConfiguration()
    /// The size of the working range, in sections before and after the visible ones.
    public var workingRange = 0
    /// The form in which changes are announced.
    public var updater: Updater = .batch
    /// The maximum number of section changes in batches. A transaction with more changes is announced as a reload.
    ///
    /// 0 = no maximum; then only a transaction with batches of more than 64 KiB is announced as a reload. The default
    /// is IGListKit's.
    public var reloadThreshold = 100
    /// Whether section moves are announced as a delete and an insert.
    public var sectionMovesAsDeletesInserts = false
    /// Whether the reload of a section with an unchanged number of items is announced as reloads of its items.
    ///
    /// A transaction that also inserts, deletes or moves sections is excepted (rules UP-35 to UP-42).
    public var preferItemReloads = false
    /// Whether every section has exactly one item, so that item changes are announced as section reloads (rules
    /// UP-31, UP-32).
    public var singleItemSectionUpdates = false
    /// Whether the diff finds the minimal moves instead of the moves that IGListKit would find.
    public var minimalMoves = false
    /// The time for which requests are collected before a flush.
    public var coalescing = Coalescing()
    /// The minimum number of objects, old and new together, for which a diff is returned as a ``DiffJob``.
    ///
    /// A diff of fewer objects is computed at once.
    public var backgroundDiffThreshold = 4096
    /// The content of the empty view; without fields, the list has no empty view.
    public var emptyContent = Fields()
    /// The rule by which the list counts as empty.
    public var emptiness: Emptiness = .noItems
    /// The distance from the end of the list at which a view counts as near the end, in points; in the layout
    /// `none`, in items.
    ///
    /// 0 = the list never announces that a view is near the end.
    public var nearEndDistance: Double = 0
    /// Whether an item is deselected directly after its selection.
    public var deselectsAutomatically = false

    /// Creates the options that IGListKit has by default.
    public init(name: String = "") { self.name = name }

    /// The axis along which the list scrolls, in ``layoutConfiguration``. Each scroll reads it, so it takes no key path.
    public var direction: ScrollDirection {
        get { layoutConfiguration.direction }
        set { layoutConfiguration.direction = newValue }
    }

    /// A setting of the layout, in ``layoutConfiguration``.
    public subscript<Content>(dynamicMember path: WritableKeyPath<LayoutConfiguration, Content>) -> Content {
        get { layoutConfiguration[keyPath: path] }
        set { layoutConfiguration[keyPath: path] = newValue }
    }
}

extension ListOptions {
    /// The forms in which changes are announced.
    @frozen public enum Updater: String, Sendable, Hashable, CaseIterable {
        /// Announces batches of changes.
        case batch
        /// Announces a reload, even if an update changes no object.
        ///
        /// Every section controller is kept and asked again for its number of items, sizes, supplementary views and
        /// contents. An update costs O(sections). The reload of an unknown object, and an item update that records no
        /// change, do not count as updates.
        case reload
    }

    /// The rules by which a list counts as empty.
    @frozen public enum Emptiness: String, Sendable, Hashable, CaseIterable {
        /// The list is empty if it has no items, even if it has objects and headers.
        case noItems
        /// The list is empty if it has no objects.
        case noObjects
    }

    /// The time for which requests are collected before a flush, in milliseconds.
    ///
    /// If all times are 0, requests are collected until the next turn of the executor.
    public struct Coalescing: Sendable, Hashable {
        /// The minimum time between the starts of two flushes.
        public var minimum: UInt64 = 0
        /// The maximum time between the starts of two flushes while requests keep arriving.
        public var maximum: UInt64 = 0
        /// The time by which the wait grows with each flush that was delayed.
        public var increment: UInt64 = 0
        /// Whether a list without a view on screen always waits for ``maximum``.
        public var usesMaximumWhenNotVisible = false

        /// Creates the default of the D-Bus contract: requests are collected until the next turn of the executor.
        public init() {}

        /// Creates adaptive coalescing, with the given times in milliseconds.
        public init(
            minimum: UInt64, maximum: UInt64, increment: UInt64, usesMaximumWhenNotVisible: Bool = false
        ) {
            self.minimum = minimum
            self.maximum = max(minimum, maximum)
            self.increment = increment
            self.usesMaximumWhenNotVisible = usesMaximumWhenNotVisible
        }

        /// Whether flushes may be delayed.
        var isAdaptive: Bool { maximum > 0 || minimum > 0 }
    }
}

extension ListOptions {
    /// Returns whether the difference between two sets of options requires a new layout of all views.
    func affectsLayout(comparedTo other: ListOptions) -> Bool {
        layout != other.layout || layoutConfiguration != other.layoutConfiguration
    }

    /// Returns whether the difference changes the empty view or the working range of views, in the same layout.
    func affectsViews(comparedTo other: ListOptions) -> Bool {
        emptyContent != other.emptyContent || emptiness != other.emptiness || workingRange != other.workingRange
    }
}

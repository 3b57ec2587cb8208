// SPDX-License-Identifier: Apache-2.0

/// The list as a layout reads it: numbers of items, metrics, sizes and placements.
///
/// The values come from section controllers and their traits, and from sizes that the client of a view measured.
/// During one call of a layout, the source must return the same value for the same argument. A layout stores the
/// values, and reads only the sections and items of a change again.
public protocol LayoutSource {
    /// The number of sections.
    var numberOfSections: Int { get }

    /// Returns the metrics of a section. Layout `absolute` uses only the number of items.
    func metrics(forSection section: Int) -> SectionMetrics

    /// Returns the metrics of a section, and the number of consecutive sections from it on that have the same
    /// metrics. The number may exceed 1 only if the metrics have one size for all items.
    ///
    /// Layout `flow` calls this function when it lays out everything, because reading a run costs less than
    /// reading its sections one by one.
    func run(fromSection section: Int) -> SectionRun

    /// Returns the size of an item. Not called if the section's metrics have one size for all items.
    func sizeForItem(at path: IndexPath) -> Size

    /// Returns the frame and the stacking order of an item. Called only by layouts whose kind uses placements
    /// (``ListLayoutKind/usesPlacements``).
    func placementOfItem(at path: IndexPath) -> ItemPlacement
}

extension LayoutSource {
    /// Returns a run of one section.
    public func run(fromSection section: Int) -> SectionRun {
        SectionRun(metrics: metrics(forSection: section), count: 1)
    }
}

/// A run of consecutive sections with the same metrics.
public struct SectionRun: Sendable, Hashable {
    /// The metrics of each section.
    public var metrics: SectionMetrics
    /// The number of sections, at least 1.
    public var count: Int

    /// Makes a run from its parts.
    public init(metrics: SectionMetrics, count: Int) {
        self.metrics = metrics
        self.count = count
    }
}

/// The frame and the stacking order of an item, for layouts that use placements.
public struct ItemPlacement: Sendable, Hashable {
    /// The frame in content coordinates. A frame with NaN or infinite numbers counts as empty.
    public var frame: Rect
    /// The stacking order. Of two overlapping items, the one with the larger number is in front.
    public var zIndex: Int

    /// Makes a placement from its parts.
    public init(frame: Rect, zIndex: Int = 0) {
        self.frame = frame
        self.zIndex = zIndex
    }
}

/// The geometry of one section, without the sizes of its items if they differ.
///
/// Lengths are in points. NaN and infinite numbers count as 0, and so do negative lengths and counts. Insets and
/// spacings may be negative, as in IGListKit; elements then overlap.
public struct SectionMetrics: Sendable, Hashable {
    /// The number of items. A layout places at most ``maximumItemCount`` of them.
    public var itemCount: Int
    /// The size of each item if all have the same size; otherwise nil. With this size, layouts do not read the sizes
    /// of single items.
    public var uniformItemSize: Size?
    /// The space around the section.
    public var inset: EdgeInsets
    /// The space between two rows (vertical) or columns (horizontal) of the section.
    public var lineSpacing: Double
    /// The space between two items of a row.
    public var interitemSpacing: Double
    /// The length of the header along the scroll axis; 0 for no header.
    public var headerLength: Double
    /// The length of the footer along the scroll axis; 0 for no footer.
    public var footerLength: Double

    /// The maximum number of items of one section in a layout.
    public static let maximumItemCount = 1 << 24

    /// Makes metrics. By default all lengths are 0 and the size of items is not uniform.
    public init(
        itemCount: Int, uniformItemSize: Size? = nil, inset: EdgeInsets = .zero, lineSpacing: Double = 0,
        interitemSpacing: Double = 0, headerLength: Double = 0, footerLength: Double = 0
    ) {
        self.itemCount = itemCount
        self.uniformItemSize = uniformItemSize
        self.inset = inset
        self.lineSpacing = lineSpacing
        self.interitemSpacing = interitemSpacing
        self.headerLength = headerLength
        self.footerLength = footerLength
    }
}

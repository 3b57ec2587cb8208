// SPDX-License-Identifier: Apache-2.0

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

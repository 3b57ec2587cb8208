// SPDX-License-Identifier: Apache-2.0

/// The geometry of one section besides the sizes of its items.
///
/// Lengths are points. NaN and infinite numbers count as 0, negative lengths and counts too; insets and spacings may be
/// negative, as in IGListKit, where elements then overlap.
public struct SectionMetrics: Sendable, Hashable {
    /// How many items the section has; a layout places at most ``maximumItemCount`` of them.
    public var itemCount: Int
    /// The size of every item, if they all have the same; layouts then do not ask about single items.
    public var uniformItemSize: Size?
    /// Space around the section.
    public var inset: EdgeInsets
    /// Space between two rows (vertical) or columns (horizontal) of the section.
    public var lineSpacing: Double
    /// Space after each item, before the next one on the same row.
    public var interitemSpacing: Double
    /// The header's length along the scroll axis; 0 = no header.
    public var headerLength: Double
    /// The footer's length along the scroll axis; 0 = no footer.
    public var footerLength: Double

    /// The most items that one section can have in a layout.
    public static let maximumItemCount = 1 << 24

    /// Makes metrics; the defaults are 0 and absent.
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

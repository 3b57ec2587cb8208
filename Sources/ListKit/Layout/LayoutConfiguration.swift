// SPDX-License-Identifier: Apache-2.0

/// What a layout is made with: the settings of IGListCollectionViewLayout, all of which layout `flow` follows.
///
/// Layout `absolute` follows the direction only.
public struct LayoutConfiguration: Sendable, Hashable {
    /// The axis along which rows follow each other.
    public var direction: ScrollDirection
    /// Whether headers stay at the edge of the viewport while their section scrolls by.
    public var stickyHeaders: Bool
    /// Added to the scroll offset for sticky headers only, in points.
    public var topContentInset: Double
    /// Added to the scroll offset for sticky headers too, for changes during scrolling (IGListKit's `stickyHeaderYOffset`).
    public var stickyHeaderOffset: Double
    /// Whether the last item of a row grows to the edge when at most 1 point is left.
    public var stretchToEdge: Bool
    /// Whether sections without items show their header and footer.
    public var showHeaderWhenEmpty: Bool
    /// Insets of the whole content: they narrow the rows; frames stay in content coordinates.
    public var contentInset: EdgeInsets
    /// Device pixels for each point: frames are rounded to whole pixels; 0 = no rounding. Clamped to 1/16…16.
    public var scale: Double

    /// Makes settings; the defaults are off and 0.
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

// SPDX-License-Identifier: Apache-2.0

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

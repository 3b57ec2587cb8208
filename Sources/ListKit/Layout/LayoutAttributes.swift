// SPDX-License-Identifier: Apache-2.0

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

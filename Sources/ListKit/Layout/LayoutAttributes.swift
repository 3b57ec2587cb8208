// SPDX-License-Identifier: Apache-2.0

/// Where an element lies.
public struct LayoutAttributes: Sendable, Hashable {
    /// The element's place; the item is 0 for headers and footers.
    public var path: IndexPath
    /// Whether it is a cell, a header or a footer.
    public var kind: ElementKind
    /// Its frame in content coordinates.
    public var frame: Rect
    /// The one of two overlapping elements with the larger number is above.
    public var zIndex: Int

    /// Makes attributes from their parts.
    public init(path: IndexPath, kind: ElementKind, frame: Rect, zIndex: Int) {
        self.path = path
        self.kind = kind
        self.frame = frame
        self.zIndex = zIndex
    }
}

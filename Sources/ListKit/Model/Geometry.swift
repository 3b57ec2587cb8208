// SPDX-License-Identifier: Apache-2.0

/// A position in content coordinates.
///
/// Units are points; the origin is the top left corner of the content.
@frozen public struct Point: Sendable, Hashable {
    /// Distance from the left edge, in points.
    public var x: Double
    /// Distance from the top edge, in points.
    public var y: Double

    /// The origin of the content.
    public static let zero = Point(x: 0, y: 0)

    /// Makes a point from its coordinates.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Returns the point that is moved by a distance.
    public static func + (point: Point, distance: Point) -> Point {
        Point(x: point.x + distance.x, y: point.y + distance.y)
    }

    /// Returns the distance from one point to another.
    public static func - (point: Point, origin: Point) -> Point {
        Point(x: point.x - origin.x, y: point.y - origin.y)
    }
}

/// A width and a height in points.
@frozen public struct Size: Sendable, Hashable {
    /// The width, in points.
    public var width: Double
    /// The height, in points.
    public var height: Double

    /// Zero width and height.
    public static let zero = Size(width: 0, height: 0)

    /// Makes a size from a width and a height.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// A rectangle in content coordinates.
@frozen public struct Rect: Sendable, Hashable {
    /// The top left corner.
    public var origin: Point
    /// The width and height.
    public var size: Size

    /// The empty rectangle at the origin.
    public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

    /// Makes a rectangle from its top left corner and its size.
    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// Makes a rectangle from four numbers, in points.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    /// The left edge.
    public var minX: Double { origin.x }
    /// The top edge.
    public var minY: Double { origin.y }
    /// The right edge.
    public var maxX: Double { origin.x + size.width }
    /// The bottom edge.
    public var maxY: Double { origin.y + size.height }

    /// Returns whether two rectangles share some area. Edges that only touch do not count (rule LY-27).
    public func intersects(_ other: Rect) -> Bool {
        minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
            && size.width > 0 && size.height > 0 && other.size.width > 0 && other.size.height > 0
    }
}

/// Distances from the four edges, in points.
@frozen public struct EdgeInsets: Sendable, Hashable {
    /// Distance from the top edge.
    public var top: Double
    /// Distance from the left edge.
    public var left: Double
    /// Distance from the bottom edge.
    public var bottom: Double
    /// Distance from the right edge.
    public var right: Double

    /// No distance on any side.
    public static let zero = EdgeInsets(top: 0, left: 0, bottom: 0, right: 0)

    /// Makes insets from four distances.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}

/// The axis along which a list scrolls.
@frozen public enum ScrollDirection: String, Sendable, Hashable {
    /// Sections follow each other downwards.
    case vertical
    /// Sections follow each other to the right.
    case horizontal
}

/// The place of an item: its section and its index in the section.
@frozen public struct IndexPath: Sendable, Hashable, Comparable {
    /// The index of the section, counted from 0.
    public var section: Int
    /// The index of the item in the section, counted from 0.
    public var item: Int

    /// Makes a path from a section and an item.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Returns whether a path comes first: paths are ordered by section, then by item.
    public static func < (lhs: IndexPath, rhs: IndexPath) -> Bool {
        (lhs.section, lhs.item) < (rhs.section, rhs.item)
    }
}

extension Rect {
    /// Whether origin and size are finite.
    var isFinite: Bool {
        origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite
    }

    /// The reason why the rectangle is not valid as a viewport, naming the number at fault; nil for a valid viewport.
    var viewportFault: String? {
        if isFinite, size.width >= 0, size.height >= 0 { return nil }
        let numbers = [("x", origin.x), ("y", origin.y), ("width", size.width), ("height", size.height)]
        if let (name, number) = numbers.first(where: { !$0.1.isFinite }) { return "\(name) is \(number)" }
        return numbers[2...].first { $0.1 < 0 }.map { "\($0.0) is negative: \($0.1)" }
    }
}

extension Size {
    var isFinite: Bool { width.isFinite && height.isFinite }

    /// Whether the size is valid for an item.
    var isValid: Bool { isFinite && width >= 0 && height >= 0 }

    /// Returns the size reduced by insets, at least zero.
    func inset(by insets: EdgeInsets) -> Size {
        Size(width: max(0, width - insets.left - insets.right), height: max(0, height - insets.top - insets.bottom))
    }
}

extension ScrollDirection {
    /// Returns the coordinate of a point along this axis.
    func along(_ point: Point) -> Double { self == .vertical ? point.y : point.x }

    /// Returns the extent of a size along this axis.
    func along(_ size: Size) -> Double { self == .vertical ? size.height : size.width }

    /// Returns the extent of a size across this axis.
    func across(_ size: Size) -> Double { self == .vertical ? size.width : size.height }

    /// Returns a size with the extent of another one across this axis.
    func size(_ size: Size, across other: Size) -> Size {
        self == .vertical
            ? Size(width: other.width, height: size.height) : Size(width: size.width, height: other.height)
    }

    /// Returns a point with its coordinate along this axis replaced.
    func replacing(_ coordinate: Double, in point: Point) -> Point {
        self == .vertical ? Point(x: point.x, y: coordinate) : Point(x: coordinate, y: point.y)
    }
}

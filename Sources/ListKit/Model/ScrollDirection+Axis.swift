// SPDX-License-Identifier: Apache-2.0

extension ScrollDirection {
    /// Returns the coordinate of a point along this axis.
    func along(_ point: Point) -> Double { self == .vertical ? point.y : point.x }

    /// Returns the extent of a size along this axis.
    func along(_ size: Size) -> Double { self == .vertical ? size.height : size.width }

    /// Returns the extent of a size across this axis.
    func across(_ size: Size) -> Double { self == .vertical ? size.width : size.height }

    /// Returns a point with its coordinate along this axis replaced.
    func replacing(_ coordinate: Double, in point: Point) -> Point {
        self == .vertical ? Point(x: point.x, y: coordinate) : Point(x: coordinate, y: point.y)
    }
}

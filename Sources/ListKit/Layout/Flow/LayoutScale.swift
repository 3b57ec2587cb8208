// SPDX-License-Identifier: Apache-2.0

/// A length or coordinate in whole units: millionths of a point, or of a device pixel when frames are rounded to
/// pixels.
///
/// Whole numbers make sums exact, so that a part that is laid out alone has the same place as in a full layout, and
/// sizes with up to six decimals are the same when read back.
typealias Units = Int64

/// Converts points to units and back, and rounds lengths to device pixels (rule LY-51).
struct LayoutScale: Sendable, Hashable {
    /// Units in one point.
    let unitsPerPoint: Double
    /// Units in one device pixel; 1 when nothing is rounded.
    let unitsPerPixel: Units
    /// The distance that IGListKit tolerates at the end of a row: 1 point.
    let tolerance: Units

    /// The largest length of an element; sums of fewer than 2¹⁶ of them stay far from overflow.
    private static let longest = Double(1 << 45)
    private static let farthest = Double(1 << 61)
    /// The remainder that is not rounded up to a pixel: a length is rounded to a unit, so nine ninths of a point may be some
    /// units less than one, and a row of a hundred items 50. IGListKit rounds in 32 bits, with about the same tolerance.
    private static let dust: Units = 50

    init(pixelsPerPoint scale: Double) {
        let rounds = scale.isFinite && scale > 0
        unitsPerPoint = 1_000_000 * (rounds ? min(max(scale, 1 / 16), 16) : 1)
        unitsPerPixel = rounds ? 1_000_000 : 1
        tolerance = Units(unitsPerPoint)
    }

    /// A length or distance; NaN and infinite numbers are 0, huge ones are clamped.
    func units(_ points: Double) -> Units {
        guard points.isFinite else { return 0 }
        let exact = min(max(points * unitsPerPoint, -Self.longest), Self.longest)
        return Units(exact + (exact < 0 ? -0.5 : 0.5))
    }

    /// A length that cannot be negative.
    func length(_ points: Double) -> Units {
        max(0, units(points))
    }

    /// A coordinate of a query, which may lie anywhere; NaN is 0.
    func coordinate(_ points: Double) -> Units {
        guard !points.isNaN else { return 0 }
        let exact = min(max(points * unitsPerPoint, -Self.farthest), Self.farthest)
        return Units(exact + (exact < 0 ? -0.5 : 0.5))
    }

    func points(_ units: Units) -> Double {
        Double(units) / unitsPerPoint
    }

    /// The pixel edge at or before a coordinate, or less than ``dust`` after it.
    func floor(_ units: Units) -> Units {
        guard unitsPerPixel > 1 else { return units }
        let rest = (units + Self.dust) % unitsPerPixel
        return units + Self.dust - (rest < 0 ? rest + unitsPerPixel : rest)
    }

    /// The whole pixels that a length needs, apart from ``dust``.
    func ceil(_ units: Units) -> Units {
        guard unitsPerPixel > 1 else { return units }
        let rest = (units - Self.dust) % unitsPerPixel
        return units - Self.dust + (rest > 0 ? unitsPerPixel - rest : -rest)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A length or coordinate as a whole number of units. A unit is a millionth of a point, or of a device pixel if
/// frames are rounded to pixels.
///
/// Whole numbers make sums exact. So a part that is laid out alone has the same frames as in a full layout, and sizes
/// with up to six decimals do not change when they are converted back.
typealias Units = Int64

/// A converter between points and units, which also rounds lengths to device pixels (rule LY-51).
struct LayoutScale: Sendable, Hashable {
    /// The number of units per point.
    let unitsPerPoint: Double
    /// The number of units per device pixel; 1 if nothing is rounded.
    let unitsPerPixel: Units
    /// The overlap that IGListKit tolerates at the end of a row: 1 point, in units.
    let tolerance: Units

    /// The maximum length of an element. Sums of fewer than 2¹⁶ of them are far from overflow.
    private static let maximumLength = Double(1 << 45)
    private static let maximumCoordinate = Double(1 << 61)
    /// The maximum remainder that is not rounded up to a pixel. Each length is rounded to a unit, so nine ninths of a
    /// point may be some units less than a point, and a row of a hundred items may be up to 50 units too short.
    /// IGListKit rounds in 32 bits, with about the same tolerance.
    private static let roundingTolerance: Units = 50

    init(pixelsPerPoint scale: Double) {
        let rounds = scale.isFinite && scale > 0
        unitsPerPoint = 1_000_000 * (rounds ? min(max(scale, 1 / 16), 16) : 1)
        unitsPerPixel = rounds ? 1_000_000 : 1
        tolerance = Units(unitsPerPoint)
    }

    /// Converts a length or distance to units. NaN and infinite numbers become 0; huge numbers are clamped.
    func units(_ points: Double) -> Units {
        guard points.isFinite else { return 0 }
        let exact = min(max(points * unitsPerPoint, -Self.maximumLength), Self.maximumLength)
        return Units(exact + (exact < 0 ? -0.5 : 0.5))
    }

    /// Converts a length to units. Negative lengths become 0.
    func length(_ points: Double) -> Units {
        max(0, units(points))
    }

    /// Converts the coordinate of a query, which may be anywhere, to units. NaN becomes 0; huge numbers are clamped.
    func coordinate(_ points: Double) -> Units {
        guard !points.isNaN else { return 0 }
        let exact = min(max(points * unitsPerPoint, -Self.maximumCoordinate), Self.maximumCoordinate)
        return Units(exact + (exact < 0 ? -0.5 : 0.5))
    }

    func points(_ units: Units) -> Double {
        Double(units) / unitsPerPoint
    }

    /// Rounds a coordinate down to the edge of a pixel, or up if the edge is at most ``roundingTolerance`` away.
    func floor(_ units: Units) -> Units {
        guard unitsPerPixel > 1 else { return units }
        let rest = (units + Self.roundingTolerance) % unitsPerPixel
        return units + Self.roundingTolerance - (rest < 0 ? rest + unitsPerPixel : rest)
    }

    /// Rounds a length up to whole pixels, or down if the remainder is at most ``roundingTolerance``.
    func ceil(_ units: Units) -> Units {
        guard unitsPerPixel > 1 else { return units }
        let rest = (units - Self.roundingTolerance) % unitsPerPixel
        return units - Self.roundingTolerance + (rest > 0 ? unitsPerPixel - rest : -rest)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// An interval of one axis, in units.
struct Interval: Sendable, Hashable {
    var start: Units
    var end: Units

    static let zero = Interval(start: 0, end: 0)

    /// The empty interval, which does not change a union.
    static let none = Interval(start: .max, end: .min)

    init(start: Units, end: Units) {
        self.start = start
        self.end = end
    }

    init(start: Units, length: Units) {
        self.init(start: start, end: start + length)
    }

    var length: Units { end - start }

    /// Returns whether two intervals overlap. Touching ends do not count (rule LY-27).
    func overlaps(_ other: Interval) -> Bool {
        start < other.end && other.start < end && start < end && other.start < other.end
    }

    /// Returns whether a coordinate is in the interval. The end does not belong to the interval.
    func contains(_ coordinate: Units) -> Bool {
        start <= coordinate && coordinate < end
    }

    func union(_ other: Interval) -> Interval {
        Interval(start: min(start, other.start), end: max(end, other.end))
    }

    /// Returns the interval moved by a distance. Its ends are clamped to a bound that no valid list reaches; `none`
    /// is not changed.
    func shifted(by distance: Units) -> Interval {
        start > end ? self : Interval(start: min(start + distance, 1 << 62), end: min(end + distance, 1 << 62))
    }
}

/// A rectangle in terms of the scroll axis, along it and across it, so that one algorithm serves both directions.
struct AxisFrame: Sendable, Hashable {
    var along: Interval
    var across: Interval

    static let zero = AxisFrame(along: .zero, across: .zero)
    static let none = AxisFrame(along: .none, across: .none)

    var hasArea: Bool { along.start < along.end && across.start < across.end }

    func overlaps(_ other: AxisFrame) -> Bool {
        along.overlaps(other.along) && across.overlaps(other.across)
    }

    func union(_ other: AxisFrame) -> AxisFrame {
        AxisFrame(along: along.union(other.along), across: across.union(other.across))
    }

    func shifted(by distance: Units) -> AxisFrame {
        AxisFrame(along: along.shifted(by: distance), across: across)
    }
}

/// A size in terms of the scroll axis, along it and across it.
struct AxisSize: Sendable, Hashable {
    var along: Units
    var across: Units
}

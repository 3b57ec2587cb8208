// SPDX-License-Identifier: Apache-2.0

/// The movements of a view's viewport that its viewer may not have drawn yet.
///
/// A viewer scrolls in the content that it last drew. The distance by which the engine has moved the viewport since then
/// is added to the origin that the viewer requests. A scroll-to that the viewer has not drawn yet is not undone.
struct ViewportShifts {
    private var shifts: [(sequence: UInt64, distance: Point)] = []
    private var scrollSequence: UInt64 = 0
    /// Whether the viewport was moved since the last change was sent.
    private(set) var isUnsent = false
    /// The distance by which the viewport was moved since the last change was sent.
    private(set) var unsent = Point.zero

    /// Records that the engine moved the viewport.
    ///
    /// - Parameter sequence: the sequence of the change that will send the movement to the viewer.
    mutating func recordShift(by distance: Point, sequence: UInt64) {
        isUnsent = true
        unsent = unsent + distance
        if let last = shifts.indices.last, shifts[last].sequence == sequence {
            shifts[last].distance = shifts[last].distance + distance
        } else {
            shifts.append((sequence, distance))
        }
    }

    /// Records that a scroll-to moved the viewport. Origins from before it are not accepted.
    ///
    /// - Parameter sequence: the sequence of the change that will send the movement to the viewer.
    mutating func recordScroll(by distance: Point, sequence: UInt64) {
        scrollSequence = sequence
        recordShift(by: distance, sequence: sequence)
    }

    /// Continues after another engine, whose last movements the viewer was not sent.
    mutating func resume(unsent distance: Point, sequence: UInt64) {
        if distance != .zero { recordShift(by: distance, sequence: sequence) }
    }

    /// Records that a change with the movements was sent.
    mutating func markSent() { (isUnsent, unsent) = (false, .zero) }

    /// Returns the distance by which the engine moved the viewport since a viewer drew the sequence `seen`.
    func distance(since seen: UInt64) -> Point {
        shifts.reduce(.zero) { $1.sequence > seen ? $0 + $1.distance : $0 }
    }

    /// Returns whether to accept an origin from a viewer that has drawn the sequence `seen`. An origin from before
    /// the last scroll-to is not accepted.
    func acceptsOrigin(seen: UInt64) -> Bool { seen >= scrollSequence }

    /// Drops the shifts up to a sequence that the viewer has acknowledged and therefore drawn.
    mutating func forget(upTo acknowledged: UInt64) { shifts.removeAll { $0.sequence <= acknowledged } }

    /// Drops all but the shifts of the newest `count` changes. Without acknowledgements, the viewer is assumed to
    /// have drawn the older changes.
    mutating func dropAll(exceptNewest count: UInt64, lastSent: UInt64) {
        guard lastSent > count, let first = shifts.first, first.sequence <= lastSent - count else { return }
        forget(upTo: lastSent - count)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The movements of a viewport that the engine made and the viewer may not have drawn yet.
///
/// A viewer scrolls in the content that it last drew. The distance by which anchoring has moved the viewport since
/// then is added to the origin that the viewer requests. A scroll-to that the viewer has not drawn yet is not undone.
struct ViewportShifts {
    private var shifts: [(sequence: UInt64, distance: Double)] = []
    private var scrollSequence: UInt64 = 0
    /// Whether the viewport was moved since the last change was sent.
    private(set) var isUnsent = false

    /// Records that anchoring moved the viewport.
    ///
    /// - Parameter sequence: the sequence of the change that will send the new origin to the viewer.
    mutating func recordShift(by distance: Double, sequence: UInt64) {
        isUnsent = true
        if let last = shifts.indices.last, shifts[last].sequence == sequence {
            shifts[last].distance += distance
        } else {
            shifts.append((sequence, distance))
        }
    }

    /// Records that a scroll-to moved the viewport, which replaces all earlier shifts by anchoring.
    ///
    /// - Parameter sequence: the sequence of the change that will send the new origin to the viewer.
    mutating func recordScroll(sequence: UInt64) {
        isUnsent = true
        scrollSequence = sequence
        shifts.removeAll()
    }

    /// Records that a change with the viewport's origin was sent.
    mutating func markSent() { isUnsent = false }

    /// Returns the distance by which anchoring moved the viewport since a viewer drew the sequence `seen`.
    func distance(since seen: UInt64) -> Double {
        shifts.reduce(0) { $1.sequence > seen ? $0 + $1.distance : $0 }
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

// SPDX-License-Identifier: Apache-2.0

/// What the engine did to a viewport that its viewer may not have drawn yet.
///
/// A viewer scrolls in the content that it last drew. What anchoring moved since then is added to the place that it names,
/// and a scroll-to that it has not seen is not undone.
struct ViewportShifts {
    private var shifts: [(sequence: UInt64, distance: Double)] = []
    private var scrollSequence: UInt64 = 0
    /// Whether the viewport was moved since the last change went out.
    private(set) var isUnsent = false

    /// Anchoring moved the viewport; `sequence` is that of the change that says so.
    mutating func shift(by distance: Double, sequence: UInt64) {
        isUnsent = true
        if let last = shifts.indices.last, shifts[last].sequence == sequence {
            shifts[last].distance += distance
        } else {
            shifts.append((sequence, distance))
        }
    }

    /// A scroll-to moved the viewport; whatever anchoring did before is part of it.
    mutating func scroll(sequence: UInt64) {
        isUnsent = true
        scrollSequence = sequence
        shifts.removeAll()
    }

    /// A change went out that says where the viewport lies.
    mutating func markSent() { isUnsent = false }

    /// How far content moved since a sequence was drawn.
    func distance(since seen: UInt64) -> Double {
        shifts.reduce(0) { $1.sequence > seen ? $0 + $1.distance : $0 }
    }

    /// Whether to accept an origin from a viewer that has drawn the picture `seen`: not if the view was scrolled after
    /// it.
    func honoursOrigin(seen: UInt64) -> Bool { seen >= scrollSequence }

    /// Forgets what a viewer that acknowledged a sequence has surely drawn.
    mutating func forget(upTo acknowledged: UInt64) { shifts.removeAll { $0.sequence <= acknowledged } }

    /// Forgets all shifts but those of the last changes: a viewer that never acknowledges has drawn the others.
    mutating func forget(allBut count: UInt64, before sequence: UInt64) {
        guard sequence > count, let first = shifts.first, first.sequence <= sequence - count else { return }
        forget(upTo: sequence - count)
    }
}

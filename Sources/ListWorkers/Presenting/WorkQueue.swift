// SPDX-License-Identifier: Apache-2.0

/// What waits for one worker, first in, first out.
///
/// Arriving work is kept apart from the work that is being taken, so that memory of taken work is released even in a
/// queue that is never empty. Appending and taking are O(1), amortised.
package struct WorkQueue<Work> {
    /// In the order in which it came.
    private var arrived: [Work] = []
    /// What came before that, the last one first.
    private var current: [Work] = []
    /// The most room, in pieces of work, that is kept for the next time.
    private static var roomToKeep: Int { 64 }

    /// Makes an empty queue.
    package init() {}

    /// Whether nothing waits.
    package var isEmpty: Bool { arrived.isEmpty && current.isEmpty }

    /// How many pieces of work there is room for without asking for memory.
    package var capacity: Int { arrived.capacity + current.capacity }

    /// Puts a piece of work behind all others.
    package mutating func append(_ work: Work) { arrived.append(work) }

    /// The oldest piece of work, which stays; nil = nothing waits.
    package mutating func first() -> Work? {
        if current.isEmpty, !arrived.isEmpty {
            swap(&current, &arrived)
            current.reverse()
            if arrived.capacity > Self.roomToKeep { arrived = [] }
        }
        return current.last
    }

    /// Takes the oldest piece of work out; nil = nothing waits.
    package mutating func popFirst() -> Work? {
        guard let work = first() else { return nil }
        current.removeLast()
        if current.isEmpty, current.capacity > Self.roomToKeep { current = [] }
        return work
    }
}

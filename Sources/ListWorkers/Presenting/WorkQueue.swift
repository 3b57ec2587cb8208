// SPDX-License-Identifier: Apache-2.0

/// What waits for one worker, first in, first out.
///
/// Arriving work is kept apart from the work that is being taken, so that memory of taken work is released even in a
/// queue that is never empty. Appending and taking are O(1), amortised. Other modules compile the queue for their work:
/// called as generic code, it took 3 % of the processor time of an update.
package struct WorkQueue<Work> {
    /// In the order in which it came.
    @usableFromInline var arrived: [Work] = []
    /// What came before that, the last one first.
    @usableFromInline var current: [Work] = []
    /// The most room, in pieces of work, that is kept for the next time.
    @inlinable static var roomToKeep: Int { 64 }

    /// Makes an empty queue.
    @inlinable package init() {}

    /// Whether nothing waits.
    @inlinable package var isEmpty: Bool { arrived.isEmpty && current.isEmpty }

    /// How many pieces of work there is room for without asking for memory.
    @inlinable package var capacity: Int { arrived.capacity + current.capacity }

    /// Puts a piece of work behind all others.
    @inlinable package mutating func append(_ work: Work) { arrived.append(work) }

    /// The oldest piece of work, which stays; nil = nothing waits.
    @inlinable package mutating func first() -> Work? {
        if current.isEmpty, !arrived.isEmpty {
            swap(&current, &arrived)
            current.reverse()
            if arrived.capacity > Self.roomToKeep { arrived = [] }
        }
        return current.last
    }

    /// Returns a piece of work that was taken to the front of the queue.
    @inlinable package mutating func putBack(_ work: Work) { current.append(work) }

    /// Takes the oldest piece of work out; nil = nothing waits.
    @inlinable package mutating func popFirst() -> Work? {
        guard let work = first() else { return nil }
        current.removeLast()
        if current.isEmpty, current.capacity > Self.roomToKeep { current = [] }
        return work
    }
}

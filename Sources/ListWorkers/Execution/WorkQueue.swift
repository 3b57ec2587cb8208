// SPDX-License-Identifier: Apache-2.0

/// A FIFO queue of work.
///
/// New work is appended to one array, and removed from another one. So the memory of removed work is released even if
/// the queue is never empty. Appending and removing are O(1), amortised. The queue is inlinable, so that other
/// modules specialise it, as long as the type itself is too: as unspecialised generic code, it takes 4 % of an update.
@usableFromInline package struct WorkQueue<Work> {
    /// The newer work, oldest first.
    @usableFromInline var arrived: [Work] = []
    /// The older work, newest first, so that the oldest is removed from the end.
    @usableFromInline var current: [Work] = []
    /// The maximum capacity that an empty array keeps, in pieces of work.
    @inlinable static var roomToKeep: Int { 64 }

    /// Makes an empty queue.
    @inlinable package init() {}

    /// Whether the queue is empty.
    @inlinable package var isEmpty: Bool { arrived.isEmpty && current.isEmpty }

    /// The number of pieces of work.
    @inlinable package var count: Int { arrived.count + current.count }

    /// The number of pieces of work for which memory is allocated.
    @inlinable package var capacity: Int { arrived.capacity + current.capacity }

    /// Appends a piece of work.
    @inlinable package mutating func append(_ work: Work) { arrived.append(work) }

    /// The oldest piece of work; nil if the queue is empty.
    @inlinable package var first: Work? { current.last ?? arrived.first }

    /// Inserts a piece of work at the front of the queue, from which it was removed before.
    @inlinable package mutating func putBack(_ work: Work) { current.append(work) }

    /// Removes and returns the oldest piece of work; nil if the queue is empty.
    @inlinable package mutating func popFirst() -> Work? {
        if current.isEmpty {
            guard !arrived.isEmpty else { return nil }
            swap(&current, &arrived)
            current.reverse()
            if arrived.capacity > Self.roomToKeep { arrived = [] }
        }
        let work = current.removeLast()
        if current.isEmpty, current.capacity > Self.roomToKeep { current = [] }
        return work
    }
}

extension WorkQueue: Sendable where Work: Sendable {}

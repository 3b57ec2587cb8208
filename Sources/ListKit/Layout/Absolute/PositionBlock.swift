// SPDX-License-Identifier: Apache-2.0

/// The start and end of an item along the scroll axis, rounded outwards, with the item's section and index.
struct PositionEntry: Sendable, Comparable {
    let start: Float
    let end: Float
    /// The handle of the section.
    let handle: UInt32
    let item: UInt32

    init(from start: Double, to end: Double, handle: UInt32, item: Int) {
        let (low, high) = (Float(start), Float(end))
        self.start = Double(low) > start ? low.nextDown : low
        self.end = Double(high) < end ? high.nextUp : high
        self.handle = handle
        self.item = UInt32(truncatingIfNeeded: item)
    }

    static func < (lhs: PositionEntry, rhs: PositionEntry) -> Bool {
        (lhs.start, lhs.handle, lhs.item) < (rhs.start, rhs.handle, rhs.item)
    }
}

/// A block of consecutive entries, sorted by start: a leaf of an interval tree.
struct PositionBlock: SummarisedLeaf {
    static let capacity = 128
    static let vacant = PositionBlock([])

    private(set) var entries: [PositionEntry]

    /// The range that is covered by consecutive blocks.
    struct Summary: TreeSummary {
        var first: PositionEntry?
        var last: PositionEntry?
        /// The maximum end of all entries.
        var end: Float

        static let empty = Summary(first: nil, last: nil, end: -.infinity)

        func followed(by next: Summary) -> Summary {
            Summary(first: first ?? next.first, last: next.last ?? last, end: max(end, next.end))
        }

        /// Returns whether an entry may overlap a span.
        func mayOverlap(_ span: PositionSpan) -> Bool {
            guard let first else { return false }
            return Double(first.start) < span.end && Double(end) > span.start
        }
    }

    init(_ entries: [PositionEntry]) {
        self.entries = entries
    }

    var summary: Summary {
        Summary(first: entries.first, last: entries.last, end: entries.reduce(-.infinity) { max($0, $1.end) })
    }

    mutating func insert(_ entry: PositionEntry) {
        entries.insert(entry, at: insertionIndex(of: entry))
    }

    mutating func remove(_ entry: PositionEntry) {
        let index = insertionIndex(of: entry)
        if index < entries.count, entries[index] == entry { entries.remove(at: index) }
    }

    /// Removes and returns the upper half.
    mutating func split() -> PositionBlock {
        let half = entries.count / 2
        let upper = Array(entries[half...])
        entries.removeSubrange(half...)
        return PositionBlock(upper)
    }

    private func insertionIndex(of entry: PositionEntry) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A range of the scroll axis, in points.
struct PositionSpan: Sendable {
    var start: Double
    var end: Double
}

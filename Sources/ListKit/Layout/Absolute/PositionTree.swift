// SPDX-License-Identifier: Apache-2.0

/// An interval tree of the items of an absolute layout, which finds the items in a range of the scroll axis.
///
/// The entries are sorted by start and stored in blocks. Each subtree stores the first start and the maximum end of
/// its entries. A change and each step of a query are O(log n).
struct PositionTree: Sendable {
    private(set) var tree = LeafTree<PositionBlock>()

    init() {}

    /// Makes a tree from entries in any order. O(n log n).
    init(_ entries: consuming [PositionEntry]) {
        entries.sort()
        let fill = PositionBlock.capacity * 3 / 4
        tree = LeafTree(
            stride(from: 0, to: entries.count, by: fill).map {
                PositionBlock(Array(entries[$0..<min($0 + fill, entries.count)]))
            })
    }

    mutating func insert(_ entry: PositionEntry) {
        guard let leaf = leaf(for: entry) ?? tree.order.lastLeaf else {
            tree.insert(PositionBlock([entry]), after: nil)
            return
        }
        tree.update(leaf) { $0.insert(entry) }
        guard tree.leaves[leaf].entries.count > PositionBlock.capacity else { return }
        let upper = tree.update(leaf) { $0.split() }
        tree.insert(upper, after: leaf)
    }

    mutating func remove(_ entry: PositionEntry) {
        guard let leaf = leaf(for: entry) else { return }
        tree.update(leaf) { $0.remove(entry) }
        let count = tree.leaves[leaf].entries.count
        if count == 0 {
            tree.remove(leaf)
        } else if count < PositionBlock.capacity / 4 {
            mergeWithNext(leaf)
        }
    }

    /// Calls `body` with the entries that may overlap a span, in the order of their starts.
    func visit(_ span: PositionSpan, _ body: (PositionEntry) -> Void) {
        tree.order.walk { _, part in
            part.mayOverlap(span)
        } _: { leaf, _ in
            for entry in tree.leaves[leaf].entries {
                if Double(entry.start) >= span.end { return false }
                if Double(entry.end) > span.start { body(entry) }
            }
            return true
        }
    }

    private func leaf(for entry: PositionEntry) -> Int? {
        tree.order.first { sum in sum.last.map { !($0 < entry) } ?? false }?.leaf
    }

    /// Merges a small block with the next one if the entries of both fit into one block.
    private mutating func mergeWithNext(_ leaf: Int) {
        guard let next = tree.order.leaf(after: leaf) else { return }
        let entries = tree.leaves[leaf].entries + tree.leaves[next].entries
        guard entries.count <= PositionBlock.capacity * 3 / 4 else { return }
        tree.remove(next)
        tree.update(leaf) { $0 = PositionBlock(entries) }
    }
}

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

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
        guard let leaf = leaf(for: entry) ?? tree.lastLeaf else {
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
        tree.walk { _, part in
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
        tree.first { sum in sum.last.map { !($0 < entry) } ?? false }?.leaf
    }

    /// Merges a small block with the next one if the entries of both fit into one block.
    private mutating func mergeWithNext(_ leaf: Int) {
        guard let next = tree.leaf(after: leaf) else { return }
        let entries = tree.leaves[leaf].entries + tree.leaves[next].entries
        guard entries.count <= PositionBlock.capacity * 3 / 4 else { return }
        tree.remove(next)
        tree.update(leaf) { $0 = PositionBlock(entries) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The sum of consecutive leaves of a ``LeafTree``.
protocol TreeSummary: Sendable {
    /// The sum of no leaves.
    static var empty: Self { get }

    /// Returns the sum of these leaves followed by those of `next`. The operation must be associative.
    func followed(by next: Self) -> Self
}

/// A leaf of a ``LeafTree``: a block of elements with a sum.
protocol SummarisedLeaf: Sendable {
    associatedtype Summary: TreeSummary

    /// An empty leaf, which fills the places of removed leaves.
    static var vacant: Self { get }

    /// The sum of the leaf's elements.
    var summary: Summary { get }
}

/// A sequence of leaves as a B+ tree. Sums of leading leaves, searches by sums, and changes are O(log n).
///
/// The tree is stored in flat arrays: nodes and leaves are identified by numbers, and a leaf keeps its number until
/// it is removed. Inner nodes store the sums of their children contiguously, so that a search reads a few cache lines
/// per level. Nodes are never merged: the depth stays that of the largest tree so far, so owners build a new tree
/// after large removals.
struct LeafTree<Leaf: SummarisedLeaf>: Sendable {
    typealias Summary = Leaf.Summary

    /// The maximum number of children of a node.
    static var fanout: Int { 16 }

    /// The leaves by number. Change them only with ``update(_:_:)``.
    var leaves = PagedArray<Leaf>()
    var leafParents = PagedArray<Int32>()
    var freeLeaves: [Int32] = []

    /// Node `n` has its children and their sums at `n * fanout ..< n * fanout + counts[n]`.
    var children = PagedArray<Int32>()
    var sums = PagedArray<Summary>()
    var counts = PagedArray<Int32>()
    var parents = PagedArray<Int32>()
    var freeNodes: [Int32] = []
    var root: Int32 = 0
    /// The number of levels of nodes. The children of the lowest level are leaves.
    var height = 1

    /// The value that stands for no node.
    static var noNode: Int32 { -1 }

    /// Makes an empty tree.
    init() {
        root = makeNode()
    }

    /// Makes a tree from leaves in order. O(n).
    init(_ newLeaves: [Leaf]) {
        self.init()
        guard !newLeaves.isEmpty else { return }
        leaves = PagedArray(newLeaves)
        leafParents = PagedArray(repeating: Self.noNode, count: newLeaves.count)
        counts = PagedArray()
        children = PagedArray()
        sums = PagedArray()
        parents = PagedArray()
        var level = makeLevel(newLeaves.indices.map { ($0, newLeaves[$0].summary) }, areLeaves: true)
        while level.count > 1 {
            level = makeLevel(level, areLeaves: false)
            height += 1
        }
        root = Int32(level[0].0)
    }

    var isEmpty: Bool { counts[Int(root)] == 0 }

    /// The number of leaves.
    var count: Int { leaves.count - freeLeaves.count }

    /// The sum of all leaves.
    var total: Summary { sum(ofNode: root) }

    /// Builds the level of nodes above `items`, which are leaves or nodes with their sums. Returns the new nodes with
    /// their sums.
    private mutating func makeLevel(_ items: [(Int, Summary)], areLeaves: Bool) -> [(Int, Summary)] {
        var level: [(Int, Summary)] = []
        level.reserveCapacity(items.count / Self.fanout + 1)
        for start in stride(from: 0, to: items.count, by: Self.fanout) {
            let node = makeNode()
            for (id, summary) in items[start..<min(start + Self.fanout, items.count)] {
                let slot = Int(node) * Self.fanout + Int(counts[Int(node)])
                children[slot] = Int32(id)
                sums[slot] = summary
                counts[Int(node)] += 1
                if areLeaves { leafParents[id] = node } else { parents[id] = node }
            }
            level.append((Int(node), sum(ofNode: node)))
        }
        return level
    }

    mutating func makeNode() -> Int32 {
        if let node = freeNodes.popLast() { return node }
        counts.append(0)
        parents.append(Self.noNode)
        for _ in 0..<Self.fanout {
            children.append(Self.noNode)
            sums.append(.empty)
        }
        return Int32(counts.count - 1)
    }

    func sum(ofNode node: Int32) -> Summary {
        let first = Int(node) * Self.fanout
        var result = Summary.empty
        for slot in first..<first + Int(counts[Int(node)]) { result = result.followed(by: sums[slot]) }
        return result
    }

    /// Returns the slot of a child in its parent's part of `children`.
    func slot(of child: Int32, in node: Int32) -> Int {
        let first = Int(node) * Self.fanout
        var slot = first
        while children[slot] != child { slot += 1 }
        return slot
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The sum of neighbouring leaves.
protocol TreeSummary: Sendable {
    /// The sum of no leaves.
    static var empty: Self { get }

    /// The sum of these leaves and, after them, those of `next`; associative.
    func followed(by next: Self) -> Self
}

/// A leaf of a ``LeafTree``: a block of elements with a sum.
protocol SummarisedLeaf: Sendable {
    associatedtype Summary: TreeSummary

    /// An empty leaf, which fills unused places.
    static var vacant: Self { get }

    /// The sum of the leaf's elements.
    var summary: Summary { get }
}

/// A sequence of blocks: sums of prefixes, searches by sums, and changes are O(log n).
///
/// A B+ tree in flat arrays: nodes and leaves are numbers, and a leaf keeps its number for as long as it lives. Inner nodes
/// hold the sums of their children side by side, so that a search reads a few cache lines for each level. Nodes are not
/// merged: the depth stays that of the largest tree so far, and owners build the tree again after large removals.
struct LeafTree<Leaf: SummarisedLeaf>: Sendable {
    typealias Summary = Leaf.Summary

    /// The most children that a node has.
    static var fanout: Int { 16 }

    /// The leaves by number; read them freely, change them through ``update(_:_:)``.
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
    /// The number of levels of nodes; the children of the lowest are leaves.
    var height = 1

    /// The number of no node.
    static var nowhere: Int32 { -1 }

    /// Makes an empty tree.
    init() {
        root = makeNode()
    }

    /// Makes a tree of leaves in order; O(n).
    init(_ newLeaves: [Leaf]) {
        self.init()
        guard !newLeaves.isEmpty else { return }
        leaves = PagedArray(newLeaves)
        leafParents = PagedArray(repeating: Self.nowhere, count: newLeaves.count)
        counts = PagedArray()
        children = PagedArray()
        sums = PagedArray()
        parents = PagedArray()
        var level = gather(newLeaves.indices.map { ($0, newLeaves[$0].summary) }, areLeaves: true)
        while level.count > 1 {
            level = gather(level, areLeaves: false)
            height += 1
        }
        root = Int32(level[0].0)
    }

    var isEmpty: Bool { counts[Int(root)] == 0 }

    /// How many leaves there are.
    var count: Int { leaves.count - freeLeaves.count }

    /// The sum of everything.
    var total: Summary { sum(ofNode: root) }

    /// Builds one level of nodes above their children.
    private mutating func gather(_ items: [(Int, Summary)], areLeaves: Bool) -> [(Int, Summary)] {
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
        parents.append(Self.nowhere)
        for _ in 0..<Self.fanout {
            children.append(Self.nowhere)
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

    /// The place of a child among the children of its parent.
    func slot(of child: Int32, in node: Int32) -> Int {
        let first = Int(node) * Self.fanout
        var slot = first
        while children[slot] != child { slot += 1 }
        return slot
    }
}

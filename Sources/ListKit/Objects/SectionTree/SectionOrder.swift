// SPDX-License-Identifier: Apache-2.0

/// The order of sections: a B+tree whose nodes know how many sections and items lie below each child, before and after the
/// open transaction.
///
/// Leaves hold up to 64 sections (their slot and states, and their number of items), inner nodes up to 32 children; all of
/// them are numbers in slabs. A section is found by its index in either state, and its index by its slot, in O(log n).
struct SectionOrder: ~Copyable {
    static let leafSize = 64
    static let nodeSize = 32
    static let none = UInt32.max

    /// What a leaf or a node knows besides its entries.
    struct Info: BitwiseCopyable {
        var count: Int32 = 0
        var parent: UInt32 = SectionOrder.none
        /// In a leaf: how many of its sections the open transaction has touched.
        var touched: Int32 = 0
    }

    /// A place in a leaf.
    struct Place: Equatable {
        var leaf: Int
        var position: Int
    }

    // Leaves: `leafSize` words and numbers of items each.
    var words = Slabs<SectionWord>(blockSize: 4096, filler: SectionWord(slot: 0, isOld: false, isNew: false))
    var items = Slabs<Int32>(blockSize: 4096, filler: 0)
    var leaves = Slabs<Info>(blockSize: 64, filler: Info())
    var leafCount = 0
    var freeLeaves: [Int] = []

    // Inner nodes: `nodeSize` children and what lies below each.
    var children = Slabs<UInt32>(blockSize: 1024, filler: SectionOrder.none)
    var sums = Slabs<SectionSummary>(blockSize: 1024, filler: .zero)
    var nodes = Slabs<Info>(blockSize: 32, filler: Info())
    var nodeCount = 0
    var freeNodes: [Int] = []

    /// The leaf of each slot.
    var leafOfSlot = Slabs<UInt32>(blockSize: 1024, filler: SectionOrder.none)
    /// The number of items before the transaction of sections that are marked as changed.
    var oldItems: [Int: Int32] = [:]

    /// Levels of inner nodes above the leaves.
    var height = 0
    /// The topmost node, a leaf while `height` is 0.
    var root = 0
    var total = SectionSummary.zero

    /// Makes an order without sections.
    init() { root = makeLeaf() }

    mutating func makeLeaf() -> Int {
        let leaf = freeLeaves.popLast() ?? leafCount
        if leaf == leafCount {
            leafCount += 1
            leaves.reserve(leafCount)
            words.reserve(leafCount * SectionOrder.leafSize)
            items.reserve(leafCount * SectionOrder.leafSize)
        }
        leaves[leaf] = Info()
        return leaf
    }

    mutating func makeNode() -> Int {
        let node = freeNodes.popLast() ?? nodeCount
        if node == nodeCount {
            nodeCount += 1
            nodes.reserve(nodeCount)
            children.reserve(nodeCount * SectionOrder.nodeSize)
            sums.reserve(nodeCount * SectionOrder.nodeSize)
        }
        nodes[node] = Info()
        return node
    }

    /// What a section counts for.
    @inline(__always)
    func summary(of word: SectionWord, items: Int32) -> SectionSummary {
        var summary = SectionSummary.zero
        if word.isNew {
            summary.newCount = 1
            summary.newItems = Int64(items)
        }
        if word.isOld {
            summary.oldCount = 1
            summary.oldItems = Int64(word.isChanged ? oldItems[word.slot] ?? items : items)
        }
        return summary
    }
}

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

/// A leaf whose layout depends on the state after the previous leaf.
protocol ChainedLeaf: SummarisedLeaf {
    associatedtype State: Equatable
    associatedtype Rules

    /// The state at the start with which the leaf was laid out.
    var entry: State { get }

    /// The state at the end, which is the state at the start of the next leaf.
    var exit: State { get }

    /// Lays out the content again, starting with a state.
    mutating func layOut(after state: State, rules: Rules)

    /// Returns whether laying out this leaf after `state` would make it equal to `other`, which is laid out. Returns
    /// false if finding out takes more than O(1).
    func wouldEqual(_ other: Self, laidOutAfter state: State) -> Bool
}

extension ChainedLeaf {
    func wouldEqual(_ other: Self, laidOutAfter state: State) -> Bool { false }
}

extension LeafTree where Leaf: ChainedLeaf {
    /// Lays out all leaves in order. O(n).
    mutating func layOutAll(from start: Leaf.State, rules: Leaf.Rules) {
        var state = start
        var next = firstLeaf
        var last: Int?
        while let leaf = next {
            if let last, leaves[leaf].wouldEqual(leaves[last], laidOutAfter: state) {
                leaves[leaf] = leaves[last]
            } else {
                leaves[leaf].layOut(after: state, rules: rules)
            }
            last = leaf
            state = leaves[leaf].exit
            next = self.leaf(after: leaf)
        }
        recomputeSums()
    }

    /// Lays out the touched leaves, and the leaves after each of them as long as their state at the start changes.
    ///
    /// `touched` must be in the order of the tree. The state at the start of a row does not depend on earlier rows,
    /// so this usually ends at the next leaf: O(touched · log n), O(n) at worst.
    mutating func layOutAfterChanges(_ touched: [Int], from start: Leaf.State, rules: Leaf.Rules) {
        var pending = touched[...]
        var next: Int?
        while let leaf = next ?? pending.first {
            let isTouched = pending.first == leaf
            if isTouched { pending.removeFirst() }
            let state = self.leaf(before: leaf).map { leaves[$0].exit } ?? start
            guard isTouched || leaves[leaf].entry != state else {
                next = nil
                continue
            }
            update(leaf) { $0.layOut(after: state, rules: rules) }
            next = self.leaf(after: leaf)
        }
    }
}

extension LeafTree {
    /// A leaf and the sum of all leaves before it.
    typealias Found = (leaf: Int, before: Summary)

    /// Returns the first leaf at which the sum of all leaves, from the first one up to and including this leaf,
    /// fulfils `reached`. Returns nil if the sum of all leaves does not fulfil it.
    ///
    /// If `reached` is true for the sum up to a leaf, it must be true for the sums up to all later leaves. O(log n).
    func first(where reached: (Summary) -> Bool) -> Found? {
        var node = root
        var before = Summary.empty
        for level in stride(from: height, through: 1, by: -1) {
            var found = false
            let first = Int(node) * Self.fanout
            for slot in first..<first + Int(counts[Int(node)]) {
                let with = before.followed(by: sums[slot])
                if reached(with) {
                    if level == 1 { return (Int(children[slot]), before) }
                    node = children[slot]
                    found = true
                    break
                }
                before = with
            }
            if !found { return nil }
        }
        return nil
    }

    /// Returns the sum of all leaves before a leaf. O(log n).
    func sum(before leaf: Int) -> Summary {
        var result = Summary.empty
        var child = Int32(leaf)
        var node = leafParents[leaf]
        while node != Self.noNode {
            var left = Summary.empty
            var slot = Int(node) * Self.fanout
            while children[slot] != child {
                left = left.followed(by: sums[slot])
                slot += 1
            }
            result = left.followed(by: result)
            child = node
            node = parents[Int(node)]
        }
        return result
    }

    /// The first leaf in order; nil for an empty tree.
    var firstLeaf: Int? { isEmpty ? nil : edgeLeaf(below: root, levels: height, last: false) }

    /// The last leaf in order; nil for an empty tree.
    var lastLeaf: Int? { isEmpty ? nil : edgeLeaf(below: root, levels: height, last: true) }

    /// Returns the leaf after another one; nil after the last.
    func leaf(after leaf: Int) -> Int? { neighbour(of: leaf, step: 1) }

    /// Returns the leaf before another one; nil before the first.
    func leaf(before leaf: Int) -> Int? { neighbour(of: leaf, step: -1) }

    private func neighbour(of leaf: Int, step: Int) -> Int? {
        var child = Int32(leaf)
        var node = leafParents[leaf]
        var levels = 0
        while node != Self.noNode {
            let first = Int(node) * Self.fanout
            let slot = slot(of: child, in: node) + step
            if slot >= first, slot < first + Int(counts[Int(node)]) {
                return edgeLeaf(below: children[slot], levels: levels, last: step < 0)
            }
            child = node
            node = parents[Int(node)]
            levels += 1
        }
        return nil
    }

    private func edgeLeaf(below node: Int32, levels: Int, last: Bool) -> Int {
        var node = node
        for _ in 0..<levels {
            let first = Int(node) * Self.fanout
            node = children[last ? first + Int(counts[Int(node)]) - 1 : first]
        }
        return Int(node)
    }

    /// Returns the leaves for which `wanted` is true, in the order of ``walk(where:_:)``.
    func leaves(where wanted: (Summary, Summary) -> Bool) -> [Found] {
        var found: [Found] = []
        walk(where: wanted) { leaf, before in
            found.append((leaf, before))
            return true
        }
        return found
    }

    /// Calls `body` with each leaf, in order, until `body` returns false. Subtrees for which `wanted` is false are
    /// skipped.
    ///
    /// `wanted` is called with the sum of all leaves before a subtree and the sum of the subtree. O(log n) for each
    /// run of wanted leaves.
    func walk(where wanted: (Summary, Summary) -> Bool, _ body: (Int, Summary) -> Bool) {
        _ = walk(below: root, levels: height, before: .empty, where: wanted, body)
    }

    private func walk(
        below node: Int32, levels: Int, before: Summary, where wanted: (Summary, Summary) -> Bool,
        _ body: (Int, Summary) -> Bool
    ) -> Bool {
        var before = before
        let first = Int(node) * Self.fanout
        for slot in first..<first + Int(counts[Int(node)]) {
            if wanted(before, sums[slot]) {
                let goesOn =
                    levels == 1
                    ? body(Int(children[slot]), before)
                    : walk(below: children[slot], levels: levels - 1, before: before, where: wanted, body)
                guard goesOn else { return false }
            }
            before = before.followed(by: sums[slot])
        }
        return true
    }
}

extension LeafTree {
    /// Changes a leaf in place and updates the sums of its ancestors. O(log n).
    mutating func update<Result>(_ leaf: Int, _ change: (inout Leaf) -> Result) -> Result {
        let result = change(&leaves[leaf])
        updateSums(Int32(leaf), leaves[leaf].summary, in: leafParents[leaf])
        return result
    }

    /// Computes all sums again, after leaves were changed without ``update(_:_:)``. O(n).
    mutating func recomputeSums() {
        _ = recomputeSums(below: root, levels: height)
    }

    private mutating func recomputeSums(below node: Int32, levels: Int) -> Summary {
        let first = Int(node) * Self.fanout
        for slot in first..<first + Int(counts[Int(node)]) {
            let child = children[slot]
            sums[slot] = levels == 1 ? leaves[Int(child)].summary : recomputeSums(below: child, levels: levels - 1)
        }
        return sum(ofNode: node)
    }

    /// Inserts a leaf after the leaf `previous`, or before all other leaves for nil. Returns the number of the new
    /// leaf. O(log n).
    @discardableResult
    mutating func insert(_ leaf: Leaf, after previous: Int?) -> Int {
        let id: Int32
        if let free = freeLeaves.popLast() {
            id = free
            leaves[Int(id)] = leaf
        } else {
            id = Int32(leaves.count)
            leaves.append(leaf)
            leafParents.append(Self.noNode)
        }
        if let previous {
            let node = leafParents[previous]
            insert(id, leaf.summary, at: slot(of: Int32(previous), in: node) + 1, in: node, level: 1)
        } else {
            var node = root
            for _ in 1..<height { node = children[Int(node) * Self.fanout] }
            insert(id, leaf.summary, at: Int(node) * Self.fanout, in: node, level: 1)
        }
        return Int(id)
    }

    /// Removes a leaf. Its number may be reused. O(log n).
    mutating func remove(_ leaf: Int) {
        leaves[leaf] = .vacant
        remove(Int32(leaf), from: leafParents[leaf])
        leafParents[leaf] = Self.noNode
        freeLeaves.append(Int32(leaf))
        while height > 1, counts[Int(root)] == 1 {
            let child = children[Int(root) * Self.fanout]
            free(root)
            root = child
            parents[Int(root)] = Self.noNode
            height -= 1
        }
        if counts[Int(root)] == 0 { height = 1 }
    }

    private mutating func updateSums(_ child: Int32, _ summary: Summary, in parent: Int32) {
        var (child, summary, node) = (child, summary, parent)
        while node != Self.noNode {
            sums[slot(of: child, in: node)] = summary
            summary = sum(ofNode: node)
            child = node
            node = parents[Int(node)]
        }
    }

    /// Inserts a child into a slot of a node. A full node is split, and its upper half goes to a new node after it.
    private mutating func insert(_ child: Int32, _ summary: Summary, at slot: Int, in node: Int32, level: Int) {
        let first = Int(node) * Self.fanout
        guard Int(counts[Int(node)]) == Self.fanout else {
            makeRoom(at: slot, in: node)
            setChild(child, summary, at: slot, in: node, level: level)
            updateSumsAbove(node)
            return
        }
        let half = Self.fanout / 2
        let sibling = makeNode()
        for index in half..<Self.fanout {
            let target = Int(sibling) * Self.fanout + index - half
            setChild(children[first + index], sums[first + index], at: target, in: sibling, level: level)
        }
        counts[Int(sibling)] = Int32(half)
        counts[Int(node)] = Int32(half)
        let goesRight = slot - first > half
        let target = goesRight ? sibling : node
        let targetSlot = goesRight ? Int(sibling) * Self.fanout + slot - first - half : slot
        makeRoom(at: targetSlot, in: target)
        setChild(child, summary, at: targetSlot, in: target, level: level)
        insertSplitNode(sibling, after: node, level: level + 1)
    }

    /// Inserts the new half of a split node after the old half. Makes a new root if necessary.
    private mutating func insertSplitNode(_ sibling: Int32, after node: Int32, level: Int) {
        var parent = parents[Int(node)]
        if parent == Self.noNode {
            parent = makeNode()
            root = parent
            height += 1
            counts[Int(parent)] = 1
            setChild(node, sum(ofNode: node), at: Int(parent) * Self.fanout, in: parent, level: level)
        }
        let slot = slot(of: node, in: parent)
        sums[slot] = sum(ofNode: node)
        insert(sibling, sum(ofNode: sibling), at: slot + 1, in: parent, level: level)
    }

    private mutating func makeRoom(at slot: Int, in node: Int32) {
        let end = Int(node) * Self.fanout + Int(counts[Int(node)])
        for index in stride(from: end, to: slot, by: -1) {
            children[index] = children[index - 1]
            sums[index] = sums[index - 1]
        }
        counts[Int(node)] += 1
    }

    private mutating func setChild(_ child: Int32, _ summary: Summary, at slot: Int, in node: Int32, level: Int) {
        children[slot] = child
        sums[slot] = summary
        if level == 1 { leafParents[Int(child)] = node } else { parents[Int(child)] = node }
    }

    private mutating func updateSumsAbove(_ node: Int32) {
        updateSums(node, sum(ofNode: node), in: parents[Int(node)])
    }

    private mutating func remove(_ child: Int32, from node: Int32) {
        let slot = slot(of: child, in: node)
        let last = Int(node) * Self.fanout + Int(counts[Int(node)]) - 1
        for index in slot..<last {
            children[index] = children[index + 1]
            sums[index] = sums[index + 1]
        }
        children[last] = Self.noNode
        sums[last] = .empty
        counts[Int(node)] -= 1
        let parent = parents[Int(node)]
        if counts[Int(node)] == 0, parent != Self.noNode {
            remove(node, from: parent)
            free(node)
        } else {
            updateSumsAbove(node)
        }
    }

    private mutating func free(_ node: Int32) {
        counts[Int(node)] = 0
        parents[Int(node)] = Self.noNode
        freeNodes.append(node)
    }
}

extension LeafTree {
    /// A description of the first broken invariant of the tree, for tests; nil if all hold.
    var brokenInvariant: String? {
        var seen = 0
        if let problem = brokenInvariant(below: root, levels: height, parent: Self.noNode, leaves: &seen) {
            return problem
        }
        return seen == count ? nil : "the tree has \(count) leaves, but \(seen) are reachable"
    }

    private func brokenInvariant(below node: Int32, levels: Int, parent: Int32, leaves seen: inout Int) -> String? {
        let count = Int(counts[Int(node)])
        if parents[Int(node)] != parent { return "node \(node) has the wrong parent" }
        if count > Self.fanout { return "node \(node) has \(count) children" }
        if count == 0, parent != Self.noNode { return "node \(node) is empty" }
        for slot in Int(node) * Self.fanout..<Int(node) * Self.fanout + count {
            let child = children[slot]
            if levels == 1 {
                seen += 1
                if leafParents[Int(child)] != node { return "leaf \(child) has the wrong parent" }
            } else if let problem = brokenInvariant(
                below: child, levels: levels - 1, parent: node, leaves: &seen)
            {
                return problem
            }
        }
        return nil
    }
}

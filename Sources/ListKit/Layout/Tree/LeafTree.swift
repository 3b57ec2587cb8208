// SPDX-License-Identifier: Apache-2.0

/// A leaf of a ``LeafTree``: a block of elements with a sum.
protocol SummarisedLeaf: Sendable {
    associatedtype Summary: TreeSummary

    /// An empty leaf, which fills the places of removed leaves.
    static var vacant: Self { get }

    /// The sum of the leaf's elements.
    var summary: Summary { get }
}

/// A sequence of leaves with the tree that finds them. Copies share what is equal in them.
struct LeafTree<Leaf: SummarisedLeaf>: Sendable {
    /// The leaves by number. Change them with ``update(_:_:)``, or call ``recomputeSums()`` afterwards.
    var leaves = PagedArray<Leaf>()
    /// The order of the leaves, and their sums.
    private(set) var order = SummaryTree<Leaf.Summary>()

    /// Makes an empty tree.
    init() {}

    /// Makes a tree from leaves in order. O(n).
    init(_ newLeaves: [Leaf]) {
        leaves = PagedArray(newLeaves)
        order = SummaryTree(newLeaves.map(\.summary))
    }

    /// Changes a leaf in place and updates the sums that it is part of. O(log n).
    mutating func update<Result>(_ leaf: Int, _ change: (inout Leaf) -> Result) -> Result {
        let result = change(&leaves[leaf])
        order.update(leaf, to: leaves[leaf].summary)
        return result
    }

    /// Computes all sums again, after leaves were changed without ``update(_:_:)``. O(n).
    mutating func recomputeSums() {
        let leaves = leaves
        order.updateAll { leaves[$0].summary }
    }

    /// Inserts a leaf after the leaf `previous`, or before all other leaves for nil. Returns the number of the new
    /// leaf. O(log n).
    @discardableResult
    mutating func insert(_ leaf: Leaf, after previous: Int?) -> Int {
        let number = order.insert(leaf.summary, after: previous)
        if number == leaves.count { leaves.append(leaf) } else { leaves[number] = leaf }
        return number
    }

    /// Removes a leaf. Its number may be used again. O(log n).
    mutating func remove(_ leaf: Int) {
        leaves[leaf] = .vacant
        order.remove(leaf)
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
        var next = order.firstLeaf
        var last: Int?
        while let leaf = next {
            if let last, leaves[leaf].wouldEqual(leaves[last], laidOutAfter: state) {
                leaves[leaf] = leaves[last]
            } else {
                leaves[leaf].layOut(after: state, rules: rules)
            }
            last = leaf
            state = leaves[leaf].exit
            next = order.leaf(after: leaf)
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
            let state = order.leaf(before: leaf).map { leaves[$0].exit } ?? start
            guard isTouched || leaves[leaf].entry != state else {
                next = nil
                continue
            }
            update(leaf) { $0.layOut(after: state, rules: rules) }
            next = order.leaf(after: leaf)
        }
    }
}

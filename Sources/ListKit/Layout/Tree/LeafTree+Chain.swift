// SPDX-License-Identifier: Apache-2.0

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

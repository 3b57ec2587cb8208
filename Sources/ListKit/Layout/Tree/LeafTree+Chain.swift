// SPDX-License-Identifier: Apache-2.0

/// A leaf whose content depends on the state after the leaf before it.
protocol ChainedLeaf: SummarisedLeaf {
    associatedtype State: Equatable
    associatedtype Rules

    /// The state at the entry that the leaf was laid out with.
    var entry: State { get }

    /// The state for the leaf after it.
    var handOver: State { get }

    /// Lays out the content again.
    mutating func layOut(after state: State, rules: Rules)

    /// Whether laying out would make the leaf equal to another one; false when that takes more than O(1) to find out.
    func isLaidOut(like other: Self, after state: State) -> Bool
}

extension ChainedLeaf {
    func isLaidOut(like other: Self, after state: State) -> Bool { false }
}

extension LeafTree where Leaf: ChainedLeaf {
    /// Lays out every leaf, from the first to the last; O(n).
    mutating func layOutAll(from start: Leaf.State, rules: Leaf.Rules) {
        var state = start
        var next = firstLeaf
        var last: Int?
        while let leaf = next {
            if let last, leaves[leaf].isLaidOut(like: leaves[last], after: state) {
                leaves[leaf] = leaves[last]
            } else {
                leaves[leaf].layOut(after: state, rules: rules)
            }
            last = leaf
            state = leaves[leaf].handOver
            next = self.leaf(after: leaf)
        }
        sumUp()
    }

    /// Lays out touched leaves, and those after each of them whose state at the entry changes.
    ///
    /// `touched` is in order. The state at the start of a row does not depend on earlier rows, so this mostly ends at the next
    /// leaf: O(touched · log n), O(n) at worst.
    mutating func settle(_ touched: [Int], from start: Leaf.State, rules: Leaf.Rules) {
        var pending = touched[...]
        var next: Int?
        while let leaf = next ?? pending.first {
            let isTouched = pending.first == leaf
            if isTouched { pending.removeFirst() }
            let state = self.leaf(before: leaf).map { leaves[$0].handOver } ?? start
            guard isTouched || leaves[leaf].entry != state else {
                next = nil
                continue
            }
            update(leaf) { $0.layOut(after: state, rules: rules) }
            next = self.leaf(after: leaf)
        }
    }
}

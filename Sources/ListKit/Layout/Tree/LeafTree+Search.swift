// SPDX-License-Identifier: Apache-2.0

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

// SPDX-License-Identifier: Apache-2.0

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

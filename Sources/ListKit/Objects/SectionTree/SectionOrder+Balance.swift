// SPDX-License-Identifier: Apache-2.0

/// Splitting and merging; a level counts the levels of nodes below a child, 0 for leaves.
extension SectionOrder {
    /// Makes room at a place of a full leaf.
    ///
    /// - Returns: the same place between the sections, now in a leaf with room.
    mutating func split(at place: Place) -> Place {
        let right = makeLeaf()
        // Lists grow at their end: then the full leaf stays full.
        let isAtEnd = place.position == SectionOrder.leafSize && leaf(after: place.leaf) == nil
        let cut = isAtEnd ? SectionOrder.leafSize : SectionOrder.leafSize / 2
        var moved = SectionSummary.zero
        for position in cut..<SectionOrder.leafSize {
            moved += summary(at: Place(leaf: place.leaf, position: position))
        }
        transfer(from: place.leaf, cut..<SectionOrder.leafSize, to: right)
        insert(child: right, level: 0, summary: moved, after: place.leaf)
        return place.position < cut || !isAtEnd && place.position == cut
            ? place : Place(leaf: right, position: place.position - cut)
    }

    /// Moves the last sections of a leaf behind those of another one.
    private mutating func transfer(from source: Int, _ range: Range<Int>, to target: Int) {
        let (start, end) = (source * SectionOrder.leafSize, target * SectionOrder.leafSize + Int(leaves[target].count))
        words.move(from: start + range.lowerBound, to: end, count: range.count)
        items.move(from: start + range.lowerBound, to: end, count: range.count)
        var touched: Int32 = 0
        for position in end..<end + range.count {
            leafOfSlot[words[position].slot] = UInt32(truncatingIfNeeded: target)
            if !words[position].isPlain { touched += 1 }
        }
        let count = Int32(truncatingIfNeeded: range.count)
        leaves[source].count -= count
        leaves[source].touched -= touched
        leaves[target].count += count
        leaves[target].touched += touched
    }

    private func parent(of child: Int, level: Int) -> UInt32 { level == 0 ? leaves[child].parent : nodes[child].parent }

    private func setParent(of child: Int, level: Int, to parent: Int) {
        if level == 0 {
            leaves[child].parent = UInt32(truncatingIfNeeded: parent)
        } else {
            nodes[child].parent = UInt32(truncatingIfNeeded: parent)
        }
    }

    /// Puts a child that was split off behind the one it comes from.
    private mutating func insert(child: Int, level: Int, summary: SectionSummary, after sibling: Int) {
        if parent(of: sibling, level: level) == SectionOrder.none {
            growRoot(level: level)
        }
        var node = Int(parent(of: sibling, level: level))
        if Int(nodes[node].count) == SectionOrder.nodeSize {
            splitNode(node, level: level + 1, near: position(of: sibling, in: node))
            node = Int(parent(of: sibling, level: level))
        }
        let start = node * SectionOrder.nodeSize
        let place = start + position(of: sibling, in: node)
        sums[place] = sums[place] - summary
        let moved = start + Int(nodes[node].count) - place - 1
        children.move(from: place + 1, to: place + 2, count: moved)
        sums.move(from: place + 1, to: place + 2, count: moved)
        children[place + 1] = UInt32(truncatingIfNeeded: child)
        sums[place + 1] = summary
        nodes[node].count += 1
        setParent(of: child, level: level, to: node)
    }

    /// Puts a node above the topmost one.
    private mutating func growRoot(level: Int) {
        let node = makeNode()
        children[node * SectionOrder.nodeSize] = UInt32(truncatingIfNeeded: root)
        sums[node * SectionOrder.nodeSize] = total
        nodes[node].count = 1
        setParent(of: root, level: level, to: node)
        root = node
        height += 1
    }

    private mutating func splitNode(_ node: Int, level: Int, near position: Int) {
        let right = makeNode()
        let isAtEnd = position == SectionOrder.nodeSize - 1
        let cut = isAtEnd ? SectionOrder.nodeSize - 1 : SectionOrder.nodeSize / 2
        let moved = transferChildren(from: node, cut..<SectionOrder.nodeSize, to: right, level: level)
        insert(child: right, level: level, summary: moved, after: node)
    }

    private mutating func transferChildren(
        from source: Int, _ range: Range<Int>, to target: Int, level: Int
    ) -> SectionSummary {
        let start = source * SectionOrder.nodeSize
        let end = target * SectionOrder.nodeSize + Int(nodes[target].count)
        children.move(from: start + range.lowerBound, to: end, count: range.count)
        sums.move(from: start + range.lowerBound, to: end, count: range.count)
        var moved = SectionSummary.zero
        for position in end..<end + range.count {
            moved += sums[position]
            setParent(of: Int(children[position]), level: level - 1, to: target)
        }
        nodes[source].count -= Int32(truncatingIfNeeded: range.count)
        nodes[target].count += Int32(truncatingIfNeeded: range.count)
        return moved
    }

    /// Joins a leaf that became small with a neighbour, or drops it when it is empty.
    mutating func shrink(leaf: Int) {
        guard leaves[leaf].parent != SectionOrder.none else { return }
        if leaves[leaf].count == 0 { return remove(child: leaf, level: 0) }
        guard let (left, right) = neighbours(of: leaf, level: 0) else { return }
        let room = SectionOrder.leafSize * 3 / 4 - Int(leaves[left].count)
        guard Int(leaves[right].count) <= room else { return }
        transfer(from: right, 0..<Int(leaves[right].count), to: left)
        join(left, right, level: 0)
    }

    private mutating func shrink(node: Int, level: Int) {
        guard let (left, right) = neighbours(of: node, level: level) else { return }
        let room = SectionOrder.nodeSize * 3 / 4 - Int(nodes[left].count)
        guard Int(nodes[right].count) <= room else { return }
        _ = transferChildren(from: right, 0..<Int(nodes[right].count), to: left, level: level)
        join(left, right, level: level)
    }

    /// A child and one beside it in the same node, in their order.
    private func neighbours(of child: Int, level: Int) -> (left: Int, right: Int)? {
        let node = Int(parent(of: child, level: level))
        let place = position(of: child, in: node)
        let start = node * SectionOrder.nodeSize
        if place + 1 < Int(nodes[node].count) { return (child, Int(children[start + place + 1])) }
        return place > 0 ? (Int(children[start + place - 1]), child) : nil
    }

    /// Gives what the node knows of a child that was emptied to the one before it, and drops it.
    private mutating func join(_ left: Int, _ right: Int, level: Int) {
        let node = Int(parent(of: left, level: level))
        let place = node * SectionOrder.nodeSize + position(of: left, in: node)
        sums[place] += sums[place + 1]
        remove(child: right, level: level)
    }

    private mutating func remove(child: Int, level: Int) {
        let node = Int(parent(of: child, level: level))
        let start = node * SectionOrder.nodeSize
        let place = start + position(of: child, in: node)
        let moved = start + Int(nodes[node].count) - place - 1
        children.move(from: place + 1, to: place, count: moved)
        sums.move(from: place + 1, to: place, count: moved)
        nodes[node].count -= 1
        if level == 0 { freeLeaves.append(child) } else { freeNodes.append(child) }
        if node == root {
            lowerRoot()
        } else if nodes[node].count == 0 {
            remove(child: node, level: level + 1)
        } else if nodes[node].count < Int32(SectionOrder.nodeSize / 4) {
            shrink(node: node, level: level + 1)
        }
    }

    /// Takes away topmost nodes that have a single child.
    private mutating func lowerRoot() {
        while height > 0, nodes[root].count == 1 {
            let child = Int(children[root * SectionOrder.nodeSize])
            freeNodes.append(root)
            root = child
            height -= 1
            if height == 0 {
                leaves[root].parent = SectionOrder.none
            } else {
                nodes[root].parent = SectionOrder.none
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension SectionOrder {
    /// Returns the place of the section at an index in one state; `nil` if there is no such section.
    func place(at index: Int, _ side: ListSide) -> Place? {
        guard index >= 0, index < total.count(side) else { return nil }
        var rest = index
        var node = root
        var inside = total.count(side)
        for _ in 0..<height {
            let start = node * SectionOrder.nodeSize
            let child = sums.withRun(from: start, count: SectionOrder.nodeSize) { sums in
                var child = 0
                while child < sums.count - 1, rest >= sums[child].count(side) {
                    rest -= sums[child].count(side)
                    child += 1
                }
                return child
            }
            inside = sums[start + child].count(side)
            node = Int(children[start + child])
        }
        // In a leaf without inserted or removed sections, positions and indexes are equal.
        if inside == Int(leaves[node].count) { return Place(leaf: node, position: rest) }
        return Place(leaf: node, position: position(in: node, at: rest, side))
    }

    private func position(in leaf: Int, at index: Int, _ side: ListSide) -> Int {
        var rest = index
        var position = 0
        while true {
            if words[leaf * SectionOrder.leafSize + position].isPresent(side) {
                if rest == 0 { return position }
                rest -= 1
            }
            position += 1
        }
    }

    /// Returns the section and the index of an item in one state; `nil` if there is no such item.
    ///
    /// - Parameter item: the number of items before the item in the list.
    /// - Returns: the place and the index of the section, and the index of the item in the section.
    func place(ofItem item: Int, _ side: ListSide) -> (place: Place, section: Int, item: Int)? {
        guard item >= 0, item < total.items(side) else { return nil }
        var (rest, index, node) = (item, 0, root)
        for _ in 0..<height {
            var child = node * SectionOrder.nodeSize
            while rest >= sums[child].items(side) {
                rest -= sums[child].items(side)
                index += sums[child].count(side)
                child += 1
            }
            node = Int(children[child])
        }
        var position = 0
        while true {
            let summary = summary(at: Place(leaf: node, position: position))
            if rest < summary.items(side) { break }
            rest -= summary.items(side)
            index += summary.count(side)
            position += 1
        }
        return (Place(leaf: node, position: position), index, rest)
    }

    /// Returns the place of a slot.
    func place(ofSlot slot: Int) -> Place {
        let leaf = Int(leafOfSlot[slot])
        let position = words.withRun(from: leaf * SectionOrder.leafSize, count: SectionOrder.leafSize) { words in
            var position = 0
            while position < words.count, words[position].slot != slot { position += 1 }
            return position
        }
        return Place(leaf: leaf, position: position)
    }

    /// Returns the summary of all sections before a place: their number and the number of their items, in both states.
    func summary(before place: Place) -> SectionSummary {
        var summary = SectionSummary.zero
        if leaves[place.leaf].touched == 0 {
            let count = items.withRun(from: place.leaf * SectionOrder.leafSize, count: place.position) { items in
                items.indices.reduce(into: 0 as Int64) { $0 &+= Int64(items[$1]) }
            }
            let index = Int32(truncatingIfNeeded: place.position)
            summary = SectionSummary(oldCount: index, newCount: index, oldItems: count, newItems: count)
        } else {
            for position in 0..<place.position {
                summary += self.summary(at: Place(leaf: place.leaf, position: position))
            }
        }
        var (below, parent) = (place.leaf, leaves[place.leaf].parent)
        while parent != SectionOrder.none {
            let start = Int(parent) * SectionOrder.nodeSize
            var child = start
            while children[child] != UInt32(truncatingIfNeeded: below) {
                summary += sums[child]
                child += 1
            }
            (below, parent) = (Int(parent), nodes[Int(parent)].parent)
        }
        return summary
    }

    /// Returns the summary of the section at a place.
    @inline(__always)
    func summary(at place: Place) -> SectionSummary {
        let position = place.leaf * SectionOrder.leafSize + place.position
        return summary(of: words[position], items: items[position])
    }

    /// Returns the word of the section at a place.
    @inline(__always)
    func word(at place: Place) -> SectionWord { words[place.leaf * SectionOrder.leafSize + place.position] }

    /// Returns the number of items of the section at a place.
    ///
    /// For a removed section, this is the number before the transaction; otherwise, the number after it.
    @inline(__always)
    func itemCount(at place: Place) -> Int32 { items[place.leaf * SectionOrder.leafSize + place.position] }

    /// Returns the leaf that follows a leaf in the order; `nil` for the last leaf.
    func leaf(after leaf: Int) -> Int? {
        var (below, parent, level) = (leaf, leaves[leaf].parent, 0)
        while parent != SectionOrder.none {
            let node = Int(parent)
            let child = position(of: below, in: node) + 1
            if child < Int(nodes[node].count) {
                return firstLeaf(below: Int(children[node * SectionOrder.nodeSize + child]), levels: level)
            }
            (below, parent, level) = (node, nodes[node].parent, level + 1)
        }
        return nil
    }

    /// Returns the first leaf below a node.
    ///
    /// - Parameter levels: the number of levels below the node; 0 if the node is a leaf.
    func firstLeaf(below node: Int, levels: Int) -> Int {
        var node = node
        for _ in 0..<levels { node = Int(children[node * SectionOrder.nodeSize]) }
        return node
    }

    /// Returns the position of a child in its node.
    @inline(__always)
    func position(of child: Int, in node: Int) -> Int {
        var position = 0
        while children[node * SectionOrder.nodeSize + position] != UInt32(truncatingIfNeeded: child) { position += 1 }
        return position
    }
}

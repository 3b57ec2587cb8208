// SPDX-License-Identifier: Apache-2.0

extension SectionOrder {
    /// Puts a section in front of the one with an index after the transaction, or at the end.
    mutating func insert(_ word: SectionWord, items count: Int32, at index: Int) {
        leafOfSlot.reserve(word.slot + 1)
        var place = self.place(at: index, .new) ?? endPlace
        if Int(leaves[place.leaf].count) == SectionOrder.leafSize { place = split(at: place) }
        let start = place.leaf * SectionOrder.leafSize
        let moved = Int(leaves[place.leaf].count) - place.position
        words.move(from: start + place.position, to: start + place.position + 1, count: moved)
        items.move(from: start + place.position, to: start + place.position + 1, count: moved)
        words[start + place.position] = word
        items[start + place.position] = count
        leaves[place.leaf].count += 1
        if !word.isPlain { leaves[place.leaf].touched += 1 }
        leafOfSlot[word.slot] = UInt32(truncatingIfNeeded: place.leaf)
        add(summary(at: place), above: place.leaf)
    }

    /// Takes a section out of the tree.
    mutating func remove(slot: Int) {
        let place = place(ofSlot: slot)
        let start = place.leaf * SectionOrder.leafSize
        add(.zero - summary(at: place), above: place.leaf)
        if !words[start + place.position].isPlain { leaves[place.leaf].touched -= 1 }
        oldItems[slot] = nil
        let moved = Int(leaves[place.leaf].count) - place.position - 1
        words.move(from: start + place.position + 1, to: start + place.position, count: moved)
        items.move(from: start + place.position + 1, to: start + place.position, count: moved)
        leaves[place.leaf].count -= 1
        leafOfSlot[slot] = SectionOrder.none
        if leaves[place.leaf].count < Int32(SectionOrder.leafSize / 4) { shrink(leaf: place.leaf) }
    }

    /// Changes the states and the number of items of a section.
    ///
    /// - Parameter old: the number of items before the transaction, for a word that is marked as changed.
    mutating func update(slot: Int, to word: SectionWord, items count: Int32, old: Int32?) {
        let place = place(ofSlot: slot)
        let position = place.leaf * SectionOrder.leafSize + place.position
        let before = summary(at: place)
        if !words[position].isPlain { leaves[place.leaf].touched -= 1 }
        words[position] = word
        items[position] = count
        oldItems[slot] = old
        if !word.isPlain { leaves[place.leaf].touched += 1 }
        add(summary(at: place) - before, above: place.leaf)
    }

    /// Gives every section another number of items, while no transaction is open.
    mutating func recount(_ count: (_ slot: Int, _ items: Int32) -> Int32) {
        total = recount(below: root, levels: height, count)
    }

    private mutating func recount(
        below node: Int, levels: Int, _ count: (_ slot: Int, _ items: Int32) -> Int32
    ) -> SectionSummary {
        var sum = SectionSummary.zero
        if levels == 0 {
            for position in node * SectionOrder.leafSize..<node * SectionOrder.leafSize + Int(leaves[node].count) {
                items[position] = count(words[position].slot, items[position])
                sum += summary(of: words[position], items: items[position])
            }
        } else {
            for place in node * SectionOrder.nodeSize..<node * SectionOrder.nodeSize + Int(nodes[node].count) {
                let below = recount(below: Int(children[place]), levels: levels - 1, count)
                sums[place] = below
                sum += below
            }
        }
        return sum
    }

    /// Behind the last section.
    private var endPlace: Place {
        var node = root
        for _ in 0..<height { node = Int(children[node * SectionOrder.nodeSize + Int(nodes[node].count) - 1]) }
        return Place(leaf: node, position: Int(leaves[node].count))
    }

    /// Adds to what the tree knows of a leaf.
    private mutating func add(_ difference: SectionSummary, above leaf: Int) {
        if difference == .zero { return }
        total += difference
        var (below, parent) = (leaf, leaves[leaf].parent)
        while parent != SectionOrder.none {
            let node = Int(parent)
            let child = node * SectionOrder.nodeSize + position(of: below, in: node)
            sums[child] = sums[child] + difference
            (below, parent) = (node, nodes[node].parent)
        }
    }
}

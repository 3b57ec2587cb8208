// SPDX-License-Identifier: Apache-2.0

/// The order of the sections of a list, as a B+tree.
///
/// A leaf holds up to 64 sections: their slots, their states and their numbers of items. An inner node holds up to
/// 32 children, each with the numbers of sections and items below it, before and after the open transaction. Slabs
/// hold all of these numbers. It takes O(log n) to find a section by its index in either state, and to find the
/// index of a slot.
struct SectionOrder: ~Copyable {
    static let leafSize = 64
    static let nodeSize = 32
    static let none = UInt32.max

    /// The header of a leaf or of an inner node.
    struct Info: BitwiseCopyable {
        var count: Int32 = 0
        var parent: UInt32 = SectionOrder.none
        /// The number of sections in a leaf that the open transaction has touched; 0 for inner nodes.
        var touched: Int32 = 0
    }

    /// The place of a section: a leaf, and a position in the leaf.
    struct Place: Equatable {
        var leaf: Int
        var position: Int
    }

    // Each leaf has `leafSize` words and numbers of items.
    private(set) var words = Slabs<SectionWord>(
        blockSize: 4096, filler: SectionWord(slot: 0, isOld: false, isNew: false))
    private(set) var items: SparseSlabs<Int32>
    private(set) var leaves = Slabs<Info>(blockSize: 64, filler: Info())
    private(set) var leafCount = 0
    private(set) var freeLeaves: [Int] = []

    // Each inner node has `nodeSize` children and their summaries.
    private(set) var children = Slabs<UInt32>(blockSize: 1024, filler: SectionOrder.none)
    private(set) var sums = Slabs<SectionSummary>(blockSize: 1024, filler: .zero)
    private(set) var nodes = Slabs<Info>(blockSize: 32, filler: Info())
    private(set) var nodeCount = 0
    private(set) var freeNodes: [Int] = []

    /// The leaf of each slot.
    private(set) var leafOfSlot = Slabs<UInt32>(blockSize: 1024, filler: SectionOrder.none)
    /// The numbers of items before the transaction, for the slots of sections that are marked as changed.
    private(set) var oldItems: [Int: Int32] = [:]

    /// The number of levels of inner nodes above the leaves.
    private(set) var height = 0
    /// The topmost node; a leaf if `height` is 0.
    private(set) var root = 0
    private(set) var total = SectionSummary.zero

    /// Creates an order without sections.
    ///
    /// - Parameter usualItems: the number of items of most sections. As long as neighbours have this number, their
    ///   numbers take no memory.
    init(usualItems: Int32 = 1) {
        items = SectionOrder.makeItems(usual: usualItems)
        root = makeLeaf()
    }

    private static func makeItems(usual: Int32) -> SparseSlabs<Int32> { SparseSlabs(blockSize: 1024, filler: usual) }

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

    /// Returns the summary of a section.
    @inline(__always)
    func summary(of word: SectionWord, items: Int32) -> SectionSummary {
        var summary = SectionSummary.zero
        if word.isNew {
            summary.newCount = 1
            summary.newItems = Int64(items)
            summary.newSingles = items == 1 ? 1 : 0
        }
        if word.isOld {
            summary.oldCount = 1
            let before = word.isChanged ? oldItems[word.slot] ?? items : items
            summary.oldItems = Int64(before)
            summary.oldSingles = before == 1 ? 1 : 0
        }
        return summary
    }
}

extension SectionOrder {
    /// Creates the order of the slots 0, 1, 2 …, without an open transaction.
    ///
    /// - Complexity: O(n).
    init(itemCounts: [Int32]) {
        self.init(usualItems: itemCounts.first ?? 1)
        guard !itemCounts.isEmpty else { return }
        leafOfSlot.reserve(itemCounts.count)
        // The room left in each leaf lets the first inserts do without a split.
        var level = fillLeaves(itemCounts, size: SectionOrder.leafSize * 7 / 8)
        while level.count > 1 {
            level = fillNodes(level, size: SectionOrder.nodeSize * 7 / 8)
            height += 1
        }
        root = level[0].child
        total = level[0].sum
    }

    private mutating func fillLeaves(_ itemCounts: [Int32], size: Int) -> [(child: Int, sum: SectionSummary)] {
        var filled: [(child: Int, sum: SectionSummary)] = []
        for first in stride(from: 0, to: itemCounts.count, by: size) {
            let leaf = first == 0 ? root : makeLeaf()
            let range = first..<min(first + size, itemCounts.count)
            var sum = SectionSummary.zero
            for slot in range {
                let position = leaf * SectionOrder.leafSize + slot - first
                words[position] = SectionWord(slot: slot, isOld: true, isNew: true)
                items[position] = itemCounts[slot]
                leafOfSlot[slot] = UInt32(truncatingIfNeeded: leaf)
                sum += summary(of: words[position], items: items[position])
            }
            leaves[leaf].count = Int32(truncatingIfNeeded: range.count)
            filled.append((leaf, sum))
        }
        return filled
    }

    private mutating func fillNodes(
        _ level: [(child: Int, sum: SectionSummary)], size: Int
    ) -> [(child: Int, sum: SectionSummary)] {
        var filled: [(child: Int, sum: SectionSummary)] = []
        for first in stride(from: 0, to: level.count, by: size) {
            let node = makeNode()
            let range = first..<min(first + size, level.count)
            var sum = SectionSummary.zero
            for position in range {
                let place = node * SectionOrder.nodeSize + position - first
                children[place] = UInt32(truncatingIfNeeded: level[position].child)
                sums[place] = level[position].sum
                sum += level[position].sum
                if height == 0 {
                    leaves[level[position].child].parent = UInt32(truncatingIfNeeded: node)
                } else {
                    nodes[level[position].child].parent = UInt32(truncatingIfNeeded: node)
                }
            }
            nodes[node].count = Int32(truncatingIfNeeded: range.count)
            filled.append((node, sum))
        }
        return filled
    }
}

extension SectionOrder {
    /// Inserts a section before the section at an index in the new state, or at the end.
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

    /// Removes a section from both states.
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
        if leaves[place.leaf].count < Int32(SectionOrder.leafSize / 4) { mergeOrRemove(leaf: place.leaf) }
    }

    /// Replaces the word and the number of items of a section.
    ///
    /// - Parameter old: the number of items before the transaction, if the word is marked as changed.
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

    /// Sets the numbers of items of all sections. Requires that no transaction is open.
    ///
    /// - Parameter count: returns the new number of items for a slot and its current number of items.
    mutating func recount(_ count: (_ slot: Int, _ items: Int32) -> Int32) {
        var counts = SectionOrder.makeItems(usual: 1)
        counts.reserve(items.capacity)
        total = recount(below: root, levels: height, into: &counts, count)
        swap(&counts, &items)
    }

    private func recount(
        below node: Int, levels: Int, into counts: inout SparseSlabs<Int32>,
        _ count: (_ slot: Int, _ items: Int32) -> Int32
    ) -> SectionSummary {
        var sum = SectionSummary.zero
        if levels == 0 {
            for position in node * SectionOrder.leafSize..<node * SectionOrder.leafSize + Int(leaves[node].count) {
                counts[position] = count(words[position].slot, items[position])
                sum += summary(of: words[position], items: counts[position])
            }
        } else {
            for place in node * SectionOrder.nodeSize..<node * SectionOrder.nodeSize + Int(nodes[node].count) {
                let below = recount(below: Int(children[place]), levels: levels - 1, into: &counts, count)
                sums[place] = below
                sum += below
            }
        }
        return sum
    }

    /// The place after the last section.
    private var endPlace: Place {
        var node = root
        for _ in 0..<height { node = Int(children[node * SectionOrder.nodeSize + Int(nodes[node].count) - 1]) }
        return Place(leaf: node, position: Int(leaves[node].count))
    }

    /// Adds a difference to all summaries on the path from a leaf to the root.
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

/// Splits and merges of leaves and nodes. A `level` is the number of levels below a child; 0 for leaves.
extension SectionOrder {
    /// Splits a full leaf to make room for a section at a place.
    ///
    /// - Returns: the same position in the order as `place`, in a leaf with room.
    mutating func split(at place: Place) -> Place {
        let right = makeLeaf()
        // Most lists grow at their end. There, the full leaf stays full and the next section starts a new leaf.
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

    /// Moves the last sections of a leaf to the end of another leaf.
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

    /// Inserts a child that was split off, directly after the child that it was split from.
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

    /// Adds a new root above the current root.
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

    /// Merges a small leaf with a neighbour if both fit into one leaf; removes an empty leaf.
    mutating func mergeOrRemove(leaf: Int) {
        guard leaves[leaf].parent != SectionOrder.none else { return }
        if leaves[leaf].count == 0 { return remove(child: leaf, level: 0) }
        guard let (left, right) = neighbours(of: leaf, level: 0) else { return }
        let room = SectionOrder.leafSize * 3 / 4 - Int(leaves[left].count)
        guard Int(leaves[right].count) <= room else { return }
        transfer(from: right, 0..<Int(leaves[right].count), to: left)
        removeEmptied(right, after: left, level: 0)
    }

    private mutating func merge(node: Int, level: Int) {
        guard let (left, right) = neighbours(of: node, level: level) else { return }
        let room = SectionOrder.nodeSize * 3 / 4 - Int(nodes[left].count)
        guard Int(nodes[right].count) <= room else { return }
        _ = transferChildren(from: right, 0..<Int(nodes[right].count), to: left, level: level)
        removeEmptied(right, after: left, level: level)
    }

    /// Returns a child and an adjacent child of the same node, in their order; `nil` if it is the only child.
    private func neighbours(of child: Int, level: Int) -> (left: Int, right: Int)? {
        let node = Int(parent(of: child, level: level))
        let place = position(of: child, in: node)
        let start = node * SectionOrder.nodeSize
        if place + 1 < Int(nodes[node].count) { return (child, Int(children[start + place + 1])) }
        return place > 0 ? (Int(children[start + place - 1]), child) : nil
    }

    /// Removes an empty child and adds its summary to the summary of the child before it.
    private mutating func removeEmptied(_ right: Int, after left: Int, level: Int) {
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
            merge(node: node, level: level + 1)
        }
    }

    /// Removes the root as long as it has a single child, which becomes the new root.
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

/// One of the two states of a list: before or after the open transaction. Without a transaction, both are equal.
@_spi(Daemon) @frozen public enum ListSide: Sendable {
    /// The state before the transaction.
    case old
    /// The state after the transaction.
    case new
}

/// The numbers of sections, of sections with exactly one item, and of items in a part of the list, before and after the
/// open transaction.
struct SectionSummary: BitwiseCopyable, Equatable {
    var oldCount: Int32 = 0
    var newCount: Int32 = 0
    var oldSingles: Int32 = 0
    var newSingles: Int32 = 0
    var oldItems: Int64 = 0
    var newItems: Int64 = 0

    static let zero = SectionSummary()

    static func + (lhs: SectionSummary, rhs: SectionSummary) -> SectionSummary {
        SectionSummary(
            oldCount: lhs.oldCount &+ rhs.oldCount, newCount: lhs.newCount &+ rhs.newCount,
            oldSingles: lhs.oldSingles &+ rhs.oldSingles, newSingles: lhs.newSingles &+ rhs.newSingles,
            oldItems: lhs.oldItems &+ rhs.oldItems, newItems: lhs.newItems &+ rhs.newItems)
    }

    static func - (lhs: SectionSummary, rhs: SectionSummary) -> SectionSummary {
        SectionSummary(
            oldCount: lhs.oldCount &- rhs.oldCount, newCount: lhs.newCount &- rhs.newCount,
            oldSingles: lhs.oldSingles &- rhs.oldSingles, newSingles: lhs.newSingles &- rhs.newSingles,
            oldItems: lhs.oldItems &- rhs.oldItems, newItems: lhs.newItems &- rhs.newItems)
    }

    static func += (lhs: inout SectionSummary, rhs: SectionSummary) { lhs = lhs + rhs }

    /// Returns the number of sections in one state.
    @inline(__always)
    func count(_ side: ListSide) -> Int { side == .old ? Int(oldCount) : Int(newCount) }

    /// Returns the number of items in one state.
    @inline(__always)
    func items(_ side: ListSide) -> Int { side == .old ? Int(oldItems) : Int(newItems) }

    /// Returns whether every section has exactly one item in one state.
    @inline(__always)
    func isFlat(_ side: ListSide) -> Bool { side == .old ? oldSingles == oldCount : newSingles == newCount }
}

/// The entry of a section in a leaf: the number of its slot, and flags for the states in which the section exists.
struct SectionWord: BitwiseCopyable, Equatable {
    private static let oldBit: UInt32 = 1 << 31
    private static let newBit: UInt32 = 1 << 30
    private static let changedBit: UInt32 = 1 << 29

    /// The maximum number of slots, which is limited by the bits for a slot's number.
    static let maximumSlots = Int(changedBit) - 2

    private(set) var bits: UInt32

    /// Creates the word of a section that exists in the given states.
    init(slot: Int, isOld: Bool, isNew: Bool) {
        bits = UInt32(truncatingIfNeeded: slot)
        self.isOld = isOld
        self.isNew = isNew
    }

    /// The index of the section's entry in the arrays that hold the sections' data.
    var slot: Int { Int(bits & (SectionWord.changedBit - 1)) }

    /// Whether the section existed before the transaction.
    var isOld: Bool {
        get { bits & SectionWord.oldBit != 0 }
        set { set(SectionWord.oldBit, newValue) }
    }

    /// Whether the section exists after the transaction.
    var isNew: Bool {
        get { bits & SectionWord.newBit != 0 }
        set { set(SectionWord.newBit, newValue) }
    }

    /// Whether the section had another object or number of items before the transaction.
    var isChanged: Bool {
        get { bits & SectionWord.changedBit != 0 }
        set { set(SectionWord.changedBit, newValue) }
    }

    /// Whether the transaction has not touched the section.
    var isPlain: Bool { isOld && isNew && !isChanged }

    /// Returns whether the section exists in the given state.
    func isPresent(_ side: ListSide) -> Bool { side == .old ? isOld : isNew }

    private mutating func set(_ bit: UInt32, _ flag: Bool) {
        if flag { bits |= bit } else { bits &= ~bit }
    }
}

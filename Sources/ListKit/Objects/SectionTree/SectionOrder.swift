// SPDX-License-Identifier: Apache-2.0

/// The order of the sections of a list, as a B+tree.
///
/// A leaf holds up to 64 sections: their slots, their states and their numbers of items. The tree above the leaves has
/// the numbers of sections and items below each node, before and after the open transaction. Slabs hold the leaves. It
/// takes O(log n) to find a section by its index in either state, and to find the index of a slot.
struct SectionOrder: ~Copyable {
    static let leafSize = 64
    static let none = UInt32.max

    /// The header of a leaf.
    struct LeafInfo: BitwiseCopyable {
        var count: Int32 = 0
        /// The number of sections that the open transaction has touched.
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
    private(set) var leaves = Slabs<LeafInfo>(blockSize: 64, filler: LeafInfo())

    /// The leaves in order. There is always one.
    private(set) var tree = SummaryTree<SectionSummary>()

    /// The leaf of each slot.
    private(set) var leafOfSlot = Slabs<UInt32>(blockSize: 1024, filler: SectionOrder.none)
    /// The numbers of items before the transaction, for the slots of sections that are marked as changed.
    private(set) var oldItems: [Int: Int32] = [:]

    var total: SectionSummary { tree.total }

    /// Creates an order without sections.
    ///
    /// - Parameter usualItems: the number of items of most sections. As long as neighbours have this number, their
    ///   numbers take no memory.
    init(usualItems: Int32 = 1) {
        items = SectionOrder.makeItems(usual: usualItems)
        _ = makeLeaf(after: nil)
    }

    private static func makeItems(usual: Int32) -> SparseSlabs<Int32> { SparseSlabs(blockSize: 1024, filler: usual) }

    private mutating func makeLeaf(after previous: Int?) -> Int {
        let leaf = tree.insert(.zero, after: previous)
        reserveLeaves(leaf + 1)
        leaves[leaf] = LeafInfo()
        return leaf
    }

    private mutating func reserveLeaves(_ count: Int) {
        leaves.reserve(count)
        words.reserve(count * SectionOrder.leafSize)
        items.reserve(count * SectionOrder.leafSize)
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
        let size = SectionOrder.leafSize * 7 / 8
        let leafCount = (itemCounts.count + size - 1) / size
        reserveLeaves(leafCount)
        var sums: [SectionSummary] = []
        for leaf in 0..<leafCount {
            sums.append(fill(leaf, withSlots: leaf * size..<min((leaf + 1) * size, itemCounts.count), itemCounts))
        }
        tree = SummaryTree(sums)
    }

    private mutating func fill(_ leaf: Int, withSlots slots: Range<Int>, _ itemCounts: [Int32]) -> SectionSummary {
        var sum = SectionSummary.zero
        for (position, slot) in zip((leaf * SectionOrder.leafSize)..., slots) {
            words[position] = SectionWord(slot: slot, isOld: true, isNew: true)
            items[position] = itemCounts[slot]
            leafOfSlot[slot] = UInt32(truncatingIfNeeded: leaf)
            sum += summary(of: words[position], items: items[position])
        }
        leaves[leaf].count = Int32(truncatingIfNeeded: slots.count)
        return sum
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
        tree.add(summary(at: place), to: place.leaf)
    }

    /// Removes a section from both states.
    mutating func remove(slot: Int) {
        let place = place(ofSlot: slot)
        let start = place.leaf * SectionOrder.leafSize
        tree.add(.zero - summary(at: place), to: place.leaf)
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
        let difference = summary(at: place) - before
        if difference != .zero { tree.add(difference, to: place.leaf) }
    }

    /// Sets the numbers of items of all sections. Requires that no transaction is open.
    ///
    /// - Parameter count: returns the new number of items for a slot and its current number of items.
    mutating func recount(_ count: (_ slot: Int, _ items: Int32) -> Int32) {
        var counts = SectionOrder.makeItems(usual: 1)
        counts.reserve(items.capacity)
        var tree = SummaryTree<SectionSummary>()
        swap(&tree, &self.tree)
        tree.updateAll { leaf in
            let start = leaf * SectionOrder.leafSize
            return (start..<start + Int(leaves[leaf].count)).reduce(into: .zero) { sum, position in
                counts[position] = count(words[position].slot, items[position])
                sum += summary(of: words[position], items: counts[position])
            }
        }
        swap(&tree, &self.tree)
        swap(&counts, &items)
    }

    /// The place after the last section.
    private var endPlace: Place {
        let last = tree.lastLeaf ?? 0
        return Place(leaf: last, position: Int(leaves[last].count))
    }
}

/// Splits and merges of leaves.
extension SectionOrder {
    /// Splits a full leaf to make room for a section at a place.
    ///
    /// - Returns: the same position in the order as `place`, in a leaf with room.
    private mutating func split(at place: Place) -> Place {
        // Most lists grow at their end. There, the full leaf stays full and the next section starts a new leaf.
        let isAtEnd = place.position == SectionOrder.leafSize && tree.leaf(after: place.leaf) == nil
        let cut = isAtEnd ? SectionOrder.leafSize : SectionOrder.leafSize / 2
        let right = makeLeaf(after: place.leaf)
        transfer(from: place.leaf, cut..<SectionOrder.leafSize, to: right)
        return place.position < cut || !isAtEnd && place.position == cut
            ? place : Place(leaf: right, position: place.position - cut)
    }

    /// Moves the last or all sections of a leaf to the end of another leaf.
    private mutating func transfer(from source: Int, _ range: Range<Int>, to target: Int) {
        let (start, end) = (source * SectionOrder.leafSize, target * SectionOrder.leafSize + Int(leaves[target].count))
        words.move(from: start + range.lowerBound, to: end, count: range.count)
        items.move(from: start + range.lowerBound, to: end, count: range.count)
        var (touched, sum) = (0 as Int32, SectionSummary.zero)
        for position in end..<end + range.count {
            leafOfSlot[words[position].slot] = UInt32(truncatingIfNeeded: target)
            if !words[position].isPlain { touched += 1 }
            sum += summary(of: words[position], items: items[position])
        }
        tree.add(.zero - sum, to: source)
        tree.add(sum, to: target)
        let count = Int32(truncatingIfNeeded: range.count)
        leaves[source].count -= count
        leaves[source].touched -= touched
        leaves[target].count += count
        leaves[target].touched += touched
    }

    /// Merges a small leaf with a neighbour if both fit into one leaf; removes an empty leaf.
    private mutating func mergeOrRemove(leaf: Int) {
        let next = tree.leaf(after: leaf)
        guard let left = next == nil ? tree.leaf(before: leaf) : leaf else { return }
        if leaves[leaf].count == 0 { return tree.remove(leaf) }
        let right = next ?? leaf
        guard Int(leaves[left].count + leaves[right].count) <= SectionOrder.leafSize * 3 / 4 else { return }
        transfer(from: right, 0..<Int(leaves[right].count), to: left)
        tree.remove(right)
    }
}

extension SectionOrder {
    /// Returns the place of the section at an index in one state; `nil` if there is no such section.
    func place(at index: Int, _ side: ListSide) -> Place? {
        guard index >= 0, let (leaf, before) = tree.first(where: { $0.count(side) > index }) else { return nil }
        let rest = index - before.count(side)
        // In a leaf that the transaction has not touched, positions and indexes are equal.
        if leaves[leaf].touched == 0 { return Place(leaf: leaf, position: rest) }
        return Place(leaf: leaf, position: position(in: leaf, at: rest, side))
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
        guard item >= 0, let (leaf, before) = tree.first(where: { $0.items(side) > item }) else { return nil }
        var (rest, index, position) = (item - before.items(side), before.count(side), 0)
        while true {
            let summary = summary(at: Place(leaf: leaf, position: position))
            if rest < summary.items(side) { return (Place(leaf: leaf, position: position), index, rest) }
            rest -= summary.items(side)
            index += summary.count(side)
            position += 1
        }
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
        return tree.sum(before: place.leaf).followed(by: summary)
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
struct SectionSummary: BitwiseCopyable, AdditiveArithmetic, TreeSummary {
    var oldCount: Int32 = 0
    var newCount: Int32 = 0
    var oldSingles: Int32 = 0
    var newSingles: Int32 = 0
    var oldItems: Int64 = 0
    var newItems: Int64 = 0

    static let zero = SectionSummary()
    static var empty: SectionSummary { zero }

    func followed(by next: SectionSummary) -> SectionSummary { self + next }

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

// SPDX-License-Identifier: Apache-2.0

/// A tree of the placements of a list, in the order of the sections. A change of one section is O(log n).
typealias PlacementTree = LeafTree<PlacementBlock>

extension PlacementTree {
    /// The effects of an edit.
    struct Edited {
        /// The old sections that were removed or replaced.
        var removed: [SectionPlacements] = []
        /// The leaves whose sections changed.
        var touched: Set<Int> = []
    }

    /// Makes a tree from sections in order. O(n).
    init(sections: some Sequence<SectionPlacements>) {
        var builder = PlacementBlockBuilder()
        for section in sections { builder.append(section) }
        self.init(builder.finish())
    }

    /// Applies one transaction. `inserted` and `reloaded` are the new sections, in the order of the edit's positions.
    ///
    /// O(changes · log n).
    mutating func apply(_ edit: SectionEdit, inserted: [SectionPlacements], reloaded: [SectionPlacements])
        -> Edited
    {
        var edited = Edited()
        remove(edit.removals, &edited)
        insert(zip(edit.insertions, inserted), &edited)
        replace(zip(edit.reloads, reloaded), &edited)
        return edited
    }

    private mutating func remove(_ positions: [Int], _ edited: inout Edited) {
        var rest = positions[...]
        while let last = rest.last, let (leaf, before) = order.first(where: { $0.sections > last }) {
            var sections = leaves[leaf].sections
            while let position = rest.last, position >= before.sections {
                edited.removed.append(sections.remove(at: position - before.sections))
                rest.removeLast()
            }
            store(sections, in: leaf, &edited)
        }
    }

    private mutating func insert(_ new: Zip2Sequence<[Int], [SectionPlacements]>, _ edited: inout Edited) {
        var rest = Array(new)[...]
        while let (first, section) = rest.first {
            // The section goes to the previous section's block, so that appended sections go to the last block.
            guard let (leaf, before) = order.first(where: { $0.sections >= max(1, first) }) else {
                edited.touched.insert(insert(PlacementBlock([section]), after: order.lastLeaf))
                rest.removeFirst()
                continue
            }
            let summary = leaves[leaf].summary
            let isFull =
                summary.sections >= PlacementBlock.maximumSections
                || summary.items + section.placements.count > PlacementBlock.maximumItems
            if isFull, first == before.sections + summary.sections {
                edited.touched.insert(insert(PlacementBlock([section]), after: leaf))
                rest.removeFirst()
                continue
            }
            var sections = leaves[leaf].sections
            while let (position, section) = rest.first, position <= before.sections + sections.count {
                sections.insert(section, at: position - before.sections)
                rest.removeFirst()
            }
            store(sections, in: leaf, &edited)
        }
    }

    private mutating func replace(_ new: Zip2Sequence<[Int], [SectionPlacements]>, _ edited: inout Edited) {
        var rest = Array(new)[...]
        while let (first, _) = rest.first, let (leaf, before) = order.first(where: { $0.sections > first }) {
            var sections = leaves[leaf].sections
            while let (position, section) = rest.first, position < before.sections + sections.count {
                edited.removed.append(sections[position - before.sections])
                sections[position - before.sections] = section
                rest.removeFirst()
            }
            store(sections, in: leaf, &edited)
        }
    }

    /// Stores changed sections in their block. To keep blocks well filled, a large block is split, and a small one is
    /// merged with the next block.
    private mutating func store(_ sections: [SectionPlacements], in leaf: Int, _ edited: inout Edited) {
        var sections = sections
        if sections.count < PlacementBlock.maximumSections / 4, let next = order.leaf(after: leaf) {
            let sum = leaves[next].summary
            let items = sections.reduce(sum.items) { $0 + $1.placements.count }
            if sections.isEmpty
                || (sum.sections + sections.count <= PlacementBlock.maximumSections
                    && items <= PlacementBlock.maximumItems)
            {
                sections += leaves[next].sections
                removeBlock(next, &edited)
            }
        }
        guard !sections.isEmpty else { return removeBlock(leaf, &edited) }
        let count = (sections.count + PlacementBlock.maximumSections - 1) / PlacementBlock.maximumSections
        var builder = PlacementBlockBuilder(sectionsPerBlock: (sections.count + count - 1) / count)
        for section in sections { builder.append(section) }
        var last = leaf
        for (place, block) in builder.finish().enumerated() {
            if place == 0 {
                update(leaf) { $0 = block }
            } else {
                last = insert(block, after: last)
            }
            edited.touched.insert(last)
        }
    }

    private mutating func removeBlock(_ leaf: Int, _ edited: inout Edited) {
        remove(leaf)
        edited.touched.remove(leaf)
    }
}

/// The placements of the items of one section.
struct SectionPlacements: Sendable {
    /// The number of the section, which it keeps when it moves.
    var handle: UInt32
    var placements: [ItemPlacement]
}

/// A builder that divides a sequence of sections into blocks.
struct PlacementBlockBuilder {
    private let sectionsPerBlock: Int
    private var blocks: [PlacementBlock] = []
    private var sections: [SectionPlacements] = []
    private var items = 0

    init(sectionsPerBlock: Int = PlacementBlock.maximumSections) {
        self.sectionsPerBlock = sectionsPerBlock
    }

    mutating func append(_ section: SectionPlacements) {
        let count = section.placements.count
        if sections.count == sectionsPerBlock || items + count > PlacementBlock.maximumItems { closeBlock() }
        sections.append(section)
        items += count
    }

    consuming func finish() -> [PlacementBlock] {
        closeBlock()
        return blocks
    }

    private mutating func closeBlock() {
        guard !sections.isEmpty else { return }
        blocks.append(PlacementBlock(sections))
        sections.removeAll(keepingCapacity: true)
        items = 0
    }
}

/// A block of consecutive sections with their placements.
struct PlacementBlock: SummarisedLeaf {
    /// The maximum number of sections in a block.
    static let maximumSections = 64
    /// The maximum number of items in a block of more than one section.
    static let maximumItems = PlacementPack.capacity
    static let vacant = PlacementBlock([])

    /// The handles of the sections. A section keeps its handle when it moves.
    let handles: [UInt32]
    private let itemCounts: PackedIntegers
    private var packs: [PlacementPack]
    private(set) var summary: Summary

    /// The number of sections and items, and the right and bottom edges of the items.
    struct Summary: TreeSummary {
        var sections: Int
        var items: Int
        var reach: Size

        static let empty = Summary(sections: 0, items: 0, reach: .zero)

        func followed(by next: Summary) -> Summary {
            Summary(
                sections: sections + next.sections, items: items + next.items,
                reach: Size(
                    width: max(reach.width, next.reach.width), height: max(reach.height, next.reach.height)))
        }
    }

    init(_ sections: [SectionPlacements]) {
        handles = sections.map(\.handle)
        itemCounts = PackedIntegers(sections.map { Int64($0.placements.count) }[...])
        let placements = sections.count == 1 ? sections[0].placements : sections.flatMap(\.placements)
        packs = stride(from: 0, to: placements.count, by: PlacementPack.capacity).map {
            PlacementPack(placements[$0..<min($0 + PlacementPack.capacity, placements.count)])
        }
        summary = Summary(sections: sections.count, items: placements.count, reach: .zero)
        recomputeReach()
    }

    /// The sections in an editable form.
    var sections: [SectionPlacements] {
        handles.indices.map { section in
            SectionPlacements(handle: handles[section], placements: items(of: section).map(placement(ofItem:)))
        }
    }

    func itemCount(of section: Int) -> Int { Int(itemCounts[section]) }

    /// Returns the placement of an item in a section; nil past the end of the section.
    func placement(of item: Int, in section: Int) -> ItemPlacement? {
        let items = items(of: section)
        return item >= 0 && item < items.count ? placement(ofItem: items.lowerBound + item) : nil
    }

    /// Replaces the placement of an item and returns the old one; nil past the end of the section.
    mutating func replace(_ item: Int, in section: Int, by placement: ItemPlacement) -> ItemPlacement? {
        guard let old = self.placement(of: item, in: section) else { return nil }
        let (pack, place) = (items(of: section).lowerBound + item).quotientAndRemainder(
            dividingBy: PlacementPack.capacity)
        var placements = (0..<packs[pack].count).map { packs[pack][$0] }
        placements[place] = placement
        packs[pack] = PlacementPack(placements)
        recomputeReach()
        return old
    }

    private func placement(ofItem item: Int) -> ItemPlacement {
        let (pack, place) = item.quotientAndRemainder(dividingBy: PlacementPack.capacity)
        return packs[pack][place]
    }

    private func items(of section: Int) -> Range<Int> {
        var first = 0
        for index in 0..<section { first += itemCount(of: index) }
        return first..<first + itemCount(of: section)
    }

    private mutating func recomputeReach() {
        summary.reach = packs.reduce(into: .zero) { reach, pack in
            reach.width = max(reach.width, pack.reach.width)
            reach.height = max(reach.height, pack.reach.height)
        }
    }
}

/// A pack of consecutive placements, stored in columns.
struct PlacementPack: Sendable {
    /// The maximum number of placements in a pack.
    static let capacity = 128

    private let x: PackedDoubles
    private let y: PackedDoubles
    private let width: PackedDoubles
    private let height: PackedDoubles
    private let z: PackedIntegers
    let count: Int
    /// The right and bottom edges of the non-empty frames, at least 0.
    let reach: Size

    init(_ placements: some Collection<ItemPlacement>) {
        x = PackedDoubles(placements.map(\.frame.origin.x))
        y = PackedDoubles(placements.map(\.frame.origin.y))
        width = PackedDoubles(placements.map(\.frame.size.width))
        height = PackedDoubles(placements.map(\.frame.size.height))
        z = PackedIntegers(placements.map { Int64($0.zIndex) }[...])
        count = placements.count
        var reach = Size.zero
        for placement in placements where placement.isVisible {
            reach.width = max(reach.width, placement.frame.maxX)
            reach.height = max(reach.height, placement.frame.maxY)
        }
        self.reach = reach
    }

    subscript(index: Int) -> ItemPlacement {
        ItemPlacement(
            frame: Rect(x: x[index], y: y[index], width: width[index], height: height[index]), zIndex: Int(z[index]))
    }
}

extension ItemPlacement {
    /// The placement with valid numbers: NaN and infinite numbers make the frame empty, negative lengths become 0,
    /// and coordinates beyond ±10¹² are clamped.
    var checked: ItemPlacement {
        let numbers = [frame.origin.x, frame.origin.y, frame.size.width, frame.size.height]
        guard numbers.allSatisfy(\.isFinite) else { return ItemPlacement(frame: .zero, zIndex: zIndex) }
        func clamped(_ value: Double) -> Double { min(max(value, -1e12), 1e12) }
        return ItemPlacement(
            frame: Rect(
                x: clamped(frame.origin.x), y: clamped(frame.origin.y), width: clamped(max(0, frame.size.width)),
                height: clamped(max(0, frame.size.height))),
            zIndex: zIndex)
    }

    /// Whether the frame is not empty.
    var isVisible: Bool { frame.size.width > 0 && frame.size.height > 0 }
}

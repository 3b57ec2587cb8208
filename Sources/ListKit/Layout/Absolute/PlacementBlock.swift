// SPDX-License-Identifier: Apache-2.0

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

    /// A section of a block.
    struct Section: Sendable {
        var handle: UInt32
        var placements: [ItemPlacement]
    }

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

    init(_ sections: [Section]) {
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
    var sections: [Section] {
        handles.indices.map { section in
            Section(handle: handles[section], placements: items(of: section).map(placement(ofItem:)))
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

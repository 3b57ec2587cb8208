// SPDX-License-Identifier: Apache-2.0

/// A tree of the placements of a list, in the order of the sections. A change of one section is O(log n).
typealias PlacementTree = LeafTree<PlacementBlock>

extension PlacementTree {
    /// The effects of an edit.
    struct Edited {
        /// The old sections that were removed or replaced.
        var removed: [PlacementBlock.Section] = []
        /// The leaves whose sections changed.
        var touched: Set<Int> = []
    }

    /// Makes a tree from sections in order. O(n).
    init(sections: some Sequence<PlacementBlock.Section>) {
        var builder = PlacementBlockBuilder()
        for section in sections { builder.append(section) }
        self.init(builder.finish())
    }

    /// Applies one transaction. `inserted` and `reloaded` are the new sections, in the order of the edit's positions.
    ///
    /// O(changes · log n).
    mutating func apply(_ edit: SectionEdit, inserted: [PlacementBlock.Section], reloaded: [PlacementBlock.Section])
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
        while let last = rest.last, let (leaf, before) = first(where: { $0.sections > last }) {
            var sections = leaves[leaf].sections
            while let position = rest.last, position >= before.sections {
                edited.removed.append(sections.remove(at: position - before.sections))
                rest.removeLast()
            }
            store(sections, in: leaf, &edited)
        }
    }

    private mutating func insert(_ new: Zip2Sequence<[Int], [PlacementBlock.Section]>, _ edited: inout Edited) {
        var rest = Array(new)[...]
        while let (first, section) = rest.first {
            // The section goes to the previous section's block, so that appended sections go to the last block.
            guard let (leaf, before) = self.first(where: { $0.sections >= max(1, first) }) else {
                edited.touched.insert(insert(PlacementBlock([section]), after: lastLeaf))
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

    private mutating func replace(_ new: Zip2Sequence<[Int], [PlacementBlock.Section]>, _ edited: inout Edited) {
        var rest = Array(new)[...]
        while let (first, _) = rest.first, let (leaf, before) = self.first(where: { $0.sections > first }) {
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
    private mutating func store(_ sections: [PlacementBlock.Section], in leaf: Int, _ edited: inout Edited) {
        var sections = sections
        if sections.count < PlacementBlock.maximumSections / 4, let next = self.leaf(after: leaf) {
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

/// A builder that divides a sequence of sections into blocks.
struct PlacementBlockBuilder {
    private let sectionsPerBlock: Int
    private var blocks: [PlacementBlock] = []
    private var sections: [PlacementBlock.Section] = []
    private var items = 0

    init(sectionsPerBlock: Int = PlacementBlock.maximumSections) {
        self.sectionsPerBlock = sectionsPerBlock
    }

    mutating func append(_ section: PlacementBlock.Section) {
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

// SPDX-License-Identifier: Apache-2.0

extension SectionOrder {
    /// Makes the order of slots 0, 1, 2 … that no transaction has touched.
    ///
    /// - Complexity: O(n).
    init(itemCounts: [Int32]) {
        self.init()
        guard !itemCounts.isEmpty else { return }
        leafOfSlot.reserve(itemCounts.count)
        // Some room in each leaf, so that the first inserts do not split.
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

// SPDX-License-Identifier: Apache-2.0

/// Divides a sequence of sections into chunks, which have to be laid out after that.
struct SectionCutter {
    private let rules: FlowRules
    private var chunks: [FlowChunk] = []
    private var columns = PackColumns()

    init(rules: FlowRules) {
        self.rules = rules
    }

    /// Adds the sections of a range, as the source describes them.
    mutating func append(_ sections: Range<Int>, source: some LayoutSource) {
        var section = sections.lowerBound
        while section < sections.upperBound {
            let run = source.run(fromSection: section)
            let answer = SectionAnswer(run.metrics, rules: rules)
            let count = min(max(1, run.count), sections.upperBound - section)
            if count > 1, let size = answer.uniform, !answer.isLarge {
                append(count, like: answer, size: size)
                section += count
            } else {
                append(answer, section: section, source: source)
                section += 1
            }
        }
    }

    /// Adds the section that the source describes.
    mutating func append(section: Int, source: some LayoutSource) {
        append(SectionAnswer(section: section, source: source, rules: rules), section: section, source: source)
    }

    /// Adds sections that are all alike; O(packs).
    private mutating func append(_ count: Int, like answer: SectionAnswer, size: AxisSize) {
        let most = min(
            SectionPack.maximumSections, SectionPack.maximumItems / max(1, answer.itemCount))
        var left = count
        if left >= most {
            closePack()
            let pack = SectionPack(repeating: answer, size: size, count: most)
            chunks.append(contentsOf: repeatElement(FlowChunk(.sections(pack)), count: left / most))
            left %= most
        }
        for _ in 0..<left {
            makeRoom(answer.itemCount)
            columns.append(answer.style)
            for _ in 0..<answer.itemCount { columns.append(size) }
        }
    }

    private mutating func append(_ answer: SectionAnswer, section: Int, source: some LayoutSource) {
        if answer.isLarge {
            append(LargeSection(answer, section: section, source: source, rules: rules))
        } else {
            makeRoom(answer.itemCount)
            columns.append(answer.style)
            for item in 0..<answer.itemCount {
                columns.append(answer.size(ofItem: item, section: section, source: source, rules: rules))
            }
        }
    }

    mutating func append(_ shape: SectionShape) {
        makeRoom(shape.sizes.count)
        columns.append(shape.style)
        for size in shape.sizes { columns.append(size) }
    }

    mutating func append(_ large: LargeSection) {
        closePack()
        chunks.append(FlowChunk(.large(large)))
    }

    consuming func finish() -> [FlowChunk] {
        closePack()
        return chunks
    }

    private mutating func makeRoom(_ items: Int) {
        if columns.sectionCount == SectionPack.maximumSections
            || columns.itemCount + items > SectionPack.maximumItems
        {
            closePack()
        }
    }

    private mutating func closePack() {
        guard columns.sectionCount > 0 else { return }
        let pack = columns.pack(0..<columns.sectionCount, neighbour: chunks.last?.pack)
        chunks.append(FlowChunk(.sections(pack)))
        columns.removeAll()
    }
}

extension PackColumns {
    /// The sections in the fewest packs: of equal size, so that each has room for more, or full ones except the last.
    func packs(full: Bool) -> [SectionPack] {
        let most = SectionPack.maximumSections
        let count = max(1, (sectionCount + most - 1) / most)
        let sectionsPerPack = full ? most : (sectionCount + count - 1) / count
        var packs: [SectionPack] = []
        var start = 0
        while start < sectionCount {
            var end = start
            var items = 0
            while end < min(start + sectionsPerPack, sectionCount),
                end == start || items + itemCount(of: end) <= SectionPack.maximumItems
            {
                items += itemCount(of: end)
                end += 1
            }
            packs.append(pack(start..<end, neighbour: packs.last))
            start = end
        }
        return packs
    }
}

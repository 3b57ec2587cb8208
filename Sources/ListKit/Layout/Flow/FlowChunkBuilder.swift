// SPDX-License-Identifier: Apache-2.0

/// A builder that divides a sequence of sections into chunks. The chunks have yet to be laid out.
struct FlowChunkBuilder {
    private let rules: FlowRules
    private var chunks: [FlowChunk] = []
    private var columns = PackColumns()

    init(rules: FlowRules) {
        self.rules = rules
    }

    /// Appends the sections of a range, read from the source.
    mutating func append(_ sections: Range<Int>, source: some LayoutSource) {
        var section = sections.lowerBound
        while section < sections.upperBound {
            let run = source.run(fromSection: section)
            let metrics = CheckedSectionMetrics(run.metrics, rules: rules)
            let count = min(max(1, run.count), sections.upperBound - section)
            if count > 1, let size = metrics.uniform, !metrics.isLarge {
                append(count, like: metrics, size: size)
                section += count
            } else {
                append(metrics, section: section, source: source)
                section += 1
            }
        }
    }

    /// Appends one section, read from the source.
    mutating func append(section: Int, source: some LayoutSource) {
        append(CheckedSectionMetrics(section: section, source: source, rules: rules), section: section, source: source)
    }

    /// Appends `count` sections that are all alike. O(packs).
    private mutating func append(_ count: Int, like metrics: CheckedSectionMetrics, size: AxisSize) {
        let maximum = min(
            SectionPack.maximumSections, SectionPack.maximumItems / max(1, metrics.itemCount))
        var left = count
        if left >= maximum {
            closePack()
            let pack = SectionPack(repeating: metrics, size: size, count: maximum)
            chunks.append(contentsOf: repeatElement(FlowChunk(.sections(pack)), count: left / maximum))
            left %= maximum
        }
        for _ in 0..<left {
            makeRoom(forItems: metrics.itemCount)
            columns.append(metrics.style)
            for _ in 0..<metrics.itemCount { columns.append(size) }
        }
    }

    private mutating func append(_ metrics: CheckedSectionMetrics, section: Int, source: some LayoutSource) {
        if metrics.isLarge {
            append(LargeSection(metrics, section: section, source: source, rules: rules))
        } else {
            makeRoom(forItems: metrics.itemCount)
            columns.append(metrics.style)
            for item in 0..<metrics.itemCount {
                columns.append(metrics.size(ofItem: item, section: section, source: source, rules: rules))
            }
        }
    }

    mutating func append(_ shape: SectionShape) {
        makeRoom(forItems: shape.sizes.count)
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

    /// Closes the open pack unless it has room for another section with `count` items.
    private mutating func makeRoom(forItems count: Int) {
        if columns.sectionCount == SectionPack.maximumSections
            || columns.itemCount + count > SectionPack.maximumItems
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
    /// Returns the sections in as few packs as possible.
    ///
    /// - Parameter areFilled: whether every pack except the last one is filled. If not, all packs have about the same
    ///   number of sections, so that each has room for more.
    func packs(filled areFilled: Bool) -> [SectionPack] {
        let maximum = SectionPack.maximumSections
        let count = max(1, (sectionCount + maximum - 1) / maximum)
        let sectionsPerPack = areFilled ? maximum : (sectionCount + count - 1) / count
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

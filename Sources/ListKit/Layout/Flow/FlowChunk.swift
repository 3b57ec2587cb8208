// SPDX-License-Identifier: Apache-2.0

/// A leaf in the tree of a flow layout: either a pack of small sections or one large section, with the state at its
/// start.
///
/// Coordinates along the scroll axis are relative to the chunk's origin, so that a chunk does not change when it
/// moves.
struct FlowChunk: ChainedLeaf {
    private(set) var content: Content
    private(set) var entry = FlowState()
    private(set) var exit = FlowState()
    private(set) var summary: FlowSummary

    /// The sections of a chunk.
    enum Content: Sendable {
        case sections(SectionPack)
        indirect case large(LargeSection)
    }

    static let vacant = FlowChunk(.sections(.empty))

    /// Makes a chunk that has yet to be laid out.
    init(_ content: Content) {
        self.content = content
        summary = .empty
        summary.sections = sectionCount
    }

    var sectionCount: Int {
        switch content {
        case .sections(let pack): pack.sectionCount
        case .large: 1
        }
    }

    /// The pack of small sections; nil if the chunk is one large section.
    var pack: SectionPack? {
        if case .sections(let pack) = content { pack } else { nil }
    }

    /// Replaces the sections. The chunk has to be laid out afterwards.
    mutating func replace(by pack: SectionPack) {
        content = .sections(pack)
        summary.sections = pack.sectionCount
    }

    /// Changes the size of an item. Returns whether the chunk has to be laid out afterwards.
    mutating func resize(_ item: Int, inSection section: Int, to size: AxisSize) -> Bool {
        switch content {
        case .sections(let pack):
            guard (0..<pack.sectionCount).contains(section) else { return false }
            var columns = PackColumns(pack)
            guard columns.resize(item, inSection: section, to: size) else { return false }
            content = .sections(columns.pack(0..<pack.sectionCount, neighbour: pack))
            return true
        case .large(var large):
            content = Self.vacant.content  // Moved out, so that the section is changed in place instead of copied.
            let changes = large.resize(item, to: size)
            content = .large(large)
            return changes
        }
    }

    /// Records that rows have another length, so that the whole chunk has to be laid out.
    mutating func forgetRows() {
        guard case .large(var large) = content else { return }
        content = Self.vacant.content  // Moved out, so that the section is changed in place instead of copied.
        large.forgetRows()
        content = .large(large)
    }

    func wouldEqual(_ other: FlowChunk, laidOutAfter state: FlowState) -> Bool {
        guard other.entry == state, let pack, let others = other.pack else { return false }
        return pack.repeatsSameSection(as: others)
    }

    mutating func layOut(after state: FlowState, rules: FlowRules) {
        entry = state
        var extent = Interval.none
        var hasHeader = false
        let exitState: FlowState
        switch content {
        case .sections(let pack):
            exitState = pack.runFlow(overFirst: pack.sectionCount, after: state, rules: rules) { _, _, _ in
            } section: { _, frames in
                extent = extent.union(frames.bounds.along)
                hasHeader = hasHeader || frames.header.hasArea
            }
        case .large(var large):
            content = Self.vacant.content  // Moved out, so that the section is changed in place instead of copied.
            exitState = large.layOut(after: state, rules: rules)
            extent = large.frames.bounds.along
            hasHeader = large.frames.header.hasArea
            content = .large(large)
        }
        let advance = exitState.distanceToNextOrigin(scale: rules.scale)
        exit = exitState.rebased(by: advance)
        summary = FlowSummary(sections: sectionCount, advance: advance, extent: extent, hasHeader: hasHeader)
    }
}

/// The summary of consecutive chunks.
struct FlowSummary: TreeSummary {
    var sections: Int
    /// The distance from the origin of the first chunk to the origin of the chunk after the last one.
    var advance: Units
    /// The union of the sections' bounds along the scroll axis, relative to the origin of the first chunk.
    var extent: Interval
    /// Whether any section has a visible header.
    var hasHeader: Bool

    static let empty = FlowSummary(sections: 0, advance: 0, extent: .none, hasHeader: false)

    func followed(by next: FlowSummary) -> FlowSummary {
        FlowSummary(
            sections: sections + next.sections, advance: Units.saturatingSum(advance, next.advance),
            extent: extent.union(next.extent.shifted(by: advance)), hasHeader: hasHeader || next.hasHeader)
    }
}

extension Units {
    /// Returns the sum of two lengths, clamped to a bound that no valid list reaches.
    static func saturatingSum(_ first: Units, _ second: Units) -> Units {
        Swift.min(first + second, 1 << 61)
    }
}

extension FlowChunk {
    /// The style of the last section.
    var lastStyle: SectionStyle {
        switch content {
        case .sections(let pack): pack.style(ofSection: pack.sectionCount - 1)
        case .large(let large): large.style
        }
    }

    /// Returns the number of items in a section; nil past the end of the chunk.
    func itemCount(ofSection section: Int) -> Int? {
        switch content {
        case .sections(let pack):
            (0..<pack.sectionCount).contains(section) ? pack.itemCount(ofSection: section) : nil
        case .large(let large): section == 0 ? large.itemCount : nil
        }
    }

    /// Calls `item` for the items that may overlap the window, and then `section` with the section's frames, section
    /// by section.
    @inline(__always)
    func visit(
        _ window: Interval, rules: FlowRules, item: (Int, Int, AxisFrame) -> Void,
        section: (Int, SectionFrames) -> Void
    ) {
        switch content {
        case .sections(let pack):
            _ = pack.runFlow(overFirst: pack.sectionCount, after: entry, rules: rules, item: item, section: section)
        case .large(let large):
            large.visit(window, rules: rules) { item(0, $0, $1) }
            section(0, large.frames)
        }
    }

    /// Returns the state of the flow before a section of the chunk.
    func state(before section: Int, rules: FlowRules) -> FlowState {
        guard let pack else { return entry }
        return pack.runFlow(overFirst: section, after: entry, rules: rules) { _, _, _ in
        } section: { _, _ in
        }
    }

    /// Returns the frames of a section's bounds, header and footer; nil past the end of the chunk.
    func frames(ofSection section: Int, rules: FlowRules) -> SectionFrames? {
        switch content {
        case .sections(let pack):
            guard (0..<pack.sectionCount).contains(section) else { return nil }
            var result: SectionFrames?
            _ = pack.runFlow(overFirst: section + 1, after: entry, rules: rules) { _, _, _ in
            } section: {
                result = $1
            }
            return result
        case .large(let large): return section == 0 ? large.frames : nil
        }
    }

    /// Returns the frame of an item; nil past the end of the section or the chunk.
    func frame(ofItem item: Int, inSection section: Int, rules: FlowRules) -> AxisFrame? {
        switch content {
        case .sections(let pack):
            guard (0..<pack.sectionCount).contains(section) else { return nil }
            var result: AxisFrame?
            _ = pack.runFlow(overFirst: section + 1, after: entry, rules: rules) { index, number, frame in
                if index == section, number == item { result = frame }
            } section: { _, _ in
            }
            return result
        case .large(let large): return section == 0 ? large.frame(ofItem: item, rules: rules) : nil
        }
    }
}

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

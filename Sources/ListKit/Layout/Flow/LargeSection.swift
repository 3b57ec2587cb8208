// SPDX-License-Identifier: Apache-2.0

/// One section of many items, stored as a tree of blocks, so that a query or a change touches only some of them.
struct LargeSection: Sendable {
    let style: SectionStyle
    let itemCount: Int
    private(set) var blocks: LeafTree<ItemBlock>
    /// The frames of bounds, header and footer, relative to the origin of the section's chunk.
    private(set) var frames = SectionFrames(bounds: .zero, header: .zero, footer: .zero)
    /// The blocks whose sizes changed since the section was last laid out; nil before the first layout.
    private var touched: Set<Int>?

    /// Makes a section that has yet to be laid out. Reads the sizes of the items from the source, unless all have the
    /// same size.
    init(_ metrics: CheckedSectionMetrics, section: Int, source: some LayoutSource, rules: FlowRules) {
        style = metrics.style
        itemCount = metrics.itemCount
        blocks = LeafTree(
            stride(from: 0, to: metrics.itemCount, by: ItemBlock.maximumItems).map { start in
                let items = start..<min(start + ItemBlock.maximumItems, metrics.itemCount)
                if let uniform = metrics.uniform {
                    return ItemBlock(count: items.count, size: uniform, isFirst: start == 0)
                }
                let sizes = items.map { metrics.size(ofItem: $0, section: section, source: source, rules: rules) }
                return ItemBlock(sizes, isFirst: start == 0)
            })
    }

    /// Returns whether another section has the same style and the same sizes of items.
    ///
    /// - Complexity: O(items).
    func hasShape(of other: LargeSection) -> Bool {
        guard style == other.style, itemCount == other.itemCount else { return false }
        return zip(blocks.leaves.indices, other.blocks.leaves.indices).allSatisfy {
            blocks.leaves[$0].hasSizes(of: other.blocks.leaves[$1])
        }
    }

    /// Lays out changed blocks and the blocks after them whose state at the start changes. Returns the state after
    /// the section.
    mutating func layOut(after entry: FlowState, rules: FlowRules) -> FlowState {
        let start = SectionFlow(style, itemCount: itemCount, after: entry, rules: rules)
        layOutBlocks(from: start.state, rules: blockRules(rules))
        let total = blocks.order.total
        let last = blocks.order.lastLeaf.map { blocks.leaves[$0].exit } ?? start.state
        let state = last.rebased(by: -total.advance)
        var flow = SectionFlow(style, itemCount: itemCount, resuming: state, at: itemCount, rules: rules)
        frames = flow.finish(items: total.extent)
        return flow.state
    }

    /// Records that rows have another length, so that all blocks have to be laid out.
    mutating func forgetRows() { touched = nil }

    private mutating func layOutBlocks(from state: FlowState, rules: ItemBlock.Rules) {
        if var leaves = touched {
            if let first = blocks.order.firstLeaf, blocks.leaves[first].entry != state { leaves.insert(first) }
            let ordered = leaves.map { (blocks.order.sum(before: $0).items, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
            blocks.layOutAfterChanges(ordered, from: state, rules: rules)
        } else {
            blocks.layOutAll(from: state, rules: rules)
        }
        touched = []
    }

    /// Calls `item` for the items of the blocks that overlap a window.
    func visit(_ window: Interval, rules: FlowRules, item: (Int, AxisFrame) -> Void) {
        blocks.order.walk { before, part in
            part.extent.along.shifted(by: before.advance).overlaps(window)
        } _: { leaf, before in
            visit(block: leaf, before: before, rules: rules, item: item)
            return true
        }
    }

    /// Returns the frame of an item, relative to the origin of the section's chunk; nil past the end.
    func frame(ofItem item: Int, rules: FlowRules) -> AxisFrame? {
        guard item >= 0, let (leaf, before) = blocks.order.first(where: { $0.items > item }) else { return nil }
        var result: AxisFrame?
        visit(block: leaf, before: before, rules: rules) { number, frame in
            if number == item { result = frame }
        }
        return result
    }

    /// Changes the size of an item. Returns whether the section has to be laid out afterwards.
    mutating func resize(_ item: Int, to size: AxisSize) -> Bool {
        guard item >= 0, let (leaf, before) = blocks.order.first(where: { $0.items > item }) else { return false }
        guard blocks.update(leaf, { $0.resize(item - before.items, to: size) }) else { return false }
        touched?.insert(leaf)
        return true
    }

    private func blockRules(_ rules: FlowRules) -> ItemBlock.Rules {
        ItemBlock.Rules(flow: rules, style: style, itemCount: itemCount)
    }

    private func visit(block: Int, before: ItemSummary, rules: FlowRules, item: (Int, AxisFrame) -> Void) {
        _ = blocks.leaves[block].runFlow(rules: blockRules(rules)) { number, frame in
            item(before.items + number, frame.shifted(by: before.advance))
        }
    }
}

/// A block of consecutive items of a large section.
struct ItemBlock: ChainedLeaf {
    /// The maximum number of items in a block.
    static let maximumItems = 128

    private(set) var count: Int
    private var along: PackedIntegers
    private var across: PackedIntegers
    /// Whether the first item of the block is the first item of the section.
    private let isFirst: Bool
    private(set) var entry = FlowState()
    private(set) var exit = FlowState()
    private(set) var summary = ItemSummary.empty

    static let vacant = ItemBlock([], isFirst: false)

    /// The parameters for laying out a block: those of the layout, and those of the section.
    struct Rules {
        let flow: FlowRules
        let style: SectionStyle
        let itemCount: Int
    }

    init(_ sizes: [AxisSize], isFirst: Bool) {
        count = sizes.count
        along = PackedIntegers(sizes.map(\.along)[...])
        across = PackedIntegers(sizes.map(\.across)[...])
        self.isFirst = isFirst
        summary.items = count
    }

    init(count: Int, size: AxisSize, isFirst: Bool) {
        self.count = count
        along = .same(size.along)
        across = .same(size.across)
        self.isFirst = isFirst
        summary.items = count
    }

    /// Changes the size of an item. Returns false if the item already has this size.
    mutating func resize(_ item: Int, to size: AxisSize) -> Bool {
        guard self.size(ofItem: item) != size else { return false }
        var sizes = (0..<count).map(size(ofItem:))
        sizes[item] = size
        along = PackedIntegers(sizes.map(\.along)[...])
        across = PackedIntegers(sizes.map(\.across)[...])
        return true
    }

    /// Returns whether another block has items of the same sizes.
    func hasSizes(of other: ItemBlock) -> Bool {
        guard count == other.count else { return false }
        return (along == other.along && across == other.across)
            || (0..<count).allSatisfy { size(ofItem: $0) == other.size(ofItem: $0) }
    }

    mutating func layOut(after state: FlowState, rules: Rules) {
        entry = state
        let flow = runFlow(rules: rules) { _, _ in }
        let advance = flow.state.distanceToNextOrigin(scale: rules.flow.scale)
        summary = ItemSummary(items: count, advance: advance, extent: flow.items)
        exit = flow.state.rebased(by: advance)
    }

    /// Runs the flow over the items, and calls `item` with the index in the block and the frame of each.
    @inline(__always)
    func runFlow(rules: Rules, item: (Int, AxisFrame) -> Void) -> SectionFlow {
        var flow = SectionFlow(
            rules.style, itemCount: rules.itemCount, resuming: entry, at: isFirst ? 0 : 1, rules: rules.flow)
        for number in 0..<count { item(number, flow.place(size(ofItem: number))) }
        return flow
    }

    private func size(ofItem item: Int) -> AxisSize {
        AxisSize(along: along[item], across: across[item])
    }
}

/// The summary of consecutive blocks of items.
struct ItemSummary: TreeSummary {
    var items: Int
    /// The distance from the origin of the first block to the origin of the block after the last one.
    var advance: Units
    /// The union of the items' frames, relative to the origin of the first block.
    var extent: AxisFrame

    static let empty = ItemSummary(items: 0, advance: 0, extent: .none)

    func followed(by next: ItemSummary) -> ItemSummary {
        ItemSummary(
            items: items + next.items, advance: Units.saturatingSum(advance, next.advance),
            extent: extent.union(next.extent.shifted(by: advance)))
    }
}

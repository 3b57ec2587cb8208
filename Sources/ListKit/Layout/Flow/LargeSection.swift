// SPDX-License-Identifier: Apache-2.0

/// One section of many items: a tree of blocks, so that a query or a change touches only some of them.
struct LargeSection: Sendable {
    let style: SectionStyle
    let itemCount: Int
    private(set) var blocks: LeafTree<ItemBlock>
    /// The header, the footer and the union, relative to the section's chunk.
    private(set) var frames = SectionFrames(bounds: .zero, header: .zero, footer: .zero)
    /// Blocks whose sizes changed since the section was laid out; nil before the first time.
    private var touched: Set<Int>?

    /// Makes a section that has to be laid out, asking for sizes unless all items have the same.
    init(_ answer: SectionAnswer, section: Int, source: some LayoutSource, rules: FlowRules) {
        style = answer.style
        itemCount = answer.itemCount
        blocks = LeafTree(
            stride(from: 0, to: answer.itemCount, by: ItemBlock.maximumItems).map { start in
                let items = start..<min(start + ItemBlock.maximumItems, answer.itemCount)
                if let uniform = answer.uniform {
                    return ItemBlock(count: items.count, size: uniform, isFirst: start == 0)
                }
                let sizes = items.map { answer.size(ofItem: $0, section: section, source: source, rules: rules) }
                return ItemBlock(sizes, isFirst: start == 0)
            })
    }

    /// Whether another section is laid out in the same way.
    ///
    /// - Complexity: O(items).
    func hasShape(of other: LargeSection) -> Bool {
        guard style == other.style, itemCount == other.itemCount else { return false }
        return zip(blocks.leaves.indices, other.blocks.leaves.indices).allSatisfy {
            blocks.leaves[$0].hasSizes(of: other.blocks.leaves[$1])
        }
    }

    /// Lays out changed blocks, and those that another state at the entry affects; returns the state after the section.
    mutating func layOut(after entry: FlowState, rules: FlowRules) -> FlowState {
        let begun = SectionFlow(style, itemCount: itemCount, after: entry, rules: rules)
        settle(from: begun.state, rules: ItemBlock.Rules(flow: rules, section: part))
        let total = blocks.total
        let last = blocks.lastLeaf.map { blocks.leaves[$0].handOver } ?? begun.state
        let state = last.rebased(by: -total.advance)
        var flow = SectionFlow(style, itemCount: itemCount, resuming: state, at: itemCount, rules: rules)
        frames = flow.finish(items: total.extent)
        return flow.state
    }

    private mutating func settle(from state: FlowState, rules: ItemBlock.Rules) {
        if var leaves = touched {
            if let first = blocks.firstLeaf, blocks.leaves[first].entry != state { leaves.insert(first) }
            let ordered = leaves.map { (blocks.sum(before: $0).items, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
            blocks.settle(ordered, from: state, rules: rules)
        } else {
            blocks.layOutAll(from: state, rules: rules)
        }
        touched = []
    }

    /// Visits the items of the blocks that reach into a window.
    func visit(_ window: Interval, rules: FlowRules, item: (Int, AxisFrame) -> Void) {
        blocks.walk { before, part in
            part.extent.along.shifted(by: before.advance).overlaps(window)
        } _: { leaf, before in
            visit(block: leaf, before: before, rules: rules, item: item)
            return true
        }
    }

    /// The frame of one item, relative to the section's chunk; nil past the end.
    func frame(ofItem item: Int, rules: FlowRules) -> AxisFrame? {
        guard item >= 0, let (leaf, before) = blocks.first(where: { $0.items > item }) else { return nil }
        var result: AxisFrame?
        visit(block: leaf, before: before, rules: rules) { number, frame in
            if number == item { result = frame }
        }
        return result
    }

    /// Changes the size of an item; returns whether the section has to be laid out after that.
    mutating func resize(_ item: Int, to size: AxisSize) -> Bool {
        guard item >= 0, let (leaf, before) = blocks.first(where: { $0.items > item }) else { return false }
        guard blocks.update(leaf, { $0.resize(item - before.items, to: size) }) else { return false }
        touched?.insert(leaf)
        return true
    }

    private var part: ItemBlock.Section { ItemBlock.Section(style: style, itemCount: itemCount) }

    private func visit(block: Int, before: ItemSummary, rules: FlowRules, item: (Int, AxisFrame) -> Void) {
        let rules = ItemBlock.Rules(flow: rules, section: part)
        _ = blocks.leaves[block].run(rules: rules) { number, frame in
            item(before.items + number, frame.shifted(by: before.advance))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

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

    /// The properties of the section on which its blocks depend.
    struct Section {
        let style: SectionStyle
        let itemCount: Int
    }

    /// The parameters for laying out a block.
    struct Rules {
        let flow: FlowRules
        let section: Section
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
            rules.section.style, itemCount: rules.section.itemCount, resuming: entry, at: isFirst ? 0 : 1,
            rules: rules.flow)
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

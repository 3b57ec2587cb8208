// SPDX-License-Identifier: Apache-2.0

/// Some neighbouring sections of few items, as columns.
///
/// Frames are not stored: they are computed by running the flow from the state at the entry, which for one pack costs less than
/// reading them from uncached memory.
struct SectionPack: Sendable {
    /// The most sections in a pack.
    static let maximumSections = 64
    /// The most items in a pack.
    static let maximumItems = 128

    /// The different styles in the pack; neighbouring packs of one style share the array.
    let styles: [SectionStyle]
    let sectionCount: Int
    let itemCount: Int
    let styleIndices: PackedIntegers
    let itemCounts: PackedIntegers
    let along: PackedIntegers
    let across: PackedIntegers

    init(
        styles: [SectionStyle], sectionCount: Int, itemCount: Int, styleIndices: PackedIntegers,
        itemCounts: PackedIntegers, along: PackedIntegers, across: PackedIntegers
    ) {
        self.styles = styles
        self.sectionCount = sectionCount
        self.itemCount = itemCount
        self.styleIndices = styleIndices
        self.itemCounts = itemCounts
        self.along = along
        self.across = across
    }

    /// Makes a pack of sections that are all alike.
    init(repeating answer: SectionAnswer, size: AxisSize, count: Int) {
        self.init(
            styles: [answer.style], sectionCount: count, itemCount: count * answer.itemCount, styleIndices: .same(0),
            itemCounts: .same(Int64(answer.itemCount)), along: .same(answer.itemCount == 0 ? 0 : size.along),
            across: .same(answer.itemCount == 0 ? 0 : size.across))
    }

    /// Whether two packs, each of equal sections, have the same ones; without comparing each of them.
    func isRepetition(of other: SectionPack) -> Bool {
        guard sectionCount == other.sectionCount, itemCount == other.itemCount, styles == other.styles else {
            return false
        }
        return styleIndices.isRepetition(of: other.styleIndices) && itemCounts.isRepetition(of: other.itemCounts)
            && along.isRepetition(of: other.along) && across.isRepetition(of: other.across)
    }

    static let empty = PackColumns().pack(0..<0, neighbour: nil)

    func style(ofSection section: Int) -> SectionStyle {
        styles[Int(styleIndices[section])]
    }

    func itemCount(ofSection section: Int) -> Int {
        Int(itemCounts[section])
    }

    /// Runs the flow over the first `sections` sections: each item in order, then its section's frames.
    ///
    /// Inlined, so that each use is one loop: layouts and queries spend most of their time here.
    @inline(__always)
    func run(
        _ sections: Int, after entry: FlowState, rules: FlowRules, item: (Int, Int, AxisFrame) -> Void,
        section: (Int, SectionFrames) -> Void
    ) -> FlowState {
        var state = entry
        var next = 0
        for index in 0..<sections {
            let count = Int(itemCounts[index])
            var flow = SectionFlow(styles[Int(styleIndices[index])], itemCount: count, after: state, rules: rules)
            for number in 0..<count {
                item(index, number, flow.place(AxisSize(along: along[next], across: across[next])))
                next += 1
            }
            section(index, flow.finish())
            state = flow.state
        }
        return state
    }
}

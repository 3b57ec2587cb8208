// SPDX-License-Identifier: Apache-2.0

/// A pack of consecutive sections of few items, stored in columns.
///
/// Frames are not stored. They are computed by running the flow from the state at the start, which for one pack costs
/// less than reading frames from uncached memory.
struct SectionPack: Sendable {
    /// The maximum number of sections in a pack.
    static let maximumSections = 64
    /// The maximum number of items in a pack.
    static let maximumItems = 128

    /// The different styles of the sections. Adjacent packs with equal styles share the array.
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

    /// Makes a pack of `count` sections that are all alike.
    init(repeating metrics: CheckedSectionMetrics, size: AxisSize, count: Int) {
        self.init(
            styles: [metrics.style], sectionCount: count, itemCount: count * metrics.itemCount, styleIndices: .same(0),
            itemCounts: .same(Int64(metrics.itemCount)), along: .same(metrics.itemCount == 0 ? 0 : size.along),
            across: .same(metrics.itemCount == 0 ? 0 : size.across))
    }

    /// Returns whether both packs have the same number of sections and all these sections are equal. Packs with
    /// different sections yield false even if the packs are equal.
    func repeatsSameSection(as other: SectionPack) -> Bool {
        guard sectionCount == other.sectionCount, itemCount == other.itemCount, styles == other.styles else {
            return false
        }
        return styleIndices.repeatsSameInteger(as: other.styleIndices)
            && itemCounts.repeatsSameInteger(as: other.itemCounts) && along.repeatsSameInteger(as: other.along)
            && across.repeatsSameInteger(as: other.across)
    }

    static let empty = PackColumns().pack(0..<0, neighbour: nil)

    func style(ofSection section: Int) -> SectionStyle {
        styles[Int(styleIndices[section])]
    }

    func itemCount(ofSection section: Int) -> Int {
        Int(itemCounts[section])
    }

    /// Runs the flow over the first `count` sections. Calls `item` for each item in order, and then `section` with
    /// the section's frames. Returns the state at the end.
    ///
    /// Inlined, so that each use is one loop, because layouts and queries spend most of their time here.
    @inline(__always)
    func runFlow(
        overFirst count: Int, after entry: FlowState, rules: FlowRules, item: (Int, Int, AxisFrame) -> Void,
        section: (Int, SectionFrames) -> Void
    ) -> FlowState {
        var state = entry
        var next = 0
        for index in 0..<count {
            let itemCount = Int(itemCounts[index])
            var flow = SectionFlow(styles[Int(styleIndices[index])], itemCount: itemCount, after: state, rules: rules)
            for number in 0..<itemCount {
                item(index, number, flow.place(AxisSize(along: along[next], across: across[next])))
                next += 1
            }
            section(index, flow.finish())
            state = flow.state
        }
        return state
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The data of one section of few items in a flow layout.
struct SectionShape: Sendable, Hashable {
    var style: SectionStyle
    var sizes: [AxisSize]
}

/// A section as the source describes it.
enum SectionDraft: Sendable {
    /// A section that shares a chunk with its neighbours.
    case small(SectionShape)
    /// A section of many items, which is a chunk by itself.
    case large(LargeSection)

    /// Reads one section from the source; O(items), O(1) if a large one has one size for all.
    init(section: Int, source: some LayoutSource, rules: FlowRules) {
        let answer = SectionAnswer(section: section, source: source, rules: rules)
        if answer.isLarge {
            self = .large(LargeSection(answer, section: section, source: source, rules: rules))
        } else {
            let sizes = (0..<answer.itemCount).map {
                answer.size(ofItem: $0, section: section, source: source, rules: rules)
            }
            self = .small(SectionShape(style: answer.style, sizes: sizes))
        }
    }
}

/// The source's answers about one section as a whole, limited to valid numbers.
struct SectionAnswer {
    let style: SectionStyle
    let itemCount: Int
    /// The size of every item, if they all have the same.
    let uniform: AxisSize?

    init(section: Int, source: some LayoutSource, rules: FlowRules) {
        self.init(source.metrics(forSection: section), rules: rules)
    }

    init(_ metrics: SectionMetrics, rules: FlowRules) {
        style = SectionStyle(metrics, rules: rules)
        itemCount = min(max(0, metrics.itemCount), SectionMetrics.maximumItemCount)
        uniform = metrics.uniformItemSize.map(rules.size)
    }

    /// Whether the section has too many items to share a chunk.
    var isLarge: Bool { itemCount > SectionPack.maximumItems }

    func size(ofItem item: Int, section: Int, source: some LayoutSource, rules: FlowRules) -> AxisSize {
        uniform ?? rules.size(source.sizeForItem(at: IndexPath(section: section, item: item)))
    }
}

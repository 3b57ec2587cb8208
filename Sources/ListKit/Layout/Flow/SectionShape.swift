// SPDX-License-Identifier: Apache-2.0

/// The style and the sizes of items of one small section in a flow layout.
struct SectionShape: Sendable, Hashable {
    var style: SectionStyle
    var sizes: [AxisSize]
}

/// A section that was read from the source, small or large.
enum SectionDraft: Sendable {
    /// A section of few items, which shares a chunk with other sections.
    case small(SectionShape)
    /// A section of many items, which has a chunk of its own.
    case large(LargeSection)

    /// Reads one section from the source. O(items); O(1) for a large section with one size for all items.
    init(section: Int, source: some LayoutSource, rules: FlowRules) {
        let metrics = CheckedSectionMetrics(section: section, source: source, rules: rules)
        if metrics.isLarge {
            self = .large(LargeSection(metrics, section: section, source: source, rules: rules))
        } else {
            let sizes = (0..<metrics.itemCount).map {
                metrics.size(ofItem: $0, section: section, source: source, rules: rules)
            }
            self = .small(SectionShape(style: metrics.style, sizes: sizes))
        }
    }
}

/// The metrics of one section, clamped to valid numbers and converted to units.
struct CheckedSectionMetrics {
    let style: SectionStyle
    let itemCount: Int
    /// The size of each item if all have the same size; otherwise nil.
    let uniform: AxisSize?

    init(section: Int, source: some LayoutSource, rules: FlowRules) {
        self.init(source.metrics(forSection: section), rules: rules)
    }

    init(_ metrics: SectionMetrics, rules: FlowRules) {
        style = SectionStyle(metrics, rules: rules)
        itemCount = min(max(0, metrics.itemCount), SectionMetrics.maximumItemCount)
        uniform = metrics.uniformItemSize.map(rules.axisSize)
    }

    /// Whether the section has too many items to share a chunk with other sections.
    var isLarge: Bool { itemCount > SectionPack.maximumItems }

    func size(ofItem item: Int, section: Int, source: some LayoutSource, rules: FlowRules) -> AxisSize {
        uniform ?? rules.axisSize(of: source.sizeForItem(at: IndexPath(section: section, item: item)))
    }
}

/// The insets, spacings, and lengths of header and footer of a section, in terms of the scroll axis and in units.
struct SectionStyle: Sendable, Hashable {
    /// The inset before the section along the scroll axis.
    let leading: Units
    /// The inset after the section along the scroll axis.
    let trailing: Units
    /// The inset at the start of a row.
    let rowStart: Units
    /// The inset at the end of a row.
    let rowEnd: Units
    let lineSpacing: Units
    let interitemSpacing: Units
    let header: Units
    let footer: Units

    init(_ metrics: SectionMetrics, rules: FlowRules) {
        let scale = rules.scale
        let inset = metrics.inset
        let vertical = rules.direction == .vertical
        leading = scale.units(vertical ? inset.top : inset.left)
        trailing = scale.units(vertical ? inset.bottom : inset.right)
        rowStart = scale.units(vertical ? inset.left : inset.top)
        rowEnd = scale.units(vertical ? inset.right : inset.bottom)
        lineSpacing = scale.units(metrics.lineSpacing)
        interitemSpacing = scale.units(metrics.interitemSpacing)
        header = scale.length(metrics.headerLength)
        footer = scale.length(metrics.footerLength)
    }
}

/// What a flow layout keeps of one section: its style and the sizes of its items.
struct SectionShape: Sendable {
    var style: SectionStyle
    var sizes: ItemSizes

    /// The sizes of a section's items.
    enum ItemSizes: Sendable {
        case uniform(AxisSize, count: Int)
        case each([AxisSize])
    }

    var itemCount: Int {
        switch sizes {
        case .uniform(_, let count): count
        case .each(let sizes): sizes.count
        }
    }

    func size(ofItem item: Int) -> AxisSize {
        switch sizes {
        case .uniform(let size, _): size
        case .each(let sizes): sizes[item]
        }
    }

    /// The same section with another size for one item.
    func resized(_ size: AxisSize, item: Int) -> SectionShape {
        guard itemCount > 1 else { return SectionShape(style: style, sizes: .uniform(size, count: 1)) }
        var all = (0..<itemCount).map(self.size(ofItem:))
        all[item] = size
        return SectionShape(style: style, sizes: .each(all))
    }
}

/// A section as the source describes it, ready to be laid out.
enum SectionDraft {
    /// A section that shares a chunk with its neighbours.
    case small(SectionShape)
    /// A section of many items, which is a chunk by itself.
    case large(LargeSection)

    /// Asks the source about one section; O(items), O(1) if all have one size.
    init(section: Int, source: some LayoutSource, rules: FlowRules) {
        let metrics = source.metrics(forSection: section)
        let style = SectionStyle(metrics, rules: rules)
        let count = min(max(0, metrics.itemCount), SectionMetrics.maximumItemCount)
        let uniform = metrics.uniformItemSize.map(rules.size)
        func size(_ item: Int) -> AxisSize {
            uniform ?? rules.size(source.sizeForItem(at: IndexPath(section: section, item: item)))
        }
        if count > SectionPack.maximumItems {
            self = .large(LargeSection(style: style, itemCount: count, uniform: uniform, size: size))
        } else if count <= 1 || uniform != nil {
            let one = count == 0 ? AxisSize(along: 0, across: 0) : size(0)
            self = .small(SectionShape(style: style, sizes: .uniform(one, count: count)))
        } else {
            self = .small(SectionShape(style: style, sizes: .each((0..<count).map(size))))
        }
    }
}

extension SectionDraft {
    /// Whether both are the same small section; large ones are not compared.
    func isSame(as other: SectionDraft) -> Bool {
        guard case .small(let mine) = self, case .small(let its) = other else { return false }
        return mine.style == its.style && mine.itemCount == its.itemCount
            && (0..<mine.itemCount).allSatisfy { mine.size(ofItem: $0) == its.size(ofItem: $0) }
    }
}

extension FlowChunk {
    /// The sections one by one, to put them into other chunks.
    var drafts: [SectionDraft] {
        switch content {
        case .sections(let pack): pack.shapes.map { .small($0) }
        case .large(let large): [.large(large)]
        }
    }
}

/// Some neighbouring sections of few items, as columns: all that is needed to lay them out again.
///
/// No frame is stored. Frames follow from the state at the entry by running the flow, which for one pack costs less
/// than fetching them from far memory would.
struct SectionPack: Sendable {
    /// The most sections in a pack.
    static let maximumSections = 64
    /// The most items in a pack.
    static let maximumItems = 128

    /// The different styles in the pack; neighbouring packs of one style share the array.
    let styles: [SectionStyle]
    let sectionCount: Int
    private let styleIndices: PackedIntegers
    private let itemCounts: PackedIntegers
    private let along: PackedIntegers
    private let across: PackedIntegers

    /// Packs sections; `neighbour` lends its styles if they are the same.
    init(_ shapes: some Collection<SectionShape>, neighbour: SectionPack? = nil) {
        var styles: [SectionStyle] = []
        var indices: [Int64] = []
        var counts: [Int64] = []
        var alongs: [Int64] = []
        var acrosses: [Int64] = []
        for shape in shapes {
            if styles.last != shape.style, let known = styles.firstIndex(of: shape.style) {
                indices.append(Int64(known))
            } else {
                if styles.last != shape.style { styles.append(shape.style) }
                indices.append(Int64(styles.count - 1))
            }
            counts.append(Int64(shape.itemCount))
            for item in 0..<shape.itemCount {
                let size = shape.size(ofItem: item)
                alongs.append(size.along)
                acrosses.append(size.across)
            }
        }
        sectionCount = counts.count
        self.styles = neighbour.flatMap { $0.styles == styles ? $0.styles : nil } ?? styles
        styleIndices = PackedIntegers(indices)
        itemCounts = PackedIntegers(counts)
        along = PackedIntegers(alongs)
        across = PackedIntegers(acrosses)
    }

    func style(ofSection section: Int) -> SectionStyle {
        styles[Int(styleIndices[section])]
    }

    func itemCount(ofSection section: Int) -> Int {
        Int(itemCounts[section])
    }

    func size(ofItem item: Int) -> AxisSize {
        AxisSize(along: along[item], across: across[item])
    }

    /// The sections one by one, to change them.
    var shapes: [SectionShape] {
        var first = 0
        return (0..<sectionCount).map { section in
            let count = itemCount(ofSection: section)
            let items = first..<first + count
            first += count
            let sizes: SectionShape.ItemSizes =
                switch count {
                case 0: .uniform(AxisSize(along: 0, across: 0), count: 0)
                case 1: .uniform(size(ofItem: items.lowerBound), count: 1)
                default: .each(items.map(size(ofItem:)))
                }
            return SectionShape(style: style(ofSection: section), sizes: sizes)
        }
    }

    /// Runs the flow over the first `sections` sections: each item in order, then its section's frames.
    func run(
        _ sections: Int, after entry: FlowState, rules: FlowRules, item: (Int, Int, AxisFrame) -> Void,
        section: (Int, SectionFrames) -> Void
    ) -> FlowState {
        var state = entry
        var next = 0
        for index in 0..<sections {
            let count = itemCount(ofSection: index)
            var flow = SectionFlow(style(ofSection: index), itemCount: count, after: state, rules: rules)
            for number in 0..<count { item(index, number, flow.place(size(ofItem: next + number))) }
            next += count
            section(index, flow.finish())
            state = flow.state
        }
        return state
    }
}

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

/// The sections of a pack in an editable form: columns of plain integers.
struct PackColumns: Sendable {
    private(set) var styles: [SectionStyle] = []
    private var styleIndices: [Int64] = []
    private var itemCounts: [Int64] = []
    private var along: [Int64] = []
    private var across: [Int64] = []

    init() {}

    /// Makes columns from a pack.
    init(_ pack: SectionPack) {
        styles = pack.styles
        for section in 0..<pack.sectionCount {
            styleIndices.append(pack.styleIndices[section])
            itemCounts.append(pack.itemCounts[section])
        }
        for item in 0..<pack.itemCount {
            along.append(pack.along[item])
            across.append(pack.across[item])
        }
    }

    var sectionCount: Int { itemCounts.count }
    var itemCount: Int { along.count }

    func itemCount(of section: Int) -> Int { Int(itemCounts[section]) }

    /// Appends a section without items.
    mutating func append(_ style: SectionStyle) {
        styleIndices.append(findOrAddStyle(style))
        itemCounts.append(0)
    }

    /// Appends an item to the last section.
    mutating func append(_ size: AxisSize) {
        itemCounts[itemCounts.count - 1] += 1
        along.append(size.along)
        across.append(size.across)
    }

    mutating func insert(_ shape: SectionShape, at section: Int) {
        let first = items(of: section).lowerBound
        styleIndices.insert(findOrAddStyle(shape.style), at: section)
        itemCounts.insert(Int64(shape.sizes.count), at: section)
        along.insert(contentsOf: shape.sizes.map(\.along), at: first)
        across.insert(contentsOf: shape.sizes.map(\.across), at: first)
    }

    mutating func remove(_ section: Int) {
        let items = items(of: section)
        along.removeSubrange(items)
        across.removeSubrange(items)
        styleIndices.remove(at: section)
        itemCounts.remove(at: section)
    }

    /// Changes the size of an item. Returns false if the item already has this size or does not exist.
    mutating func resize(_ item: Int, inSection section: Int, to size: AxisSize) -> Bool {
        let items = items(of: section)
        guard item >= 0, item < items.count else { return false }
        let place = items.lowerBound + item
        guard along[place] != size.along || across[place] != size.across else { return false }
        along[place] = size.along
        across[place] = size.across
        return true
    }

    func shape(of section: Int) -> SectionShape {
        SectionShape(
            style: styles[Int(styleIndices[section])],
            sizes: items(of: section).map { AxisSize(along: along[$0], across: across[$0]) })
    }

    mutating func append(contentsOf other: PackColumns) {
        for section in 0..<other.sectionCount { insert(other.shape(of: section), at: sectionCount) }
    }

    /// Returns a pack of some of the sections. It shares the array of styles with `neighbour` if they are equal.
    func pack(_ sections: Range<Int>, neighbour: SectionPack?) -> SectionPack {
        var used: [SectionStyle] = []
        var places: [Int64?] = Array(repeating: nil, count: styles.count)
        let indices = styleIndices[sections].map { index in
            if let place = places[Int(index)] { return place }
            used.append(styles[Int(index)])
            places[Int(index)] = Int64(used.count - 1)
            return Int64(used.count - 1)
        }
        let items = items(of: sections.lowerBound).lowerBound..<items(of: sections.upperBound).lowerBound
        if let neighbour, neighbour.styles == used { used = neighbour.styles }
        return SectionPack(
            styles: used, sectionCount: sections.count, itemCount: items.count,
            styleIndices: PackedIntegers(indices[...]), itemCounts: PackedIntegers(itemCounts[sections]),
            along: PackedIntegers(along[items]), across: PackedIntegers(across[items]))
    }

    mutating func removeAll() {
        styles.removeAll(keepingCapacity: true)
        styleIndices.removeAll(keepingCapacity: true)
        itemCounts.removeAll(keepingCapacity: true)
        along.removeAll(keepingCapacity: true)
        across.removeAll(keepingCapacity: true)
    }

    /// Returns the range of a section's items in the columns; past the last section, the empty range at the end.
    private func items(of section: Int) -> Range<Int> {
        if section == itemCounts.count { return along.count..<along.count }
        var first = 0
        for index in 0..<section { first += Int(itemCounts[index]) }
        return first..<first + Int(itemCounts[section])
    }

    /// Returns the index of a style in `styles`. A new style is added.
    private mutating func findOrAddStyle(_ style: SectionStyle) -> Int64 {
        if let last = styleIndices.last, styles[Int(last)] == style { return last }
        if let known = styles.firstIndex(of: style) { return Int64(known) }
        styles.append(style)
        return Int64(styles.count - 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

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

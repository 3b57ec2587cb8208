// SPDX-License-Identifier: Apache-2.0

/// Where the items of a list went between two of its states.
@_spi(Daemon) public struct PathForwarding: Sendable, Hashable {
    /// Where the sections went.
    public var sections: PositionMap
    /// Where the items went of sections that stay, by their positions before; in all others they stay where they are.
    public var items: [Int: PositionMap]
    /// How many items the sections had that are gone, by their positions before; those that are missing had one.
    public var goneItemCounts: [Int: Int]

    /// Makes a forwarding.
    public init(sections: PositionMap, items: [Int: PositionMap] = [:], goneItemCounts: [Int: Int] = [:]) {
        self.sections = sections
        self.items = items
        self.goneItemCounts = goneItemCounts
    }

    /// Whether everything is where it was.
    var isIdentity: Bool { sections.isIdentity && items.isEmpty }

    /// About how much memory it takes: its entries, counted.
    var size: Int { items.values.reduce(sections.runs.count + goneItemCounts.count) { $0 + 1 + $1.runs.count } }

    /// Where an item is afterwards; `nil` when it is gone. One that there never was may have a place, too.
    ///
    /// - Complexity: O(log size).
    func callAsFunction(_ path: IndexPath) -> IndexPath? {
        guard let section = sections(path.section) else { return nil }
        guard let items = items[path.section] else { return IndexPath(section: section, item: path.item) }
        return items(path.item).map { IndexPath(section: section, item: $0) }
    }

    /// One forwarding that does what this one and the next do in a row.
    ///
    /// - Complexity: O(size of both · log).
    func followed(by next: PathForwarding) -> PathForwarding {
        if isIdentity { return next }
        if next.isIdentity { return self }
        var result = PathForwarding(
            sections: sections.followed(by: next.sections), goneItemCounts: goneItemCounts)
        for (old, items) in items {
            guard let middle = sections(old) else { continue }
            if next.sections(middle) == nil {
                result.goneItemCounts[old] = items.oldCount
            } else {
                result.items[old] = next.items[middle].map { items.followed(by: $0) } ?? items
            }
        }
        guard !next.items.isEmpty || !next.goneItemCounts.isEmpty else { return result }
        let origins = sections.inverted()
        for (middle, changed) in next.items {
            guard let old = origins(middle), items[old] == nil else { continue }
            result.items[old] = changed
        }
        for (middle, count) in next.goneItemCounts {
            guard let old = origins(middle), items[old] == nil else { continue }
            result.goneItemCounts[old] = count
        }
        return result
    }
}

// MARK: - Survivors

/// Answers questions about items before by a forwarding and the list afterwards.
struct ItemSurvivors {
    let forwarding: PathForwarding
    /// How many items a section has afterwards, by its position afterwards.
    let itemCount: (Int) -> Int

    /// An item that is still there, as it was and as it is.
    typealias Survivor = (old: IndexPath, new: IndexPath)

    /// How many items a section had, by its position before.
    func oldItemCount(ofSection old: Int) -> Int {
        if let items = forwarding.items[old] { return items.oldCount }
        return forwarding.sections(old).map(itemCount) ?? forwarding.goneItemCounts[old] ?? 1
    }

    /// The first item of a range before that is still there.
    ///
    /// - Complexity: O((sections in the range that are still there and without survivors) · log).
    func first(from first: IndexPath, through last: IndexPath) -> Survivor? {
        var section = first.section
        while let place = forwarding.sections.survivor(from: section), place.old <= last.section {
            let start = place.old == first.section ? first.item : 0
            let end = place.old == last.section ? last.item : Int.max
            if let found = item(ofSection: place, from: start), found.old.item <= end { return found }
            section = place.old + 1
        }
        return nil
    }

    private func item(ofSection place: (old: Int, new: Int), from start: Int) -> Survivor? {
        guard let items = forwarding.items[place.old] else {
            guard start < itemCount(place.new) else { return nil }
            return survivor(place, (start, start))
        }
        return items.survivor(from: start).map { survivor(place, $0) }
    }

    /// The last item of a range before that is still there.
    func last(from first: IndexPath, through last: IndexPath) -> Survivor? {
        var section = last.section
        while let place = forwarding.sections.survivor(upTo: section), place.old >= first.section {
            let start = place.old == first.section ? first.item : 0
            let end = place.old == last.section ? last.item : Int.max
            if let found = item(ofSection: place, upTo: end), found.old.item >= start { return found }
            section = place.old - 1
        }
        return nil
    }

    private func item(ofSection place: (old: Int, new: Int), upTo end: Int) -> Survivor? {
        guard let items = forwarding.items[place.old] else {
            let item = min(end, itemCount(place.new) - 1)
            return item < 0 ? nil : survivor(place, (item, item))
        }
        return items.survivor(upTo: end).map { survivor(place, $0) }
    }

    private func survivor(_ section: (old: Int, new: Int), _ item: (old: Int, new: Int)) -> Survivor {
        (IndexPath(section: section.old, item: item.old), IndexPath(section: section.new, item: item.new))
    }

    /// How many items there were from a path up to another one, which does not count.
    ///
    /// - Complexity: O(sections between · log).
    func countOfItems(from first: IndexPath, before end: IndexPath) -> Int {
        guard first < end else { return 0 }
        let items = { (path: IndexPath) in min(path.item, oldItemCount(ofSection: path.section)) }
        let sections = first.section..<min(end.section, forwarding.sections.oldCount)
        let whole = sections.reduce(0) { $0 + oldItemCount(ofSection: $1) }
        return whole - (first.section < forwarding.sections.oldCount ? items(first) : 0)
            + (end.section < forwarding.sections.oldCount ? items(end) : 0)
    }
}

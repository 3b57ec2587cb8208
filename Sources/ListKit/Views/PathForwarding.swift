// SPDX-License-Identifier: Apache-2.0

/// The mapping of item paths in an old state of a list to the paths in a new state.
@_spi(Daemon) public struct PathForwarding: Sendable, Hashable {
    /// The mapping of section positions.
    public var sections: PositionMap
    /// The mappings of item indexes in sections that stay, by old section position. In all other sections, items keep
    /// their indexes.
    public var items: [Int: PositionMap]
    /// The item counts of removed sections, by old section position. Removed sections without an entry had one item.
    public var goneItemCounts: [Int: Int]

    /// Makes a mapping of paths.
    public init(sections: PositionMap, items: [Int: PositionMap] = [:], goneItemCounts: [Int: Int] = [:]) {
        self.sections = sections
        self.items = items
        self.goneItemCounts = goneItemCounts
    }

    /// Whether all items keep their paths.
    var isIdentity: Bool { sections.isIdentity && items.isEmpty }

    /// The number of entries, as a measure of the memory used.
    var size: Int { items.values.reduce(sections.runs.count + goneItemCounts.count) { $0 + 1 + $1.runs.count } }

    /// Returns the new path of an item, or `nil` if the item was removed. A path without an item may also have a new
    /// path.
    ///
    /// - Complexity: O(log size).
    func callAsFunction(_ path: IndexPath) -> IndexPath? {
        guard let section = sections(path.section) else { return nil }
        guard let items = items[path.section] else { return IndexPath(section: section, item: path.item) }
        return items(path.item).map { IndexPath(section: section, item: $0) }
    }

    /// Returns the combination of this mapping and the next one.
    ///
    /// - Complexity: O(size of both · log size).
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

/// Finds the items of an old state of a list that still exist in the new state.
struct ItemSurvivors {
    let forwarding: PathForwarding
    /// Returns the number of items of a section in the new state, by its new position.
    let itemCount: (Int) -> Int

    /// The old and the new path of an item that still exists.
    typealias Survivor = (old: IndexPath, new: IndexPath)

    /// Returns the number of items of a section in the old state, by its old position.
    func oldItemCount(ofSection old: Int) -> Int {
        if let items = forwarding.items[old] { return items.oldCount }
        return forwarding.sections(old).map(itemCount) ?? forwarding.goneItemCounts[old] ?? 1
    }

    /// Returns the first of the surviving items in an old range.
    ///
    /// - Complexity: O(s · log n), where s is the number of remaining sections in the range without a surviving item.
    func first(from first: IndexPath, through last: IndexPath) -> Survivor? {
        var section = first.section
        while let place = forwarding.sections.survivor(from: section), place.old <= last.section {
            let start = place.old == first.section ? first.item : 0
            let end = place.old == last.section ? last.item : Int.max
            if let found = firstSurvivor(ofSection: place, from: start), found.old.item <= end { return found }
            section = place.old + 1
        }
        return nil
    }

    private func firstSurvivor(ofSection place: (old: Int, new: Int), from start: Int) -> Survivor? {
        guard let items = forwarding.items[place.old] else {
            guard start < itemCount(place.new) else { return nil }
            return survivor(place, (start, start))
        }
        return items.survivor(from: start).map { survivor(place, $0) }
    }

    /// Returns the last of the surviving items in an old range.
    func last(from first: IndexPath, through last: IndexPath) -> Survivor? {
        var section = last.section
        while let place = forwarding.sections.survivor(upTo: section), place.old >= first.section {
            let start = place.old == first.section ? first.item : 0
            let end = place.old == last.section ? last.item : Int.max
            if let found = lastSurvivor(ofSection: place, upTo: end), found.old.item >= start { return found }
            section = place.old - 1
        }
        return nil
    }

    private func lastSurvivor(ofSection place: (old: Int, new: Int), upTo end: Int) -> Survivor? {
        guard let items = forwarding.items[place.old] else {
            let item = min(end, itemCount(place.new) - 1)
            return item < 0 ? nil : survivor(place, (item, item))
        }
        return items.survivor(upTo: end).map { survivor(place, $0) }
    }

    private func survivor(_ section: (old: Int, new: Int), _ item: (old: Int, new: Int)) -> Survivor {
        (IndexPath(section: section.old, item: item.old), IndexPath(section: section.new, item: item.new))
    }

    /// Returns the number of items in the old state from a path up to, but not including, another path.
    ///
    /// - Complexity: O(sections between the paths · log n).
    func countOfItems(from first: IndexPath, before end: IndexPath) -> Int {
        guard first < end else { return 0 }
        let items = { (path: IndexPath) in min(path.item, oldItemCount(ofSection: path.section)) }
        let sections = first.section..<min(end.section, forwarding.sections.oldCount)
        let whole = sections.reduce(0) { $0 + oldItemCount(ofSection: $1) }
        return whole - (first.section < forwarding.sections.oldCount ? items(first) : 0)
            + (end.section < forwarding.sections.oldCount ? items(end) : 0)
    }
}

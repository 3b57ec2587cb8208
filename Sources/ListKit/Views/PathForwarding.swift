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
    func callAsFunction(_ path: IndexPath) -> IndexPath? { self.path(of: path, isCell: true) }

    /// Returns the new path of an item, or of a header or footer, which only moves along with its section.
    func path(of path: IndexPath, isCell: Bool) -> IndexPath? {
        guard let section = sections(path.section) else { return nil }
        guard isCell, let items = items[path.section] else { return IndexPath(section: section, item: path.item) }
        return items(path.item).map { IndexPath(section: section, item: $0) }
    }

    /// Returns the mapping of the paths in the new state to those in the old one.
    func inverted() -> PathForwarding {
        var result = PathForwarding(sections: sections.inverted())
        for (old, changed) in items {
            if let new = sections(old) { result.items[new] = changed.inverted() }
        }
        return result
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

extension PathForwarding {
    /// Makes the mapping of the paths before some transactions to those after them; `nil` if they change no path.
    ///
    /// A reload has no details: items keep their paths. A removed section without other removed ones counts the items that
    /// the list lost.
    ///
    /// - Parameters:
    ///   - transactions: the transactions, in order.
    ///   - itemCount: returns the number of items of a section after all of them, by its position.
    /// - Complexity: O(transactions · their sizes · log).
    init?(of transactions: [Transaction], itemCount: (Int) -> Int) {
        var joined: PathForwarding?
        for index in transactions.indices.reversed() {
            let before = index > 0 ? transactions[index - 1].sectionCount : nil
            let step = PathForwarding(of: transactions[index], oldSectionCount: before) { [joined] section in
                joined?.oldItemCount(ofSection: section, itemCount) ?? itemCount(section)
            }
            joined = joined.map { step.followed(by: $0) } ?? step
        }
        guard let joined, !joined.isIdentity else { return nil }
        self = joined
    }

    private init(of transaction: Transaction, oldSectionCount: Int?, itemCount: (Int) -> Int) {
        let newCount = transaction.sectionCount
        guard transaction.kind == .update else {
            self.init(sections: PositionMap(oldCount: oldSectionCount ?? newCount, newCount: newCount))
            return
        }
        let batch = transaction.sections
        let (removed, inserted) = (batch.deletes.map(\.range), batch.inserts.map(\.range))
        let oldCount = removed.reduce(inserted.reduce(newCount) { $0 - $1.count }) { $0 + $1.count }
        let sections = PositionMap(
            oldCount: oldCount, removed: removed, inserted: inserted,
            moves: batch.moves.map { (Int($0.old), Int($0.new)) })
        self.init(sections: sections)
        var changes: [Int: (deletes: [Int], inserts: [Int], moves: [(old: Int, new: Int)])] = [:]
        let origins = transaction.items.inserts.isEmpty ? nil : sections.inverted()
        for place in transaction.items.deletes {
            changes[Int(place.section), default: ([], [], [])].deletes.append(Int(place.item))
        }
        for place in transaction.items.inserts {
            guard let old = origins?(Int(place.section)) else { continue }
            changes[old, default: ([], [], [])].inserts.append(Int(place.item))
        }
        for move in transaction.items.moves where sections(Int(move.old.section)) == Int(move.new.section) {
            changes[Int(move.old.section), default: ([], [], [])].moves.append((Int(move.old.item), Int(move.new.item)))
        }
        for (old, change) in changes {
            guard let new = sections(old) else { continue }
            items[old] = PositionMap(
                oldCount: itemCount(new) - change.inserts.count + change.deletes.count, deletes: change.deletes,
                inserts: change.inserts, moves: change.moves)
        }
    }
}

// MARK: - Survivors

/// The items of the old state of a list that still exist in the new state. `itemCount` returns the number of items of a
/// section in the new state, by its new position.
extension PathForwarding {
    /// The old and the new path of an item that still exists.
    typealias Survivor = (old: IndexPath, new: IndexPath)

    /// Returns the number of items of a section in the old state, by its old position.
    func oldItemCount(ofSection old: Int, _ itemCount: (Int) -> Int) -> Int {
        if let items = items[old] { return items.oldCount }
        return sections(old).map(itemCount) ?? goneItemCounts[old] ?? 1
    }

    /// Returns the first of the surviving items in an old range.
    ///
    /// - Complexity: O(s · log n), where s is the number of remaining sections in the range without a surviving item.
    func firstSurvivor(from first: IndexPath, through last: IndexPath, _ itemCount: (Int) -> Int) -> Survivor? {
        var section = first.section
        while let place = sections.survivor(from: section), place.old <= last.section {
            let start = place.old == first.section ? first.item : 0
            let end = place.old == last.section ? last.item : Int.max
            if let found = firstSurvivor(ofSection: place, from: start, itemCount), found.old <= end {
                return survivor(place, found)
            }
            section = place.old + 1
        }
        return nil
    }

    private func firstSurvivor(
        ofSection place: (old: Int, new: Int), from start: Int, _ itemCount: (Int) -> Int
    ) -> (old: Int, new: Int)? {
        if let items = items[place.old] { return items.survivor(from: start) }
        return start < itemCount(place.new) ? (start, start) : nil
    }

    /// Returns the last of the surviving items in an old range.
    func lastSurvivor(from first: IndexPath, through last: IndexPath, _ itemCount: (Int) -> Int) -> Survivor? {
        var section = last.section
        while let place = sections.survivor(upTo: section), place.old >= first.section {
            let start = place.old == first.section ? first.item : 0
            let end = place.old == last.section ? last.item : Int.max
            if let found = lastSurvivor(ofSection: place, upTo: end, itemCount), found.old >= start {
                return survivor(place, found)
            }
            section = place.old - 1
        }
        return nil
    }

    private func lastSurvivor(
        ofSection place: (old: Int, new: Int), upTo end: Int, _ itemCount: (Int) -> Int
    ) -> (old: Int, new: Int)? {
        if let items = items[place.old] { return items.survivor(upTo: end) }
        let item = min(end, itemCount(place.new) - 1)
        return item < 0 ? nil : (item, item)
    }

    private func survivor(_ section: (old: Int, new: Int), _ item: (old: Int, new: Int)) -> Survivor {
        (IndexPath(section: section.old, item: item.old), IndexPath(section: section.new, item: item.new))
    }

    /// Returns the number of items in the old state from a path up to, but not including, another path.
    ///
    /// - Complexity: O(sections between the paths · log n).
    func countOfItems(from first: IndexPath, before end: IndexPath, _ itemCount: (Int) -> Int) -> Int {
        guard first < end else { return 0 }
        func items(_ path: IndexPath) -> Int { min(path.item, oldItemCount(ofSection: path.section, itemCount)) }
        let range = first.section..<min(end.section, sections.oldCount)
        let whole = range.reduce(0) { $0 + oldItemCount(ofSection: $1, itemCount) }
        return whole - (first.section < sections.oldCount ? items(first) : 0)
            + (end.section < sections.oldCount ? items(end) : 0)
    }

    /// Returns the path with its item index limited to the items that the section had.
    func clampedToOldSection(_ path: IndexPath, _ itemCount: (Int) -> Int) -> IndexPath {
        let count = oldItemCount(ofSection: path.section, itemCount)
        return IndexPath(section: path.section, item: min(path.item, max(0, count - 1)))
    }
}

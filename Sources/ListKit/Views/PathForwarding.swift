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

/// The items that a view with the layout `none` shows.
struct ShownItems {
    /// The first and the last item, without the overscan items around them.
    let range: ClosedRange<IndexPath>
    /// Whether the first item is also the first item of the list.
    let startsAtListStart: Bool
}

/// Numbers the items of a list in order, for views with the layout `none`. Sections past the end of the list count as
/// one item each.
struct ItemOrder {
    let sectionCount: Int
    let itemCount: Int
    let itemOffset: (Int) -> Int
    let itemCountOfSection: (Int) -> Int
    let path: (Int) -> IndexPath?

    /// Returns the number of an item. For a section without items, it is the number of the next item.
    func position(ofFirst path: IndexPath) -> Int { position(path, ofEmptySection: 0) }

    /// Returns the number of an item. For a section without items, it is the number of the item before.
    func position(ofLast path: IndexPath) -> Int { position(path, ofEmptySection: -1) }

    private func position(_ path: IndexPath, ofEmptySection distance: Int) -> Int {
        guard path.section < sectionCount else { return itemCount + path.section - sectionCount }
        let (offset, count) = (itemOffset(path.section), itemCountOfSection(path.section))
        return count == 0 ? offset + distance : offset + min(path.item, count - 1)
    }

    /// Returns the path of the item with a number, which may be past the end of the list.
    func path(of position: Int) -> IndexPath {
        let position = max(0, position)
        return path(position) ?? IndexPath(section: sectionCount + position - itemCount, item: 0)
    }

    /// Returns the range of items from `first` through `last`.
    func items(from first: IndexPath, through last: IndexPath) -> VisibleItems {
        let (begin, end) = (position(ofFirst: first), position(ofLast: last))
        // For a range of empty sections, the item before them is the nearest one.
        guard end >= begin else { return VisibleItems(first: end < 0 ? first : path(of: end), length: 1) }
        return VisibleItems(first: first, length: end - begin + 1)
    }

    /// Returns the numbers of the existing items in a range. A range that leaves the list is shifted into the list.
    func range(of items: VisibleItems) -> Range<Int> {
        let begin = max(0, min(position(ofFirst: items.first), itemCount - items.length))
        return begin..<min(itemCount, begin + items.length)
    }

    /// Converts a range of the old list to a range of the new list, in which both ends follow their items.
    ///
    /// If the item at an end was removed, the end moves inwards to the next surviving item. If no item in the range
    /// survived, the range keeps its length: it starts at the next surviving item after it, or else it ends at the
    /// last item of the list.
    func items(
        from first: IndexPath, through last: IndexPath, applying forwarding: PathForwarding
    ) -> VisibleItems {
        let oldSections = forwarding.sections.oldCount
        // The number of items of the range that are past the end of the old list, where there is no item to follow.
        let excess = max(0, last.section - max(first.section, oldSections) + 1)
        guard first.section < oldSections else { return VisibleItems(first: first, length: excess) }
        let first = forwarding.clampedToOldSection(first, itemCountOfSection)
        let end = IndexPath(section: oldSections - 1, item: .max)
        let last = last.section < oldSections ? forwarding.clampedToOldSection(last, itemCountOfSection) : end
        if let begin = forwarding.firstSurvivor(from: first, through: last, itemCountOfSection),
            let end = forwarding.lastSurvivor(from: first, through: last, itemCountOfSection)
        {
            let (begin, end) = (min(begin.new, end.new), max(begin.new, end.new))
            return VisibleItems(first: begin, length: items(from: begin, through: end).length + excess)
        }
        let after = IndexPath(section: last.section, item: last.item == .max ? .max : last.item + 1)
        let length = max(1, forwarding.countOfItems(from: first, before: after, itemCountOfSection) + excess)
        if let next = forwarding.firstSurvivor(from: after, through: end, itemCountOfSection) {
            return VisibleItems(first: next.new, length: length)
        }
        return VisibleItems(first: path(of: itemCount - length), length: length)
    }

    /// Returns the start of a range of `length` items in which the first surviving item keeps its offset, as far as
    /// the list is long enough. Returns `nil` if no item of the range survived.
    ///
    /// - Parameter shown: the first and the last item of the range in the old list.
    func start(
        ofLength length: Int, following shown: ClosedRange<IndexPath>, applying forwarding: PathForwarding
    ) -> IndexPath? {
        let counts = itemCountOfSection
        guard let survivor = forwarding.firstSurvivor(from: shown.lowerBound, through: shown.upperBound, counts)
        else { return nil }
        let gone = forwarding.countOfItems(from: shown.lowerBound, before: survivor.old, counts)
        let begin = position(ofFirst: survivor.new) - gone
        return path(of: min(begin, itemCount - length))
    }
}

extension ItemOrder {
    /// Returns the start of a range of `length` items in which an item lies at a position, as far as the list is long
    /// enough.
    func start(ofLength length: Int, showing item: IndexPath, at position: ScrollPosition) -> IndexPath {
        let target = self.position(ofFirst: item)
        let begin =
            switch position {
            case .none, .end: target - length + 1
            case .start: target
            case .center: target - length / 2
            }
        return path(of: min(begin, itemCount - length))
    }
}

extension ItemOrder {
    /// Numbers the items of the sections in a map.
    init(_ map: SectionMap) {
        self.init(
            sectionCount: map.count, itemCount: map.itemCount, itemOffset: { map.itemOffset(ofSection: $0) },
            itemCountOfSection: { map.itemCount(at: $0) ?? 0 }, path: { map.path(ofItem: $0) })
    }
}

/// The changes of a list since the pictures that a viewer was sent and may still refer to.
///
/// A viewer refers to items by their paths in a picture. Each picture stands for the state of the list when the
/// picture was sent. The changes up to the next picture are combined, so that memory does not grow while a viewer
/// takes no pictures.
@_spi(Daemon) public struct PictureHistory: Sendable, Hashable {
    /// The maximum number of entries in all changes. Above it, the oldest changes are dropped, and the viewer's paths
    /// are not converted by these changes.
    static let maximumSize = 131_072

    /// A group of pictures of the same state of the list, with the changes up to the next group.
    public struct Span: Sendable, Hashable {
        /// The sequence of the first picture in the group.
        public var sequence: UInt64
        /// The changes, in order. Each change has at least twice as many entries as the one after it.
        public private(set) var changes: [PathForwarding] = []
        /// The number of entries in each change.
        private var sizes: [Int] = []

        /// Makes a span.
        public init(sequence: UInt64, changes: [PathForwarding] = []) {
            self.sequence = sequence
            self.changes = changes
            sizes = changes.map(\.size)
        }

        fileprivate var size: Int { sizes.reduce(0, +) }

        /// Appends a change, combined with the changes before it that have less than twice as many entries.
        fileprivate mutating func append(_ change: PathForwarding) {
            var (joined, size) = (change, change.size)
            while let last = sizes.last, last < 2 * size, let earlier = changes.popLast() {
                sizes.removeLast()
                joined = earlier.followed(by: joined)
                size = joined.size
            }
            changes.append(joined)
            sizes.append(size)
        }

        /// Combines all changes into one, keeps only that change and returns it; `nil` if there are no changes.
        fileprivate mutating func combineAll() -> PathForwarding? {
            guard let first = changes.first else { return nil }
            guard changes.count > 1 else { return first }
            let joined = changes.dropFirst().reduce(first) { $0.followed(by: $1) }
            (changes, sizes) = ([joined], [joined.size])
            return joined
        }

        fileprivate mutating func removeChanges() { (changes, sizes) = ([], []) }
    }

    /// The groups of pictures, ascending; empty before the first picture was sent.
    public private(set) var spans: [Span] = []
    /// The number of entries in all changes.
    private var size = 0

    /// Makes the history of a viewer that was sent nothing.
    public init() {}

    /// Continues the history of another engine.
    public init(spans: [Span]) {
        self.spans = spans
        size = spans.reduce(0) { $0 + $1.size }
        shrink()
    }

    /// Records that a picture of the present state of the list was sent.
    public mutating func record(sequence: UInt64) {
        if let last = spans.last, last.changes.isEmpty { return }
        spans.append(Span(sequence: sequence))
    }

    /// Records that a picture replaces all earlier pictures.
    public mutating func restart(sequence: UInt64) {
        spans = [Span(sequence: sequence)]
        size = 0
    }

    /// Records a change of the list.
    ///
    /// - Complexity: O(size of the change · log n), amortized over all changes.
    public mutating func record(_ change: PathForwarding) {
        guard !spans.isEmpty, !change.isIdentity else { return }
        let last = spans.count - 1
        size -= spans[last].size
        spans[last].append(change)
        size += spans[last].size
        shrink()
    }

    /// Drops the oldest changes while there are too many entries.
    private mutating func shrink() {
        while size > Self.maximumSize, let place = spans.firstIndex(where: { !$0.changes.isEmpty }) {
            size -= spans[place].size
            spans[place].removeChanges()
        }
    }

    /// Drops the pictures before the one that the viewer has acknowledged and therefore drawn.
    public mutating func forget(upTo acknowledged: UInt64) {
        let gone = spans.dropFirst().prefix { $0.sequence <= acknowledged }.count
        for span in spans.prefix(gone) { size -= span.size }
        spans.removeFirst(gone)
    }

    /// Keeps only the last `count` pictures. A viewer that never acknowledges is assumed to have drawn the rest.
    mutating func dropAll(exceptNewest count: UInt64, lastSent: UInt64) {
        if lastSent > count { forget(upTo: lastSent - count) }
    }

    /// Returns the changes since a picture, in order.
    ///
    /// For a picture before the oldest recorded one, it returns the changes since the oldest. For 0, and for a
    /// picture that was not sent, it returns the changes since the newest.
    func changes(since seen: UInt64, lastSent: UInt64) -> [PathForwarding] {
        spans.dropFirst(spanIndex(of: seen, lastSent)).flatMap(\.changes)
    }

    /// Returns the changes since a picture as one change, or `nil` if there were none.
    ///
    /// - Complexity: O(size of the changes · log n) for changes that no earlier call has combined.
    mutating func change(since seen: UInt64, lastSent: UInt64) -> PathForwarding? {
        var change: PathForwarding?
        for index in spans.indices.dropFirst(spanIndex(of: seen, lastSent)) {
            size -= spans[index].size
            if let next = spans[index].combineAll() { change = change?.followed(by: next) ?? next }
            size += spans[index].size
        }
        return change
    }

    private func spanIndex(of seen: UInt64, _ lastSent: UInt64) -> Int {
        let seen = seen == 0 ? lastSent : min(seen, lastSent)
        return max(0, spans.partitionPoint { $0.sequence <= seen } - 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The items that a view without a layout is to show: where they begin, and how many they are.
///
/// Both are kept as they were asked for while the list is too short for them.
@frozen public struct VisibleItems: Sendable, Hashable {
    /// The first item; sections past the end of the list count as one item each.
    public var first: IndexPath
    /// How many items, at least 1.
    public var length: Int

    /// Describes `length` items from `first` on.
    public init(first: IndexPath, length: Int) {
        self.first = first
        self.length = length
    }
}

/// The items that a view without a layout shows.
struct ShownItems {
    /// The first and the last one, without those around them.
    let range: ClosedRange<IndexPath>
    /// Whether the first one is the first of the list.
    let beginsTheList: Bool
}

/// The list as a view without a layout counts it: by items, and by one for each section past the end.
struct ItemOrder {
    let sectionCount: Int
    let itemCount: Int
    let itemOffset: (Int) -> Int
    let itemCountOfSection: (Int) -> Int
    let path: (Int) -> IndexPath?

    /// The number of an item; of a section without items that of the next one.
    func position(ofFirst path: IndexPath) -> Int { position(path, ofEmptySection: 0) }

    /// Likewise; of a section without items that of the one before.
    func position(ofLast path: IndexPath) -> Int { position(path, ofEmptySection: -1) }

    private func position(_ path: IndexPath, ofEmptySection distance: Int) -> Int {
        guard path.section < sectionCount else { return itemCount + path.section - sectionCount }
        let (offset, count) = (itemOffset(path.section), itemCountOfSection(path.section))
        return count == 0 ? offset + distance : offset + min(path.item, count - 1)
    }

    /// The path of a number, also of one past the end.
    func path(of position: Int) -> IndexPath {
        let position = max(0, position)
        return path(position) ?? IndexPath(section: sectionCount + position - itemCount, item: 0)
    }

    /// The items from one to another one.
    func items(from first: IndexPath, through last: IndexPath) -> VisibleItems {
        let (begin, end) = (position(ofFirst: first), position(ofLast: last))
        // Of sections without items, the item before them is as near as can be.
        guard end >= begin else { return VisibleItems(first: end < 0 ? first : path(of: end), length: 1) }
        return VisibleItems(first: first, length: end - begin + 1)
    }

    /// The numbers of the items that are there, the range shifted into the list where it leaves it.
    func range(of items: VisibleItems) -> Range<Int> {
        let begin = max(0, min(position(ofFirst: items.first), itemCount - items.length))
        return begin..<min(itemCount, begin + items.length)
    }

    /// What a range of the list before has become, both ends following the list.
    ///
    /// An end whose item is gone becomes the next survivor inwards. Without one the range begins at the next survivor after it,
    /// else it ends at the last item; it keeps its length.
    func items(
        from first: IndexPath, through last: IndexPath, before forwarding: PathForwarding
    ) -> VisibleItems {
        let survivors = ItemSurvivors(forwarding: forwarding, itemCount: itemCountOfSection)
        let oldSections = forwarding.sections.oldCount
        // How many of the items are past the end of the list before: they cannot follow anything.
        let excess = max(0, last.section - max(first.section, oldSections) + 1)
        guard first.section < oldSections else { return VisibleItems(first: first, length: excess) }
        let first = survivors.inSection(first)
        let end = IndexPath(section: oldSections - 1, item: .max)
        let last = last.section < oldSections ? survivors.inSection(last) : end
        if let begin = survivors.first(from: first, through: last),
            let end = survivors.last(from: first, through: last)
        {
            let (begin, end) = (min(begin.new, end.new), max(begin.new, end.new))
            return VisibleItems(first: begin, length: items(from: begin, through: end).length + excess)
        }
        let after = IndexPath(section: last.section, item: last.item == .max ? .max : last.item + 1)
        let length = max(1, survivors.countOfItems(from: first, before: after) + excess)
        if let next = survivors.first(from: after, through: end) {
            return VisibleItems(first: next.new, length: length)
        }
        return VisibleItems(first: path(of: itemCount - length), length: length)
    }

    /// Where as many items begin of which the first that is still there keeps its place among them, as far as the list allows;
    /// `nil` when none of them is there.
    ///
    /// - Parameter shown: the first and the last of them before.
    func first(
        of length: Int, following shown: ClosedRange<IndexPath>, before forwarding: PathForwarding
    ) -> IndexPath? {
        let survivors = ItemSurvivors(forwarding: forwarding, itemCount: itemCountOfSection)
        guard let survivor = survivors.first(from: shown.lowerBound, through: shown.upperBound) else { return nil }
        let gone = survivors.countOfItems(from: shown.lowerBound, before: survivor.old)
        let begin = position(ofFirst: survivor.new) - gone
        return path(of: min(begin, itemCount - length))
    }
}

extension ItemOrder {
    /// Where as many items begin among which one lies at a position, as far as the list has so many.
    func first(of length: Int, showing item: IndexPath, at position: ScrollPosition) -> IndexPath {
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

extension ItemSurvivors {
    /// The path, taken into its section as it was.
    fileprivate func inSection(_ path: IndexPath) -> IndexPath {
        IndexPath(section: path.section, item: min(path.item, max(0, oldItemCount(ofSection: path.section) - 1)))
    }
}

extension ItemOrder {
    /// The items of a list, counted.
    init(_ map: SectionMap) {
        self.init(
            sectionCount: map.count, itemCount: map.itemCount, itemOffset: { map.itemOffset(ofSection: $0) },
            itemCountOfSection: { map.itemCount(at: $0) ?? 0 }, path: { map.path(ofItem: $0) })
    }
}

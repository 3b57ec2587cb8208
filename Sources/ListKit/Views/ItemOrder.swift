// SPDX-License-Identifier: Apache-2.0

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

// SPDX-License-Identifier: Apache-2.0

/// The sections around the visible elements of a view; in views that count items, also the items around them.
struct WorkingRange {
    /// An item, with the position of its section.
    typealias Item = (section: Int, handle: SectionHandle, item: Int)

    /// The positions of the sections in range.
    private(set) var sections = 0..<0
    /// The paths of the items in range; `nil` = there are none, or the view counts sections.
    private var items: ClosedRange<IndexPath>?

    /// Makes an empty range.
    init() {}

    /// Computes the range around some elements.
    ///
    /// - Parameters:
    ///   - elements: the elements, section by section.
    ///   - size: the number of sections or items on each side for which the view's options have no number.
    ///   - isInOrder: whether the elements are known to be in list order.
    /// - Complexity: O(log n); O(elements) in a view that counts items, unless they are known to be in order.
    init(
        around elements: [ViewElement], _ options: ListViewOptions, size: Int, in map: SectionMap,
        isInOrder: Bool = false
    ) {
        guard let first = elements.first(where: { $0.key.handle != nil })?.section,
            let last = elements.last(where: { $0.key.handle != nil })?.section
        else { return }
        let (trail, lead) = (options.trail ?? max(0, size), options.lead ?? max(0, size))
        switch options.workingRangeUnit {
        case .sections: sections = first - min(trail, first)..<last + 1 + min(lead, max(0, map.count - 1 - last))
        case .items:
            sections = first..<last + 1
            let visible = WorkingRange.visibleItems(of: elements, map, isInOrder)
            let lower = visible.lowerBound - min(trail, visible.lowerBound)
            let upper = visible.upperBound + min(lead, max(0, map.itemCount - visible.upperBound))
            guard lower < upper, let begin = map.path(ofItem: lower), let end = map.path(ofItem: upper - 1)
            else { return }
            items = begin...end
            sections = min(first, begin.section)..<max(last, end.section) + 1
        }
    }

    /// Returns the range from the first to the last visible item, counted from the start of the list. If only headers
    /// and footers are visible, the range is empty and lies where they are: a header before the items of its section, a
    /// footer after them.
    private static func visibleItems(
        of elements: [ViewElement], _ map: SectionMap, _ isInOrder: Bool
    ) -> Range<Int> {
        let ends =
            isInOrder
            ? [elements.first(where: \.isCell), elements.last(where: \.isCell)].compactMap { $0 }
            : elements.filter(\.isCell)
        let paths = ends.map { IndexPath(section: $0.section, item: $0.key.index) }
        if let first = paths.min(), let last = paths.max() { return map.positions(of: first...last) }
        // A sticky header is also visible where its section ends, so the last element counts.
        guard let last = elements.filter({ $0.key.handle != nil }).max(by: ViewElement.isBefore) else { return 0..<0 }
        let place = map.itemOffset(ofSection: last.section)
        let position = last.key.kind == .footer ? place + (map.itemCount(at: last.section) ?? 0) : place
        return position..<position
    }

    /// Returns the indexes of the items of a section that are in range.
    fileprivate func items(inSection section: Int, count: Int) -> Range<Int> {
        guard let items, (items.lowerBound.section...items.upperBound.section).contains(section) else { return 0..<0 }
        let first = section == items.lowerBound.section ? items.lowerBound.item : 0
        let end = section == items.upperBound.section ? items.upperBound.item + 1 : count
        return min(first, count)..<max(min(first, count), min(end, count))
    }

    /// The sections with items in range.
    fileprivate var sectionsWithItems: Range<Int> {
        items.map { $0.lowerBound.section..<$0.upperBound.section + 1 } ?? 0..<0
    }

    /// Returns the positions of the items in range, counted from the start of the list.
    fileprivate func positions(_ map: SectionMap) -> Range<Int> { items.map { map.positions(of: $0) } ?? 0..<0 }
}

extension DisplayStep {
    /// Sets the sections and items that entered and left the working range.
    ///
    /// - Parameters:
    ///   - forwarding: the mappings of old to new item indexes in the update that is being presented; `nil` = the list has
    ///     not changed.
    ///   - sections: the sections outside of which sections keep their positions; `nil` = they need not do so.
    /// - Complexity: O(changes + log n); during an update also O(those of `sections` in range · log n).
    mutating func setRanges(
        from old: WorkingRange, to new: WorkingRange, _ map: SectionMap, forwarding: [SectionHandle: PositionMap]?,
        in sections: Range<Int>? = nil
    ) {
        guard let forwarding else {
            entered = new.sections.parts(without: old.sections).flatMap { map.places(in: $0) }
            exited = old.sections.parts(without: new.sections).flatMap { map.places(in: $0) }
            let (before, after) = (old.positions(map), new.positions(map))
            itemsEntered = after.parts(without: before).flatMap { map.items(at: $0) }
            itemsExited = before.parts(without: after).flatMap { map.items(at: $0) }
            return
        }
        // Of the sections that are in range before and after, only those of `sections` are looked up.
        let common = new.sections.clamped(to: old.sections)
        let looked = sections.map { common.clamped(to: $0) } ?? common
        let (come, gone) = (new.sections.parts(without: common), old.sections.parts(without: common))
        entered = (come + [looked]).flatMap { map.places(in: $0) }.filter {
            map.oldPosition(of: $0.handle).map(old.sections.contains) != true
        }.sorted { $0.section < $1.section }
        exited = (gone + [looked]).joined().compactMap { section -> (section: Int, handle: SectionHandle)? in
            guard let handle = map.oldHandle(at: section) else { return nil }
            return map.position(of: handle).map(new.sections.contains) == true ? nil : (section, handle)
        }.sorted { $0.section < $1.section }
        setItems(from: old, to: new, map, forwarding)
    }

    private mutating func setItems(
        from old: WorkingRange, to new: WorkingRange, _ map: SectionMap, _ forwarding: [SectionHandle: PositionMap]
    ) {
        for (section, handle) in map.places(in: new.sectionsWithItems) {
            let present = new.items(inSection: section, count: map.itemCount(at: section) ?? 0)
            let before =
                map.oldPosition(of: handle)
                .map { old.items(inSection: $0, count: map.oldItemCount(at: $0)) } ?? 0..<0
            if let forward = forwarding[handle] {
                let stayed = Set(before.compactMap { forward($0) })
                itemsEntered += present.lazy.filter { !stayed.contains($0) }.map { (section, handle, $0) }
            } else {
                itemsEntered += present.parts(without: before).joined().map { (section, handle, $0) }
            }
        }
        for section in old.sectionsWithItems {
            guard let handle = map.oldHandle(at: section) else { continue }
            let before = old.items(inSection: section, count: map.oldItemCount(at: section))
            let present =
                map.position(of: handle)
                .map { new.items(inSection: $0, count: map.itemCount(at: $0) ?? 0) } ?? 0..<0
            if let forward = forwarding[handle] {
                itemsExited += before.lazy.filter { forward($0).map(present.contains) != true }
                    .map { (section, handle, $0) }
            } else {
                itemsExited += before.parts(without: present).joined().map { (section, handle, $0) }
            }
        }
    }
}

extension SectionMap {
    /// Returns the sections in a range of positions.
    fileprivate func places(in range: Range<Int>) -> [(section: Int, handle: SectionHandle)] {
        range.isEmpty ? [] : zip(range, handles(in: range)).map { ($0, $1) }
    }

    /// Returns the positions, counted from the start of the list, of the items from one path to another.
    fileprivate func positions(of items: ClosedRange<IndexPath>) -> Range<Int> {
        let first = itemOffset(ofSection: items.lowerBound.section) + items.lowerBound.item
        return first..<max(first, itemOffset(ofSection: items.upperBound.section) + items.upperBound.item) + 1
    }

    /// Returns the items at some positions, counted from the start of the list.
    fileprivate func items(at positions: Range<Int>) -> [WorkingRange.Item] {
        guard !positions.isEmpty, let first = path(ofItem: positions.lowerBound) else { return [] }
        var items: [WorkingRange.Item] = []
        items.reserveCapacity(positions.count)
        var (section, item) = (first.section, first.item)
        while items.count < positions.count, let handle = handle(at: section) {
            let end = min(itemCount(at: section) ?? 0, item + positions.count - items.count)
            for index in item..<max(item, end) { items.append((section, handle, index)) }
            (section, item) = (section + 1, 0)
        }
        return items
    }
}

extension Range<Int> {
    /// Returns the parts of the range before and after another one, which are not empty.
    fileprivate func parts(without other: Range<Int>) -> [Range<Int>] {
        let before = lowerBound..<Swift.max(lowerBound, Swift.min(upperBound, other.lowerBound))
        let after = Swift.min(upperBound, Swift.max(lowerBound, other.upperBound))..<upperBound
        return [before, after].filter { !$0.isEmpty }
    }
}

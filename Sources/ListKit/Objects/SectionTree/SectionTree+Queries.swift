// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// How many sections one state has.
    func count(_ side: ListSide = .new) -> Int { order.total.count(side) }

    /// How many items one state has.
    func itemCount(_ side: ListSide = .new) -> Int { order.total.items(side) }

    /// The index of an identifier in one state, nil when it is not there.
    func index(of id: String, in side: ListSide = .new) -> Int? { index(ofID: id.utf8Span.span, in: side) }

    /// The index of the bytes of an identifier in one state, nil when it is not there.
    func index(ofID id: Span<UInt8>, in side: ListSide = .new) -> Int? {
        place(ofSlot: slot(ofID: id), in: side).map { order.summary(before: $0).count(side) }
    }

    /// The index of an object in one state, found by its identifier; nil when it is not there.
    func index(of object: ListObject, in side: ListSide = .new) -> Int? {
        place(ofSlot: slot(of: object), in: side).map { order.summary(before: $0).count(side) }
    }

    /// The section at an index of one state, nil beyond the ends.
    func section(at index: Int, in side: ListSide = .new) -> Section? {
        guard let place = order.place(at: index, side) else { return nil }
        return section(at: place, side)
    }

    /// The object at an index of one state, nil beyond the ends.
    func object(at index: Int, in side: ListSide = .new) -> ListObject? { section(at: index, in: side)?.object }

    /// The section with an identifier in one state, and its index; nil when it is not there.
    func section(of id: String, in side: ListSide = .new) -> (index: Int, section: Section)? {
        guard let place = place(ofSlot: slot(ofID: id.utf8Span.span), in: side) else { return nil }
        return section(at: place, side).map { (order.summary(before: place).count(side), $0) }
    }

    /// The object with an identifier in one state, nil when it is not there.
    func object(withID id: String, in side: ListSide = .new) -> ListObject? {
        guard let place = place(ofSlot: slot(ofID: id.utf8Span.span), in: side) else { return nil }
        return section(at: place, side)?.object
    }

    /// The section of an object in one state, found by its identifier; nil when it is not there.
    func section(of object: ListObject, in side: ListSide = .new) -> Section? {
        guard let place = place(ofSlot: slot(of: object), in: side) else { return nil }
        return section(at: place, side)
    }

    /// How many items lie before a section of one state; all of them for the index behind the last.
    func itemOffset(ofSection index: Int, in side: ListSide = .new) -> Int {
        guard let place = order.place(at: index, side) else { return index <= 0 ? 0 : itemCount(side) }
        return order.summary(before: place).items(side)
    }

    /// The path of an item that is counted from the start of the list, nil beyond the ends.
    func path(ofItem item: Int, in side: ListSide = .new) -> IndexPath? {
        order.place(ofItem: item, side).map { IndexPath(section: $0.section, item: $0.item) }
    }

    /// Visits sections of one state in order, as many of a range as there are.
    ///
    /// - Complexity: O(log n + sections visited).
    func forEachSection(
        in range: Range<Int>, of side: ListSide = .new, _ body: (_ index: Int, _ section: Section) -> Void
    ) {
        let range = range.clamped(to: 0..<count(side))
        guard var place = order.place(at: range.lowerBound, side), !range.isEmpty else { return }
        var index = range.lowerBound
        while true {
            if place.position == Int(order.leaves[place.leaf].count) {
                guard let next = order.leaf(after: place.leaf) else { return }
                place = SectionOrder.Place(leaf: next, position: 0)
                continue
            }
            if order.word(at: place).isPresent(side), let section = section(at: place, side) {
                body(index, section)
                index += 1
                if index == range.upperBound { return }
            }
            place.position += 1
        }
    }

    /// How many sections of the new state, from an index on, have objects of one type and the same number of items.
    ///
    /// - Parameter payloadsMatter: whether a section with a payload ends the run (but for the first one).
    /// - Complexity: O(log n + sections counted).
    func countOfSections(likeSectionAt index: Int, payloadsMatter: Bool) -> Int {
        guard var place = order.place(at: index, .new) else { return 0 }
        let type = objects[order.word(at: place).slot]?.storage.type
        let items = order.itemCount(at: place)
        var count = 0
        while true {
            if place.position == Int(order.leaves[place.leaf].count) {
                guard let next = order.leaf(after: place.leaf) else { return count }
                place = SectionOrder.Place(leaf: next, position: 0)
                continue
            }
            let word = order.word(at: place)
            if word.isPresent(.new) {
                let isLike =
                    order.itemCount(at: place) == items && objects.hasType(type, at: word.slot)
                    && (!payloadsMatter || count == 0 || payloads[word.slot] == SectionTree.noPayload)
                guard isLike else { return count }
                count += 1
            }
            place.position += 1
        }
    }

    /// The objects of one state in order.
    ///
    /// - Complexity: O(n).
    func objects(_ side: ListSide = .new) -> [ListObject] {
        var result: [ListObject] = []
        result.reserveCapacity(count(side))
        forEachSection(in: 0..<count(side), of: side) { _, section in result.append(section.object) }
        return result
    }

    private func section(at place: SectionOrder.Place, _ side: ListSide) -> Section? {
        let word = order.word(at: place)
        let payload = payloads[word.slot]
        if side == .old, word.isChanged, let version = oldVersions[word.slot] {
            return Section(object: version.object, itemCount: Int(version.items), payload: payload)
        }
        guard let object = objects[word.slot] else { return nil }
        return Section(object: object, itemCount: Int(order.itemCount(at: place)), payload: payload)
    }
}

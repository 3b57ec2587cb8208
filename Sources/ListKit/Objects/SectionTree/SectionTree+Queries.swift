// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// Returns the number of sections in one state.
    func count(_ side: ListSide = .new) -> Int { order.total.count(side) }

    /// Returns the number of items in one state.
    func itemCount(_ side: ListSide = .new) -> Int { order.total.items(side) }

    /// Returns whether every section has exactly one item; true for an empty list.
    func isFlat(_ side: ListSide = .new) -> Bool { order.total.isFlat(side) }

    /// Returns the index of the section with an identifier in one state; `nil` if there is no such section.
    func index(of id: String, in side: ListSide = .new) -> Int? { index(ofID: id.utf8Span.span, in: side) }

    /// Returns the index of the section with an identifier, given as UTF-8 bytes; `nil` if there is no such section.
    func index(ofID id: Span<UInt8>, in side: ListSide = .new) -> Int? {
        place(ofSlot: slot(ofID: id), in: side).map { order.summary(before: $0).count(side) }
    }

    /// Returns the index of the section with an object's identifier in one state; `nil` if there is no such section.
    func index(of object: ListObject, in side: ListSide = .new) -> Int? {
        place(ofSlot: slot(of: object), in: side).map { order.summary(before: $0).count(side) }
    }

    /// Returns the section at an index in one state; `nil` if there is no such section.
    func section(at index: Int, in side: ListSide = .new) -> Section? {
        guard let place = order.place(at: index, side) else { return nil }
        return section(at: place, side)
    }

    /// Returns the object at an index in one state; `nil` if there is no such section.
    func object(at index: Int, in side: ListSide = .new) -> ListObject? { section(at: index, in: side)?.object }

    /// Returns the section with an identifier in one state, and its index; `nil` if there is no such section.
    func section(of id: String, in side: ListSide = .new) -> (index: Int, section: Section)? {
        guard let place = place(ofSlot: slot(ofID: id.utf8Span.span), in: side) else { return nil }
        return section(at: place, side).map { (order.summary(before: place).count(side), $0) }
    }

    /// Returns the object with an identifier in one state; `nil` if there is no such object.
    func object(withID id: String, in side: ListSide = .new) -> ListObject? {
        guard let place = place(ofSlot: slot(ofID: id.utf8Span.span), in: side) else { return nil }
        return section(at: place, side)?.object
    }

    /// Returns the section with an object's identifier in one state; `nil` if there is no such section.
    func section(of object: ListObject, in side: ListSide = .new) -> Section? {
        guard let place = place(ofSlot: slot(of: object), in: side) else { return nil }
        return section(at: place, side)
    }

    /// Returns the number of items before a section in one state; past the last section, the number of all items.
    func itemOffset(ofSection index: Int, in side: ListSide = .new) -> Int {
        guard let place = order.place(at: index, side) else { return index <= 0 ? 0 : itemCount(side) }
        return order.summary(before: place).items(side)
    }

    /// Returns the path of an item in one state; `nil` if there is no such item.
    ///
    /// - Parameter item: the number of items before the item in the list.
    func path(ofItem item: Int, in side: ListSide = .new) -> IndexPath? {
        order.place(ofItem: item, side).map { IndexPath(section: $0.section, item: $0.item) }
    }

    /// Calls `body` for the sections of a range in one state, in order. The range is clamped to the list.
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

    /// Returns the number of consecutive sections in the new state, from the section at an index on, that have that
    /// section's object type and number of items.
    ///
    /// - Parameter payloadsMatter: whether the run also ends before the next section with a payload.
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

    /// Returns all objects in one state, in order.
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

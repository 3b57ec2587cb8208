// SPDX-License-Identifier: Apache-2.0

/// Edits of the state after the transaction. What cannot be done is answered with false and changes nothing.
extension SectionTree {
    /// Puts a section in front of the one at an index, or at the end; its identifier must not be there.
    ///
    /// An object whose identifier was there before the transaction comes back: that is a move, and an update if it differs.
    /// - Returns: false when the identifier is there already, or when no slot is left.
    public mutating func insert(
        _ object: ListObject, at index: Int, itemCount: Int = 1, payload: Int32 = SectionTree.noPayload
    ) -> Bool {
        let previous = slot(of: object)
        guard slot(previous, in: .new) == nil, let slot = makeSlot() else { return false }
        objects[slot] = object
        payloads[slot] = payload
        origins[slot] = self.slot(previous, in: .old)
        order.insert(
            SectionWord(slot: slot, isOld: false, isNew: true), items: SectionTree.clamp(itemCount), at: max(0, index))
        link(slot, insteadOf: previous)
        steps.append(.inserted(slot: slot, previous: previous))
        return true
    }

    /// Takes the section with an identifier out.
    ///
    /// - Returns: the index that it had, nil when it was not there.
    @discardableResult
    public mutating func remove(_ id: String) -> Int? {
        guard let slot = slot(slot(ofID: id.utf8Span.span), in: .new) else { return nil }
        return remove(slot: slot)
    }

    /// Takes the section at an index out.
    ///
    /// - Returns: false beyond the ends.
    @discardableResult
    mutating func remove(at index: Int) -> Bool {
        guard let place = order.place(at: index, .new) else { return false }
        return remove(slot: order.word(at: place).slot) == index
    }

    /// Moves the section with an identifier, so that it has an index afterwards (clamped to the list).
    ///
    /// - Returns: false when it is not there.
    @discardableResult
    public mutating func move(_ id: String, to index: Int) -> Bool {
        guard let slot = slot(slot(ofID: id.utf8Span.span), in: .new), let object = objects[slot] else { return false }
        let count = order.itemCount(at: order.place(ofSlot: slot))
        let payload = payloads[slot]
        _ = remove(slot: slot)
        guard insert(object, at: min(index, self.count()), itemCount: Int(count), payload: payload) else {
            // No slot is left for the new place; the old one is still there.
            undoLastStep()
            return false
        }
        return true
    }

    /// Gives a section a new object with the same identifier, and a number of items (nil: as before).
    ///
    /// - Returns: the index of the section, nil when it is not there.
    @discardableResult
    public mutating func replace(_ object: ListObject, itemCount: Int? = nil) -> Int? {
        guard let slot = slot(slot(of: object), in: .new), let before = objects[slot] else { return nil }
        let place = order.place(ofSlot: slot)
        let index = order.summary(before: place).count(.new)
        let oldItems = order.itemCount(at: place)
        var word = order.word(at: place)
        let version = OldVersion(object: before, items: oldItems)
        let isFirst = word.isOld && !word.isChanged
        if isFirst {
            oldVersions[slot] = version
            word.isChanged = true
        }
        steps.append(.replaced(slot: slot, version: version, isFirst: isFirst))
        objects[slot] = object
        let items = itemCount.map(SectionTree.clamp) ?? oldItems
        order.update(slot: slot, to: word, items: items, old: oldVersions[slot]?.items)
        return index
    }

    /// Gives every section another number of items, while no transaction is open.
    ///
    /// - Parameter count: how many items a section is to have, by how many it has.
    /// - Complexity: O(n).
    mutating func recount(_ count: (_ items: Int, _ object: ListObject) -> Int) {
        assert(!hasOpenTransaction)
        var order = SectionOrder()
        swap(&order, &self.order)
        order.recount { slot, items in objects[slot].map { SectionTree.clamp(count(Int(items), $0)) } ?? items }
        swap(&order, &self.order)
    }

    /// Keeps a number with the section at an index; not part of the transaction, so a rollback leaves it.
    mutating func setPayload(_ payload: Int32, at index: Int, in side: ListSide = .new) {
        guard let place = order.place(at: index, side) else { return }
        payloads[order.word(at: place).slot] = payload
    }

    private mutating func remove(slot: Int) -> Int {
        let place = order.place(ofSlot: slot)
        let index = order.summary(before: place).count(.new)
        setPresence(of: slot, isNew: false)
        steps.append(.removed(slot: slot))
        return index
    }

    /// Puts a section into the new state or takes it out, leaving it in its place.
    mutating func setPresence(of slot: Int, isNew: Bool) {
        let place = order.place(ofSlot: slot)
        var word = order.word(at: place)
        word.isNew = isNew
        order.update(slot: slot, to: word, items: order.itemCount(at: place), old: oldVersions[slot]?.items)
    }

    private mutating func makeSlot() -> Int? {
        if let slot = freeSlots.popLast() { return slot }
        guard slotCount < SectionWord.maximumSlots else { return nil }
        slotCount += 1
        objects.reserve(slotCount)
        payloads.reserve(slotCount)
        return slotCount - 1
    }

    /// Lets the identifier in a slot lead to it.
    mutating func link(_ slot: Int, insteadOf previous: Int?) {
        var identifiers = IdentifierIndex.vacant
        swap(&identifiers, &self.identifiers)
        if let previous {
            identifiers.replace(previous, with: slot, hash: hash(ofSlot: slot)) { hash(ofSlot: $0) }
        } else {
            identifiers.insert(slot, hash: hash(ofSlot: slot)) { hash(ofSlot: $0) }
        }
        swap(&identifiers, &self.identifiers)
    }
}

// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// Makes the new state the only one.
    ///
    /// - Returns: the sections that are gone, so that their payloads can be freed.
    /// - Complexity: O(changes · log n).
    public mutating func commit() -> [Section] {
        var gone: [Section] = []
        let moved = Set(origins.compactMap { isNew($0.key) ? $0.value : nil })
        for slot in touchedSlots() {
            let place = order.place(ofSlot: slot)
            let word = order.word(at: place)
            if word.isNew {
                let plain = SectionWord(slot: slot, isOld: true, isNew: true)
                order.update(slot: slot, to: plain, items: order.itemCount(at: place), old: nil)
            } else {
                if let object = objects[slot], word.isOld, !moved.contains(slot) {
                    let count = Int(order.itemCount(at: place))
                    gone.append(Section(object: object, itemCount: count, payload: payloads[slot]))
                }
                unlink(slot)
                free(slot)
            }
        }
        closeTransaction()
        return gone
    }

    /// Makes the old state the only one.
    ///
    /// - Complexity: O(changes · log n).
    mutating func rollback() { rollback(to: Savepoint(steps: 0)) }

    /// Takes back the edits after a savepoint, the last one first.
    ///
    /// - Complexity: O(edits taken back · log n).
    mutating func rollback(to savepoint: Savepoint) {
        while steps.count > savepoint.steps { undoLastStep() }
        if steps.isEmpty { closeTransaction() }
    }

    mutating func undoLastStep() {
        switch steps.popLast() {
        case .inserted(let slot, let previous):
            if let previous { link(previous, insteadOf: slot) } else { unlink(slot) }
            origins[slot] = nil
            free(slot)
        case .removed(let slot): setPresence(of: slot, isNew: true)
        case .replaced(let slot, let version, let isFirst):
            var word = order.word(at: order.place(ofSlot: slot))
            objects[slot] = version.object
            if isFirst {
                oldVersions[slot] = nil
                word.isChanged = false
            }
            order.update(slot: slot, to: word, items: version.items, old: oldVersions[slot]?.items)
        case nil: break
        }
    }

    /// The slots that the transaction made or changed, each once, in the order in which it came to them.
    func touchedSlots() -> [Int] {
        var seen: Set<Int> = []
        return steps.compactMap { step in
            let slot =
                switch step {
                case .inserted(let slot, _), .removed(let slot), .replaced(let slot, _, _): slot
                }
            return seen.insert(slot).inserted ? slot : nil
        }
    }

    func isNew(_ slot: Int) -> Bool { order.word(at: order.place(ofSlot: slot)).isNew }

    private mutating func closeTransaction() {
        steps.removeAll()
        origins.removeAll()
        oldVersions.removeAll()
    }

    /// Lets the identifier in a slot lead nowhere, unless another slot has taken it over.
    private mutating func unlink(_ slot: Int) {
        identifiers.remove(slot, hash: hash(ofSlot: slot))
    }

    private mutating func free(_ slot: Int) {
        order.remove(slot: slot)
        objects[slot] = nil
        payloads[slot] = SectionTree.noPayload
        freeSlots.append(slot)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The sections of a list in their order, with the state before and after an open transaction side by side.
///
/// Every edit uses objects or positions *after* the edits before it, and can be undone; until `commit()` both states can be
/// queried: which section is at an index, which index an object has, how many items lie before a section. Removing keeps the
/// section for the old state, inserting adds it to the new state only, moving does both, replacing keeps the object before.
///
/// Edits and queries cost O(log n), `commit()`, `rollback()` and `changes()` O(changes · log n). A section takes about 32 bytes
/// besides its object. Identifiers are unique; the tree has one owner and is not shared.
@_spi(Benchmarks) public struct SectionTree: ~Copyable {
    /// The payload of a section that has none.
    public static let noPayload: Int32 = -1

    /// One section in one state.
    public struct Section {
        /// The object.
        public var object: ListObject
        /// How many items the section has.
        public var itemCount: Int
        /// A number that the tree's owner keeps with the section, such as a handle; it moves with the section.
        public var payload: Int32
    }

    /// A point in the transaction to which `rollback(to:)` returns.
    struct Savepoint {
        fileprivate(set) var steps: Int
    }

    /// What a section was before the transaction changed it.
    struct OldVersion {
        let object: ListObject
        let items: Int32
    }

    /// An edit, with the data to undo it.
    enum Step {
        /// A slot was made; its identifier had another slot before, or none.
        case inserted(slot: Int, previous: Int?)
        case removed(slot: Int)
        case replaced(slot: Int, version: OldVersion, isFirst: Bool)
    }

    private(set) var order: SectionOrder
    private(set) var identifiers: IdentifierIndex
    private(set) var objects = Slabs<ListObject?>(blockSize: 1024, filler: nil)
    private(set) var payloads = Slabs<Int32>(blockSize: 1024, filler: SectionTree.noPayload)
    private(set) var slotCount = 0
    private(set) var freeSlots: [Int] = []

    /// The edits of the open transaction.
    private(set) var steps: [Step] = []
    /// For a slot made in the transaction, the slot that its object had before.
    private(set) var origins: [Int: Int] = [:]
    /// What changed slots were before the transaction.
    private(set) var oldVersions: [Int: OldVersion] = [:]

    /// Makes a tree without sections.
    public init() {
        order = SectionOrder()
        identifiers = IdentifierIndex()
    }

    /// Whether a transaction is open: something was edited since the last commit or rollback.
    var hasOpenTransaction: Bool { !steps.isEmpty }

    /// The present savepoint for `rollback(to:)`.
    var savepoint: Savepoint { Savepoint(steps: steps.count) }

    /// The hash of the identifier in a slot.
    @inline(__always)
    func hash(ofSlot slot: Int) -> UInt64 { objects[slot]?.storage.identity.hash ?? 0 }

    /// The slot of an object's identifier, which may be in one state only.
    func slot(of object: ListObject) -> Int? {
        identifiers.find(hash: object.storage.identity.hash) { slot in
            objects[slot]?.isSame(as: object) ?? false
        }
    }

    /// The slot of the bytes of an identifier, which may be in one state only.
    func slot(ofID id: Span<UInt8>) -> Int? {
        guard id.count <= ObjectIdentity.maximumLength else { return nil }
        let identity = ObjectIdentity(of: id)
        return identifiers.find(hash: identity.hash) { slot in
            guard let object = objects[slot], object.storage.identity == identity else { return false }
            return object.storage.withID { $0.isIdenticalBytes(to: id) }
        }
    }

    /// The place of an identifier's section in one state, given the slot of the identifier.
    func place(ofSlot slot: Int?, in side: ListSide) -> SectionOrder.Place? {
        guard let slot else { return nil }
        let place = order.place(ofSlot: slot)
        if order.word(at: place).isPresent(side) { return place }
        return side == .old ? origins[slot].map { order.place(ofSlot: $0) } : nil
    }

    /// The slot of an identifier's section in one state, given the slot of the identifier.
    func slot(_ slot: Int?, in side: ListSide) -> Int? {
        place(ofSlot: slot, in: side).map { order.word(at: $0).slot }
    }
}

extension SectionTree {
    /// Makes a tree of objects in order, as it is after a commit.
    ///
    /// Of objects with one identifier the first is kept.
    /// - Parameters:
    ///   - itemCount: how many items the section of an object has; called for each object that is kept, in order.
    ///   - payload: the payload of its section.
    ///   - dropped: called with the indexes of the objects that were dropped, ascending.
    /// - Throws: `limitsExceeded` for more than 536 million objects.
    /// - Complexity: O(n).
    public init(
        _ list: [ListObject], itemCount: (Int, ListObject) -> Int = { _, _ in 1 },
        payload: (Int, ListObject) -> Int32 = { _, _ in SectionTree.noPayload }, dropped: inout [Int]
    ) throws(ListError) {
        self.init()
        guard list.count <= SectionWord.maximumSlots else {
            throw ListError(.limitsExceeded, "\(list.count) objects in one list, more than \(SectionWord.maximumSlots)")
        }
        objects.reserve(list.count)
        payloads.reserve(list.count)
        identifiers = IdentifierIndex(count: list.count) { list[$0].storage.identity.hash }
        var counts: [Int32] = []
        counts.reserveCapacity(list.count)
        for (index, object) in list.enumerated() {
            if slot(of: object) != nil {
                dropped.append(index)
                continue
            }
            let slot = slotCount
            objects[slot] = object
            payloads[slot] = payload(index, object)
            slotCount += 1
            counts.append(SectionTree.clamp(itemCount(index, object)))
            link(slot, insteadOf: nil)
        }
        order = SectionOrder(itemCounts: counts)
    }

    /// A number of items as the tree keeps it: not negative, at most 2,147,483,647.
    static func clamp(_ itemCount: Int) -> Int32 { Int32(clamping: max(0, itemCount)) }
}

/// Edits of the state after the transaction. Impossible ones return false or nil and change nothing.
extension SectionTree {
    /// Inserts a section before the one at an index, or at the end; its identifier must not be in the list.
    ///
    /// An object whose identifier was in the list before the transaction returns: that is a move, and an update if it differs.
    /// - Returns: false when the identifier is in the list already, or when no slot is left.
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

    /// Removes the section with an identifier.
    ///
    /// - Returns: the index that it had, nil when it was not there.
    @discardableResult
    public mutating func remove(_ id: String) -> Int? {
        guard let slot = slot(slot(ofID: id.utf8Span.span), in: .new) else { return nil }
        return remove(slot: slot)
    }

    /// Removes the section at an index.
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

    /// Replaces the object of a section by one with the same identifier, and its number of items (nil: as before).
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

    /// Sets the numbers of items of all sections; requires that no transaction is open.
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

    /// Sets the payload of the section at an index; not a part of the transaction, so a rollback leaves it.
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

    /// Adds a section to the new state or removes it from there, leaving it in its place.
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

    /// Makes a slot the one of its identifier.
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

    /// Undoes the edits after a savepoint, the last one first.
    ///
    /// - Complexity: O(undone edits · log n).
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

    /// The slots that the transaction made or changed, each once, in the order of the first edit.
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

    /// Removes the identifier of a slot, unless it has another slot now.
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

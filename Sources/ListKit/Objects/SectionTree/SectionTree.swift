// SPDX-License-Identifier: Apache-2.0

/// The sections of a list in their order, in two states: before and after the open transaction.
///
/// Each edit applies to the new state as the previous edits left it, and can be undone. Until `commit()`, both
/// states can be queried: the section at an index, the index of an object, and the number of items before a section.
/// A removed section stays in the old state, an inserted section is only in the new state, and a moved section is
/// removed and inserted. A replaced object stays in the old state.
///
/// Edits and queries cost O(log n); `commit()`, `rollback()` and `changes()` cost O(changes · log n). A section
/// takes about 24 bytes in addition to its object. Identifiers are unique. The tree has one owner and is not shared.
@_spi(Benchmarks) public struct SectionTree: ~Copyable {
    /// The value that stands for no payload.
    public static let noPayload: Int32 = -1

    /// A section in one of the two states.
    public struct Section {
        /// The object of the section.
        public var object: ListObject
        /// The number of items in the section.
        public var itemCount: Int
        /// A number that the owner of the tree attaches to the section, such as a handle. It moves with the section.
        public var payload: Int32
    }

    /// The object and the number of items of a section before the transaction changed the section.
    struct OldVersion {
        let object: ListObject
        let items: Int32
    }

    /// An edit with the data that is needed to undo it.
    enum Step {
        /// A section was inserted in a new slot; `previous` is the slot that its identifier had before, if any.
        case inserted(slot: Int, previous: Int?)
        case removed(slot: Int)
        case replaced(slot: Int, version: OldVersion, isFirst: Bool)
    }

    private(set) var order: SectionOrder
    private(set) var identifiers: IdentifierIndex
    private(set) var objects = Slabs<ListObject?>(blockSize: 1024, filler: nil)
    private(set) var payloads = SparseSlabs<Int32>(blockSize: 1024, filler: SectionTree.noPayload)
    private(set) var slotCount = 0
    private(set) var freeSlots: [Int] = []

    /// The edits of the open transaction.
    private(set) var steps: [Step] = []
    /// The slots before the transaction, by the slots in which sections were inserted again.
    private(set) var origins: [Int: Int] = [:]
    /// The contents before the transaction, by the slots that the transaction changed.
    private(set) var oldVersions: [Int: OldVersion] = [:]

    /// Creates a tree without sections.
    public init() {
        order = SectionOrder()
        identifiers = IdentifierIndex()
    }

    /// Whether a transaction is open, that is, there was an edit since the last commit or rollback.
    var hasOpenTransaction: Bool { !steps.isEmpty }

    /// The number of edits in the open transaction, to which `rollback(to:)` can return.
    var savepoint: Int { steps.count }

    /// Returns the hash of the identifier in a slot.
    @inline(__always)
    func hash(ofSlot slot: Int) -> UInt64 { objects[slot]?.storage.identity.hash ?? 0 }

    /// Returns the slot of an object's identifier. Its section may exist in only one of the states.
    func slot(of object: ListObject) -> Int? {
        identifiers.find(hash: object.storage.identity.hash) { slot in
            objects[slot]?.isSame(as: object) ?? false
        }
    }

    /// Returns the slot of an identifier, given as UTF-8 bytes. Its section may exist in only one of the states.
    func slot(ofID id: Span<UInt8>) -> Int? {
        guard id.count <= ObjectIdentity.maximumLength else { return nil }
        let identity = ObjectIdentity(of: id)
        return identifiers.find(hash: identity.hash) { slot in
            guard let object = objects[slot], object.storage.identity == identity else { return false }
            return object.storage.withID { $0.isIdenticalBytes(to: id) }
        }
    }

    /// Returns the place of a section in one state, given the slot of its identifier; `nil` if it is not in that state.
    func place(ofSlot slot: Int?, in side: ListSide) -> SectionOrder.Place? {
        guard let slot else { return nil }
        let place = order.place(ofSlot: slot)
        if order.word(at: place).isPresent(side) { return place }
        return side == .old ? origins[slot].map { order.place(ofSlot: $0) } : nil
    }

    /// Returns the slot of a section in one state, given the slot of its identifier; `nil` if it is not in that state.
    func slot(_ slot: Int?, in side: ListSide) -> Int? {
        place(ofSlot: slot, in: side).map { order.word(at: $0).slot }
    }
}

extension SectionTree {
    /// Creates a tree of the given objects, in order, without an open transaction.
    ///
    /// Of objects with equal identifiers, the first one is kept.
    /// - Parameters:
    ///   - itemCount: returns the number of items in the section of an object. Called for each kept object, in order.
    ///   - payload: returns the payload of the section of an object.
    ///   - dropped: receives the indexes of the dropped objects, ascending.
    /// - Throws: `limitsExceeded` for more than 536 million objects.
    /// - Complexity: O(n).
    public init(
        _ list: [ListObject], itemCount: (Int, ListObject) -> Int = { _, _ in 1 },
        payload: (Int, ListObject) -> Int32 = { _, _ in SectionTree.noPayload }, dropped: inout [Int]
    ) throws(ListError) {
        self.init()
        guard list.count <= SectionWord.maximumSlots else {
            throw ListError(.limitsExceeded, "a list has \(list.count) objects, more than \(SectionWord.maximumSlots)")
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

    /// Returns a number of items clamped to the range of the tree, which is 0 to 2,147,483,647.
    static func clamp(_ itemCount: Int) -> Int32 { Int32(clamping: max(0, itemCount)) }
}

/// Edits of the new state. An impossible edit returns `false` or `nil` and changes nothing.
extension SectionTree {
    /// Inserts a section before the section at an index, or at the end.
    ///
    /// If the identifier was in the list before the transaction, the insertion counts as a move, and also as an
    /// update if the object differs.
    /// - Returns: `false` if the identifier is in the list already, or if no slot is left.
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
    /// - Returns: the index that the section had; `nil` if there is no such section.
    @discardableResult
    public mutating func remove(_ id: String) -> Int? {
        guard let slot = slot(slot(ofID: id.utf8Span.span), in: .new) else { return nil }
        return remove(slot: slot)
    }

    /// Removes the section at an index.
    ///
    /// - Returns: `false` if there is no section at the index.
    @discardableResult
    mutating func remove(at index: Int) -> Bool {
        guard let place = order.place(at: index, .new) else { return false }
        return remove(slot: order.word(at: place).slot) == index
    }

    /// Moves the section with an identifier to an index, which is clamped to the list and counted after the move.
    ///
    /// - Returns: `false` if there is no such section, or if no slot is left.
    @discardableResult
    public mutating func move(_ id: String, to index: Int) -> Bool {
        guard let slot = slot(slot(ofID: id.utf8Span.span), in: .new), let object = objects[slot] else { return false }
        let count = order.itemCount(at: order.place(ofSlot: slot))
        let payload = payloads[slot]
        _ = remove(slot: slot)
        guard insert(object, at: min(index, self.count()), itemCount: Int(count), payload: payload) else {
            // No slot is left for the new place: put the section back to its old one.
            undoLastStep()
            return false
        }
        return true
    }

    /// Replaces the object of a section by an object with the same identifier.
    ///
    /// - Parameter itemCount: the new number of items; `nil` to keep the number.
    /// - Returns: the index of the section; `nil` if there is no such section.
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

    /// Sets the numbers of items of all sections. Requires that no transaction is open.
    ///
    /// - Parameter count: returns the new number of items for the current number of items and the object of a section.
    /// - Complexity: O(n).
    mutating func recount(_ count: (_ items: Int, _ object: ListObject) -> Int) {
        assert(!hasOpenTransaction)
        var order = SectionOrder()
        swap(&order, &self.order)
        order.recount { slot, items in objects[slot].map { SectionTree.clamp(count(Int(items), $0)) } ?? items }
        swap(&order, &self.order)
    }

    /// Sets the payload of the section at an index. A rollback does not restore the previous payload.
    mutating func setPayload(_ payload: Int32, at index: Int, in side: ListSide = .new) {
        guard let place = order.place(at: index, side) else { return }
        payloads[order.word(at: place).slot] = payload
    }

    /// Sets the payload of an object's section in both states; does nothing if there is no such section.
    mutating func setPayload(_ payload: Int32, of object: ListObject) {
        if let slot = slot(of: object) { payloads[slot] = payload }
    }

    private mutating func remove(slot: Int) -> Int {
        let place = order.place(ofSlot: slot)
        let index = order.summary(before: place).count(.new)
        setPresence(of: slot, isNew: false)
        steps.append(.removed(slot: slot))
        return index
    }

    /// Adds a section to the new state, or removes it from the new state. Its place in the tree stays the same.
    mutating func setPresence(of slot: Int, isNew: Bool) {
        let place = order.place(ofSlot: slot)
        var word = order.word(at: place)
        word.isNew = isNew
        order.update(slot: slot, to: word, items: order.itemCount(at: place), old: oldVersions[slot]?.items)
    }

    /// Returns a free slot; `nil` if the maximum number of slots is in use.
    private mutating func makeSlot() -> Int? {
        if let slot = freeSlots.popLast() { return slot }
        guard slotCount < SectionWord.maximumSlots else { return nil }
        slotCount += 1
        objects.reserve(slotCount)
        payloads.reserve(slotCount)
        return slotCount - 1
    }

    /// Makes a slot the current slot of its identifier.
    ///
    /// - Parameter previous: the slot that the identifier had before; `nil` if the identifier is not in the index.
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
    /// Commits the open transaction: drops the old state.
    ///
    /// - Returns: the removed sections, so that the owner can free their payloads.
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

    /// Rolls the open transaction back: drops the new state.
    ///
    /// - Complexity: O(changes · log n).
    mutating func rollback() { rollback(to: 0) }

    /// Undoes the edits after a savepoint, in reverse order.
    ///
    /// - Complexity: O(undone edits · log n).
    mutating func rollback(to savepoint: Int) {
        while steps.count > savepoint { undoLastStep() }
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

    /// Returns the slots that the transaction added or changed, without duplicates, in the order of their first edits.
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

    /// Returns whether the section in a slot exists in the new state.
    func isNew(_ slot: Int) -> Bool { order.word(at: order.place(ofSlot: slot)).isNew }

    private mutating func closeTransaction() {
        steps.removeAll()
        origins.removeAll()
        oldVersions.removeAll()
    }

    /// Removes the identifier of a slot from the index, unless the identifier has another slot now.
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
                guard let next = order.tree.leaf(after: place.leaf) else { return }
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
                guard let next = order.tree.leaf(after: place.leaf) else { return count }
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

extension SectionTree {
    /// Returns the changes of the open transaction.
    ///
    /// Deletes, updates and the `from` of moves are indexes before the transaction. Inserts and the `to` of moves
    /// are indexes after it. A move is an object that was moved, or removed and inserted again; moves that follow
    /// from other changes are left out. An object that was replaced by an equal object is no update.
    /// - Complexity: O(changes · log n).
    public func changes() -> ListIndexSetResult {
        var (inserts, deletes, updates): ([Int], [Int], [Int]) = ([], [], [])
        var moves: [ListMoveIndex] = []
        for slot in touchedSlots() {
            let place = order.place(ofSlot: slot)
            let (word, before) = (order.word(at: place), order.summary(before: place))
            switch (word.isOld, word.isNew) {
            case (true, true):
                if contentDiffers(in: slot, from: slot) { updates.append(before.count(.old)) }
            case (true, false): deletes.append(before.count(.old))
            case (false, true):
                guard let origin = origins[slot] else {
                    inserts.append(before.count(.new))
                    continue
                }
                let old = order.summary(before: order.place(ofSlot: origin)).count(.old)
                if contentDiffers(in: slot, from: origin) { updates.append(old) }
                moves.append(ListMoveIndex(from: old, to: before.count(.new)))
            case (false, false): break
            }
        }
        let origins = ListIndexSet(moves.map(\.from))
        deletes.removeAll { origins.contains($0) }
        let needed = SectionTree.neededMoves(moves, inserts: inserts, deletes: deletes)
        return ListIndexSetResult(
            inserts: ListIndexSet(inserts), deletes: ListIndexSet(deletes), updates: ListIndexSet(updates),
            moves: needed)
    }

    /// Returns whether the object in a slot differs from the object that `origin` held before the transaction.
    private func contentDiffers(in slot: Int, from origin: Int) -> Bool {
        guard let object = objects[slot], let before = oldVersions[origin]?.object ?? objects[origin] else {
            return false
        }
        return !object.hasSameContent(as: before)
    }

    /// Returns the necessary moves. A move is unnecessary if its section keeps its place among the sections that were
    /// not moved.
    private static func neededMoves(_ moves: [ListMoveIndex], inserts: [Int], deletes: [Int]) -> [ListMoveIndex] {
        if moves.isEmpty { return [] }
        let gone = (deletes + moves.map(\.from)).sorted()
        let come = (inserts + moves.map(\.to)).sorted()
        let candidates = moves.filter { move in
            move.from - gone.partitionPoint { $0 < move.from } == move.to - come.partitionPoint { $0 < move.to }
        }
        .sorted()
        let stays = LongestIncreasingRun.memberCounts(
            of: candidates.map { UInt32(truncatingIfNeeded: $0.to)..<UInt32(truncatingIfNeeded: $0.to) + 1 })
        let unneeded = Set(zip(candidates, stays).compactMap { $1 > 0 ? $0 : nil })
        return moves.filter { !unneeded.contains($0) }.sorted { $0.to < $1.to }
    }
}

extension SectionTree {
    /// Returns a description of a broken invariant of the tree; `nil` if all hold. Tests call this after each edit.
    ///
    /// - Complexity: O(n · log n).
    func brokenInvariant() -> String? {
        var slots: Set<Int> = []
        var fault: String?
        let broken = order.brokenInvariant { word in
            if !slots.insert(word.slot).inserted {
                fault = "slot \(word.slot) occurs twice in the order of the sections"
            }
        }
        if let fault = broken ?? fault { return fault }
        if slots.count + freeSlots.count != slotCount { return "some slots are neither in the order nor free" }
        if let free = freeSlots.first(where: { slots.contains($0) }) { return "slot \(free) is in the order, but free" }
        var linked = 0
        for slot in slots {
            guard let object = objects[slot] else { return "slot \(slot) has no object" }
            guard let found = self.slot(of: object) else { return "the identifier \(object.id) is not in the index" }
            if found == slot { linked += 1 } else if isNew(slot) { return "the index has a wrong slot of \(object.id)" }
        }
        if linked != identifiers.count {
            return "the index has \(identifiers.count) identifiers, the order has \(linked)"
        }
        return hasOpenTransaction || order.oldItems.isEmpty && origins.isEmpty && oldVersions.isEmpty
            ? nil : "data of a closed transaction is left"
    }
}

extension SectionOrder {
    /// Returns a description of a broken invariant of the leaves or of the tree above them; `nil` if all hold.
    ///
    /// - Parameter visit: called with each section.
    func brokenInvariant(visit: (SectionWord) -> Void) -> String? {
        var fault: String?
        let broken = tree.brokenInvariant { leaf in
            var (touched, sum) = (0 as Int32, SectionSummary.zero)
            for position in 0..<Int(leaves[leaf].count) {
                let place = Place(leaf: leaf, position: position)
                sum += summary(at: place)
                if !word(at: place).isPlain { touched += 1 }
                if Int(leafOfSlot[word(at: place).slot]) != leaf { fault = "a section of leaf \(leaf) has another one" }
                visit(word(at: place))
            }
            if touched != leaves[leaf].touched { fault = "leaf \(leaf) has a wrong number of touched sections" }
            return sum
        }
        return broken ?? fault
    }
}

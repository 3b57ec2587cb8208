// SPDX-License-Identifier: Apache-2.0

/// A table of the sections of a list in their order, each with its object and number of items.
///
/// While a change is open, readers can use the state before it (``ListSide/old``) and the state after it
/// (``ListSide/new``). Otherwise both states are equal. An ``ObjectList`` and a ``Presentation`` on the same
/// executor may share a table; then the presentation sets the numbers of items and the payloads. Finding a section
/// costs O(log n).
@_spi(Daemon) public final class SectionTable {
    /// The tree with the state after the open change. Unless `isReplaced`, it has the state before the change, too.
    private(set) var tree = SectionTree()
    /// The objects and the number of items of a resting table, whose tree is not built yet; `nil` in other tables.
    private var resting: (objects: [ListObject], itemCount: Int, isFlat: Bool)?
    /// The tree with the state before the open change, if the change rebuilt the tree; otherwise empty.
    private var previous = SectionTree()
    /// Whether the open change rebuilt the tree.
    private var isReplaced = false
    /// Whether a change is open.
    public private(set) var isOpen = false

    /// Creates a table. Of objects with equal identifiers, the first one is kept.
    ///
    /// - Parameter itemCount: returns the number of items in the section of an object.
    public init(_ objects: [ListObject] = [], itemCount: (ListObject) -> Int = { _ in 0 }) {
        tree = SectionTree.unique(objects) { _, object in itemCount(object) } ?? SectionTree()
    }

    /// Creates a resting table, which keeps its objects in an array and builds its tree only on demand.
    ///
    /// ``wake()`` and every read of a section build the tree. Reading the counts does not.
    ///
    /// - Parameters:
    ///   - itemCount: the number of items of all sections until the tree is built.
    ///   - isFlat: whether each of these sections has exactly one item.
    public init(resting objects: [ListObject], itemCount: Int = 0, isFlat: Bool = false) {
        resting = (objects, itemCount, isFlat || objects.isEmpty)
    }

    /// Fills an empty table with objects. Of objects with equal identifiers, the first one is kept.
    func load(_ objects: [ListObject], itemCount: (ListObject) -> Int) {
        tree = SectionTree.unique(objects) { _, object in itemCount(object) } ?? SectionTree()
    }

    /// Whether the table is resting, that is, its tree is not built yet.
    public var isResting: Bool { resting != nil }

    /// Builds the tree of a resting table; does nothing for other tables.
    ///
    /// Of objects with equal identifiers, the first one is kept. The sections have no items yet.
    ///
    /// - Complexity: O(n).
    public func wake() {
        guard let objects = resting?.objects else { return }
        resting = nil
        tree = SectionTree.unique(objects) { _, _ in 0 } ?? SectionTree()
    }

    // MARK: Reading

    /// Returns the number of sections on one side.
    public func count(_ side: ListSide) -> Int { resting?.objects.count ?? read(side) { $0.count($1) } }

    /// Returns the number of items on one side.
    public func itemCount(_ side: ListSide) -> Int { resting?.itemCount ?? read(side) { $0.itemCount($1) } }

    /// Returns whether every section has exactly one item on one side; true for an empty list.
    public func isFlat(_ side: ListSide) -> Bool { resting?.isFlat ?? read(side) { $0.isFlat($1) } }

    /// Returns the object of a section; `nil` if there is no section at the index.
    public func object(at index: Int, _ side: ListSide) -> ListObject? { read(side) { $0.object(at: index, in: $1) } }

    /// Returns the number of items in a section; `nil` if there is no section at the index.
    public func itemCount(at index: Int, _ side: ListSide) -> Int? {
        read(side) { $0.section(at: index, in: $1)?.itemCount }
    }

    /// Returns the index of the section whose object has the given identifier; `nil` if there is no such object.
    public func index(ofID id: String, _ side: ListSide) -> Int? { read(side) { $0.index(of: id, in: $1) } }

    /// Returns the object with the given identifier; `nil` if there is no such object.
    public func object(withID id: String, _ side: ListSide) -> ListObject? {
        read(side) { $0.object(withID: id, in: $1) }
    }

    /// Returns the objects of a range of sections. The range is clamped to the list.
    ///
    /// - Complexity: O(log n + sections in the range).
    public func objects(_ side: ListSide, in range: Range<Int>) -> [ListObject] {
        read(side) { tree, side in
            let range = range.clamped(to: 0..<tree.count(side))
            var result: [ListObject] = []
            result.reserveCapacity(range.count)
            tree.forEachSection(in: range, of: side) { _, section in result.append(section.object) }
            return result
        }
    }

    /// Returns the section at an index; `nil` if there is no section at the index.
    func section(at index: Int, _ side: ListSide) -> SectionTree.Section? {
        read(side) { $0.section(at: index, in: $1) }
    }

    /// Returns the index of an object's section, which is found by identifier; `nil` if there is no such object.
    func index(of object: ListObject, _ side: ListSide) -> Int? { read(side) { $0.index(of: object, in: $1) } }

    /// Reads one side, from the tree that has this side. After a rebuild, `previous` has only one state: the old side.
    private func read<Answer>(_ side: ListSide, _ body: (borrowing SectionTree, ListSide) -> Answer) -> Answer {
        if resting != nil { wake() }
        return isReplaced && side == .old ? body(previous, .new) : body(tree, side)
    }

    // MARK: Changing

    /// Validates requests in order, each against the result of all earlier requests. Leaves the table unchanged.
    ///
    /// Requires that no change is open.
    /// - Parameters:
    ///   - entries: the requests, which get their errors and their dropped duplicates.
    ///   - change: gets the combined effect of the requests.
    ///   - revision: the revision of the list, to compare with the revision that a request expects.
    ///   - updater: the updater of the list. With `reload`, even a write of the same objects is a change for later
    ///     requests.
    ///   - types: the object types without a section controller, whose objects are dropped.
    /// - Returns: the full list that has to be diffed with the current one; `nil` if `change` has all changes.
    func stage(
        _ entries: inout [QueuedRequest], in change: inout Change, revision: UInt64,
        updater: ListOptions.Updater, rejecting types: Set<ObjectIdentifier>
    ) -> [ListObject]? {
        wake()
        var staging = UpdateStaging(revision: revision, updater: updater, rejecting: types)
        for index in entries.indices {
            guard let request = entries[index].request else { continue }
            do throws(ListError) {
                entries[index].droppedDuplicates = try staging.apply(request, to: &tree)
                change.animated = change.animated && request.allowsAnimation
            } catch {
                entries[index].error = error
            }
        }
        let list = staging.finish(&tree, in: &change)
        if !staging.reloaded.isEmpty { change.setReloads(Set(staging.reloaded.compactMap { tree.index(of: $0) })) }
        return list
    }

    /// Opens a change: applies it to the new side, and keeps the state before it on the old side until ``commit()``.
    ///
    /// - Parameters:
    ///   - itemCounts: the numbers of items of the inserted sections, in the order of `changes.inserted`.
    ///   - visit: called if the tree is rebuilt, for each remaining section with a payload. Receives the payload and
    ///     the object after the change.
    /// - Complexity: O(changes · log n); O(n) if the tree is rebuilt because of many changes.
    func open(
        _ changes: Change, itemCounts: [Int], visit: (Int32, ListObject) -> Void = { _, _ in }
    ) {
        wake()
        isOpen = true
        guard changes.favorsRebuild(ofCount: tree.count()),
            var new = tree.rebuilt(with: changes, itemCounts: itemCounts, visit: visit)
        else { return tree.edit(changes, itemCounts: itemCounts) }
        swap(&tree, &new)
        previous = new
        isReplaced = true
    }

    /// Sets the number of items of a section on the new side. After ``commit()``, both sides have that number.
    func setItemCount(_ count: Int, at index: Int) {
        guard let section = tree.section(at: index), section.itemCount != count else { return }
        tree.replace(section.object, itemCount: count)
    }

    /// Sets the numbers of items of all sections. Requires that no change is open.
    ///
    /// - Parameter count: returns the number of items in the section of an object.
    /// - Complexity: O(n).
    func setItemCounts(_ count: (ListObject) -> Int) {
        wake()
        tree.recount { _, object in count(object) }
    }

    /// Sets the payload of the section that is at an index on the given side.
    ///
    /// The payload applies to both sides unless the open change moved the section or rebuilt the tree.
    func setPayload(_ payload: Int32, at index: Int, _ side: ListSide) {
        if isReplaced && side == .old {
            previous.setPayload(payload, at: index)
        } else {
            tree.setPayload(payload, at: index, in: side)
        }
    }

    /// Sets the payload of an object's section; does nothing if there is no such section. Requires that no change is
    /// open.
    func setPayload(_ payload: Int32, of object: ListObject) { tree.setPayload(payload, of: object) }

    /// Ends the open change and drops the state before it.
    ///
    /// - Returns: the payloads of the removed sections; empty if the tree was rebuilt.
    @discardableResult
    func commit() -> [Int32] {
        if isReplaced { previous = SectionTree() }
        (isOpen, isReplaced) = (false, false)
        return tree.commit().map(\.payload).filter { $0 != SectionTree.noPayload }
    }
}

extension SectionTree {
    /// Returns a tree of the given objects without duplicates; `nil` if there are more objects than a tree can hold.
    ///
    /// Of objects with equal identifiers, the first one is kept.
    static func unique(
        _ objects: [ListObject], itemCount: (Int, ListObject) -> Int,
        payload: (Int) -> Int32 = { _ in SectionTree.noPayload }
    ) -> SectionTree? {
        var dropped: [Int] = []
        return try? SectionTree(
            objects, itemCount: itemCount, payload: { index, _ in payload(index) }, dropped: &dropped)
    }

    /// Applies the changes of a transaction one by one, as edits that can be rolled back.
    ///
    /// - Parameter itemCounts: the numbers of items of the inserted sections, in the order of `changes.inserted`.
    /// - Complexity: O(changes · log n).
    mutating func edit(_ changes: Change, itemCounts: [Int]) {
        for update in changes.updated { replace(update.object) }
        var placed: [(new: Int, section: Section)] = []
        for move in changes.moved {
            guard let object = object(at: move.old, in: .old), let section = section(of: object) else { continue }
            placed.append((move.new, section))
        }
        for position in changes.removed.map(\.old) + changes.moved.map(\.old) {
            guard let object = object(at: position, in: .old), let index = index(of: object) else { continue }
            remove(at: index)
        }
        for (insert, itemCount) in zip(changes.inserted, itemCounts) {
            let section = Section(object: insert.object, itemCount: itemCount, payload: SectionTree.noPayload)
            placed.append((insert.new, section))
        }
        for place in placed.sorted(by: { $0.new < $1.new }) {
            _ = insert(
                place.section.object, at: place.new, itemCount: place.section.itemCount,
                payload: place.section.payload)
        }
    }

    /// Returns a new tree that has the list's state after the changes; `nil` if there are more objects than a tree
    /// can hold.
    ///
    /// - Parameters:
    ///   - itemCounts: the numbers of items of the inserted sections, in the order of `changes.inserted`.
    ///   - visit: called for each remaining section with a payload. Receives the payload and the object after the
    ///     changes.
    /// - Complexity: O(n).
    func rebuilt(
        with changes: Change, itemCounts: [Int], visit: (Int32, ListObject) -> Void = { _, _ in }
    ) -> SectionTree? {
        let list = changes.list ?? changes.applied(to: objects())
        var counts = [Int](repeating: 0, count: list.count)
        var payloads = [Int32](repeating: SectionTree.noPayload, count: list.count)
        for (insert, itemCount) in zip(changes.inserted, itemCounts) { counts[insert.new] = itemCount }
        let runs = changes.positions(of: count()).runs
        var run = 0
        forEachSection(in: 0..<count()) { old, section in
            while run < runs.count, runs[run].oldEnd <= old { run += 1 }
            guard run < runs.count, runs[run].old <= old else { return }
            let new = runs[run].new + old - runs[run].old
            counts[new] = section.itemCount
            payloads[new] = section.payload
            if section.payload != SectionTree.noPayload { visit(section.payload, list[new]) }
        }
        return SectionTree.unique(list, itemCount: { index, _ in counts[index] }, payload: { payloads[$0] })
    }
}

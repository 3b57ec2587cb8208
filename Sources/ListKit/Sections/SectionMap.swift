// SPDX-License-Identifier: Apache-2.0

/// The sections of a list before and after a change, and their handles.
///
/// Outside of changes both states are the same. Positions are those after, `old…` ones those before.
final class SectionMap {
    /// The sections, which an ``ObjectList`` may share; their payloads are the handles.
    let table: SectionTable
    /// The objects of sections with a handle, by whose identifiers the sections are found.
    private var objects: [SectionHandle: ListObject] = [:]
    /// The handles of sections that the open change removes.
    private var gone: [SectionHandle] = []
    private var lastHandle: Int32 = 0
    /// The number of handles from which unused ones are searched for.
    private var handleLimit = SectionMap.leastHandles

    /// Maps the sections of a table, none of which has a handle.
    init(_ table: SectionTable) { self.table = table }

    // MARK: After

    var count: Int { table.tree.count(.new) }
    var itemCount: Int { table.tree.itemCount(.new) }

    /// The section at a position; it gets a handle if it has none.
    func handle(at position: Int) -> SectionHandle? {
        guard let section = table.tree.section(at: position, in: .new) else { return nil }
        if section.payload != SectionTree.noPayload { return SectionHandle(raw: section.payload) }
        let handle = makeHandle(for: section.object)
        table.setPayload(handle.raw, at: position, .new)
        return handle
    }

    /// The handle of the section at a position; `nil` when it has none.
    func knownHandle(at position: Int) -> SectionHandle? {
        guard let payload = table.tree.section(at: position, in: .new)?.payload, payload != SectionTree.noPayload else {
            return nil
        }
        return SectionHandle(raw: payload)
    }

    func position(of handle: SectionHandle) -> Int? {
        guard let object = objects[handle] else { return nil }
        return table.tree.index(of: object, in: .new)
    }

    func position(of object: ListObject) -> Int? { table.tree.index(of: object, in: .new) }

    func handle(of object: ListObject) -> SectionHandle? {
        table.tree.index(of: object, in: .new).flatMap { handle(at: $0) }
    }

    func handle(forID id: String) -> SectionHandle? {
        table.tree.index(of: id, in: .new).flatMap { handle(at: $0) }
    }

    func position(ofID id: String) -> Int? { table.tree.index(of: id, in: .new) }

    func object(withID id: String) -> ListObject? { table.tree.object(withID: id, in: .new) }

    func object(at position: Int) -> ListObject? { table.tree.object(at: position, in: .new) }

    func object(of handle: SectionHandle) -> ListObject? { section(of: handle)?.object }

    /// The identifier of a section, which is the same before and after.
    func id(of handle: SectionHandle) -> String? { objects[handle]?.id }

    /// The sections in a range of positions; those without a handle get one.
    func handles(in range: Range<Int>) -> [SectionHandle] {
        let range = range.clamped(to: 0..<count)
        var handles: [SectionHandle] = []
        handles.reserveCapacity(range.count)
        table.tree.forEachSection(in: range, of: .new) { _, section in
            handles.append(SectionHandle(raw: section.payload))
        }
        for (index, known) in handles.enumerated() where known.raw == SectionTree.noPayload {
            if let handle = handle(at: range.lowerBound + index) { handles[index] = handle }
        }
        return handles
    }

    func itemCount(at position: Int) -> Int? { table.tree.section(at: position, in: .new)?.itemCount }

    func itemCount(of handle: SectionHandle) -> Int { section(of: handle)?.itemCount ?? 0 }

    private func section(of handle: SectionHandle) -> SectionTree.Section? {
        guard let object = objects[handle] else { return nil }
        return table.tree.section(of: object, in: .new)
    }

    /// How many items lie before a section; all of them for the position after the last.
    func itemOffset(ofSection position: Int) -> Int { table.tree.itemOffset(ofSection: position, in: .new) }

    /// The path of an item that is counted from the start of the list.
    func path(ofItem item: Int) -> IndexPath? { table.tree.path(ofItem: item, in: .new) }

    /// The objects of a range of positions, in order.
    func objects(in range: Range<Int>) -> [ListObject] {
        var result: [ListObject] = []
        table.tree.forEachSection(in: range, of: .new) { _, section in result.append(section.object) }
        return result
    }

    /// How many items the sections in a range of positions have, in order.
    func itemCounts(in range: Range<Int>) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(range.count)
        table.tree.forEachSection(in: range, of: .new) { _, section in result.append(section.itemCount) }
        return result
    }

    /// The sections in a range of positions, in order, without giving them handles.
    func sections(in range: Range<Int>) -> [SectionTree.Section] {
        var result: [SectionTree.Section] = []
        table.tree.forEachSection(in: range, of: .new) { _, section in result.append(section) }
        return result
    }

    /// How many sections from a position on have objects of one type and the same number of items; with `payloadsMatter` one
    /// with a handle ends the run.
    func countOfSections(likeSectionAt position: Int, payloadsMatter: Bool) -> Int {
        table.tree.countOfSections(likeSectionAt: position, payloadsMatter: payloadsMatter)
    }

    // MARK: Before

    var oldCount: Int { table.count(.old) }

    /// The section that was at a position; it gets a handle if it has none.
    func oldHandle(at position: Int) -> SectionHandle? {
        guard let section = oldSection(at: position) else { return nil }
        if section.payload != SectionTree.noPayload { return SectionHandle(raw: section.payload) }
        guard let new = table.tree.index(of: section.object, in: .new) else {
            let handle = makeHandle(for: section.object)
            table.setPayload(handle.raw, at: position, .old)
            gone.append(handle)
            return handle
        }
        return handle(at: new)
    }

    /// The handle of the section that was at a position; `nil` when it has none.
    func knownOldHandle(at position: Int) -> SectionHandle? {
        guard let payload = oldSection(at: position)?.payload, payload != SectionTree.noPayload else { return nil }
        return SectionHandle(raw: payload)
    }

    func oldPosition(of handle: SectionHandle) -> Int? {
        guard let object = objects[handle] else { return nil }
        return table.index(of: object, .old)
    }

    func oldObject(at position: Int) -> ListObject? { oldSection(at: position)?.object }

    func oldObject(of handle: SectionHandle) -> ListObject? { oldPosition(of: handle).flatMap { oldObject(at: $0) } }

    func oldID(at position: Int) -> String? { oldObject(at: position)?.id }

    func oldItemCount(of handle: SectionHandle) -> Int {
        oldPosition(of: handle).flatMap { oldSection(at: $0)?.itemCount } ?? 0
    }

    func oldItemCount(at position: Int) -> Int { oldSection(at: position)?.itemCount ?? 0 }

    private func oldSection(at position: Int) -> SectionTree.Section? { table.section(at: position, .old) }

    private func makeHandle(for object: ListObject) -> SectionHandle {
        repeat {
            lastHandle = lastHandle == .max ? 1 : lastHandle + 1
        } while objects[SectionHandle(raw: lastHandle)] != nil
        let handle = SectionHandle(raw: lastHandle)
        objects[handle] = object
        return handle
    }

    // MARK: Releasing handles

    private static let leastHandles = 1024

    /// How many sections have a handle.
    var handleCount: Int { objects.count }

    /// Whether so many handles were made that unused ones should be searched for.
    var hasManyHandles: Bool { objects.count > handleLimit }

    /// Releases unused handles; requires that no change is open.
    ///
    /// - Complexity: O(handles · log n). The next search comes when there are twice as many as remain: O(log n) for each handle
    ///   that was made.
    func releaseHandles(unless isInUse: (SectionHandle) -> Bool) {
        let unused = objects.filter { !isInUse($0.key) }
        for (handle, object) in unused {
            if let position = table.tree.index(of: object, in: .new) {
                table.setPayload(SectionTree.noPayload, at: position, .new)
            }
            objects[handle] = nil
        }
        handleLimit = max(SectionMap.leastHandles, 2 * objects.count)
    }

    /// Releases all handles, because another presentation takes over the sections.
    func releaseAll() {
        releaseHandles { _ in false }
    }

    // MARK: Applying

    func setItemCount(_ count: Int, of handle: SectionHandle) {
        if let position = position(of: handle) { setItemCount(count, at: position) }
    }

    func setItemCount(_ count: Int, at position: Int) { table.setItemCount(count, at: position) }

    /// Applies the changes of a transaction.
    ///
    /// - Parameter itemCounts: how many items the inserted sections have, in their order.
    /// - Complexity: O(changes · log n), O(n) when much changes.
    func apply(_ changes: SectionChanges, itemCounts: [Int]) {
        if changes.isMost(of: count) {
            gone += changes.deletes.compactMap { knownHandle(at: $0) }
        } else {
            // A moved section has the same handle on both sides.
            for move in changes.moves { _ = handle(at: move.old) }
            for update in changes.updates {
                if let handle = knownHandle(at: update.old) { objects[handle] = update.object }
            }
        }
        table.open(changes, itemCounts: itemCounts) { payload, object in
            // The object before would otherwise stay in memory as long as its section.
            objects[SectionHandle(raw: payload)] = object
        }
    }

    /// The state after becomes the state before.
    func commit() {
        for payload in table.commit() { objects[SectionHandle(raw: payload)] = nil }
        for handle in gone { objects[handle] = nil }
        gone = []
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The sections of a list before and after an update, and the handles of the sections.
///
/// Unless an update is open, both states are the same. Members with the prefix `old` refer to the state before the
/// update, all other members to the state after it.
final class SectionMap {
    /// The tree of sections, which an ``ObjectList`` may share. The payload of a section is its handle.
    let table: SectionTable
    /// The objects of sections with a handle. The sections are found by the identifiers of these objects.
    private var objects: [SectionHandle: ListObject] = [:]
    /// The handles of the sections that the open update removes.
    private var removedHandles: [SectionHandle] = []
    private var lastHandle: Int32 = 0
    /// The number of handles above which unused handles are released.
    private var handleLimit = SectionMap.leastHandles

    /// Makes a map of the sections in a table. No section may have a handle yet.
    init(_ table: SectionTable) { self.table = table }

    // MARK: State after the update

    var count: Int { table.tree.count(.new) }
    var itemCount: Int { table.tree.itemCount(.new) }

    /// Whether every section has exactly one item.
    var isFlat: Bool { table.tree.isFlat(.new) }

    /// Returns the handle of the section at a position. A section without a handle gets one.
    func handle(at position: Int) -> SectionHandle? {
        guard let section = table.tree.section(at: position, in: .new) else { return nil }
        if section.payload != SectionTree.noPayload { return SectionHandle(raw: section.payload) }
        let handle = makeHandle(for: section.object)
        table.setPayload(handle.raw, at: position, .new)
        return handle
    }

    /// Returns the handle of the section at a position, or `nil` if the section has none.
    func existingHandle(at position: Int) -> SectionHandle? {
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

    /// Returns the identifier of a section's object, which is the same before and after an update.
    func id(of handle: SectionHandle) -> String? { objects[handle]?.id }

    /// Returns the handles of the sections in a range of positions. Sections without a handle get one.
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

    /// Returns the number of items before a section. For the position after the last section, it is the number of
    /// all items.
    func itemOffset(ofSection position: Int) -> Int { table.tree.itemOffset(ofSection: position, in: .new) }

    /// Converts an item's index, counted from the start of the list, to its path.
    func path(ofItem item: Int) -> IndexPath? { table.tree.path(ofItem: item, in: .new) }

    /// Returns the objects in a range of positions, in order.
    func objects(in range: Range<Int>) -> [ListObject] {
        var result: [ListObject] = []
        table.tree.forEachSection(in: range, of: .new) { _, section in result.append(section.object) }
        return result
    }

    /// Returns the item count of each section in a range of positions, in order.
    func itemCounts(in range: Range<Int>) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(range.count)
        table.tree.forEachSection(in: range, of: .new) { _, section in result.append(section.itemCount) }
        return result
    }

    /// Returns the sections in a range of positions, in order, without assigning handles.
    func sections(in range: Range<Int>) -> [SectionTree.Section] {
        var result: [SectionTree.Section] = []
        table.tree.forEachSection(in: range, of: .new) { _, section in result.append(section) }
        return result
    }

    /// Returns the number of consecutive sections, from the section at a position on, that have that section's object
    /// type and item count.
    ///
    /// With `payloadsMatter`, the run also ends before the next section that has a handle.
    func countOfSections(likeSectionAt position: Int, payloadsMatter: Bool) -> Int {
        table.tree.countOfSections(likeSectionAt: position, payloadsMatter: payloadsMatter)
    }

    // MARK: State before the update

    var oldCount: Int { table.count(.old) }

    /// Returns the handle of the section that was at a position. A section without a handle gets one.
    func oldHandle(at position: Int) -> SectionHandle? {
        guard let section = oldSection(at: position) else { return nil }
        if section.payload != SectionTree.noPayload { return SectionHandle(raw: section.payload) }
        guard let new = table.tree.index(of: section.object, in: .new) else {
            let handle = makeHandle(for: section.object)
            table.setPayload(handle.raw, at: position, .old)
            removedHandles.append(handle)
            return handle
        }
        return handle(at: new)
    }

    /// Returns the handle of the section that was at a position, or `nil` if the section has none.
    func existingOldHandle(at position: Int) -> SectionHandle? {
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

    /// The number of sections with a handle.
    var handleCount: Int { objects.count }

    /// Whether there are so many handles that unused ones should be released.
    var hasManyHandles: Bool { objects.count > handleLimit }

    /// Releases unused handles. No update may be open.
    ///
    /// - Complexity: O(handles). The next release is due when the number of remaining handles has doubled, so that the
    ///   amortized cost is O(1) for each handle.
    func releaseHandles(unless isInUse: (SectionHandle) -> Bool) {
        let unused = objects.filter { !isInUse($0.key) }
        for (handle, object) in unused {
            table.setPayload(SectionTree.noPayload, of: object)
            objects[handle] = nil
        }
        handleLimit = max(SectionMap.leastHandles, 2 * objects.count)
    }

    /// Releases all handles. Call this before another presentation uses the sections.
    func releaseAll() {
        releaseHandles { _ in false }
    }

    // MARK: Applying updates

    func setItemCount(_ count: Int, of handle: SectionHandle) {
        if let position = position(of: handle) { setItemCount(count, at: position) }
    }

    func setItemCount(_ count: Int, at position: Int) { table.setItemCount(count, at: position) }

    /// Opens an update and applies its changes.
    ///
    /// - Parameter itemCounts: the item count of each inserted section, in order.
    /// - Complexity: O(changes · log n), or O(n) when most sections change.
    func apply(_ changes: Change, itemCounts: [Int]) {
        if changes.favorsRebuild(ofCount: count) {
            removedHandles += changes.removed.compactMap { existingHandle(at: $0.old) }
        } else {
            // A handle is assigned now, so that a moved section has the same handle before and after the update.
            for move in changes.moved { _ = handle(at: move.old) }
            for update in changes.updated {
                if let handle = existingHandle(at: update.old) { objects[handle] = update.object }
            }
        }
        table.open(changes, itemCounts: itemCounts) { payload, object in
            // Otherwise the old object would stay in memory as long as its section.
            objects[SectionHandle(raw: payload)] = object
        }
    }

    /// Closes the update: the state after it becomes the state before the next update.
    func commit() {
        for payload in table.commit() { objects[SectionHandle(raw: payload)] = nil }
        for handle in removedHandles { objects[handle] = nil }
        removedHandles = []
    }
}

/// An identifier of a section that does not depend on the section's position.
///
/// A section gets a handle when it is first used (shown, asked, selected) and loses the handle when it is unused or
/// removed, so that a long list has few handles. A number is not assigned again until all 2³¹ numbers were assigned.
struct SectionHandle: Hashable, Sendable, Comparable {
    let raw: Int32

    /// The handle that stands for no section.
    static let none = SectionHandle(raw: 0)

    static func < (lhs: SectionHandle, rhs: SectionHandle) -> Bool { lhs.raw < rhs.raw }
}

/// A fast hash for keys that are numbers assigned by the adapter itself.
///
/// Clients cannot choose handles, so the hash needs no protection against chosen keys. That protection is most of the
/// cost of the standard library's hash, and a scroll step looks up a thousand handles.
enum HandleHash {
    /// Returns a hash of two numbers in which each bit depends on all bits of both numbers (the finalizer of
    /// MurmurHash3).
    ///
    /// - Parameter seed: the seed of the dictionary.
    @inline(__always)
    static func hash(_ first: Int, _ second: Int = 0, seed: Int) -> Int {
        var bits = UInt64(truncatingIfNeeded: first) &+ UInt64(truncatingIfNeeded: second) &* 0x9E37_79B9_7F4A_7C15
        bits ^= UInt64(truncatingIfNeeded: seed)
        bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return Int(truncatingIfNeeded: bits ^ (bits >> 33))
    }
}

extension SectionHandle {
    /// Returns the hash that dictionaries and sets use. Without this method, they would call `hash(into:)`; the
    /// standard library's integers implement `_rawHashValue` too.
    func _rawHashValue(seed: Int) -> Int { HandleHash.hash(Int(raw), seed: seed) }
}

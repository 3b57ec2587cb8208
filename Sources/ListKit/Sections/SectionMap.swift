/// The sections of a list, with the state before a change and the state after it.
///
/// While nothing is applied both states are the same. Positions are those after, `old…` ones those before.
struct SectionMap: ~Copyable {
    /// The list after, and before unless `previous` is.
    var tree: SectionTree
    /// The list before, while one is applied that replaces everything.
    private var previous: SectionTree?
    /// The objects of sections with a handle: by their identifiers the sections are found.
    private var objects: [SectionHandle: ListObject] = [:]
    /// The handles of sections that the transaction under way removes.
    private var gone: [SectionHandle] = []
    private var lastHandle: Int32 = 0
    /// With more handles than this, those that nobody refers to are looked for.
    private var handleLimit = SectionMap.leastHandles

    init() { tree = SectionTree() }

    /// Makes the sections of a list; of repeated identifiers the first one is kept.
    ///
    /// - Parameter itemCount: how many items a section has; asked in order for each object that is kept.
    init(_ objects: [ListObject], itemCount: (ListObject) -> Int) {
        self.init()
        if let tree = SectionTree.unique(objects, itemCount: { _, object in itemCount(object) }) { self.tree = tree }
    }

    // MARK: After

    var count: Int { tree.count(.new) }
    var itemCount: Int { tree.itemCount(.new) }

    /// The section at a position; it gets a handle if it has none.
    mutating func handle(at position: Int) -> SectionHandle? {
        guard let section = tree.section(at: position, in: .new) else { return nil }
        if section.payload != SectionTree.noPayload { return SectionHandle(raw: section.payload) }
        let handle = makeHandle(for: section.object)
        tree.setPayload(handle.raw, at: position, in: .new)
        return handle
    }

    /// The handle that the section at a position has; `nil` when nobody took notice of it yet.
    func knownHandle(at position: Int) -> SectionHandle? {
        guard let payload = tree.section(at: position, in: .new)?.payload, payload != SectionTree.noPayload else {
            return nil
        }
        return SectionHandle(raw: payload)
    }

    func position(of handle: SectionHandle) -> Int? {
        guard let object = objects[handle] else { return nil }
        return tree.index(of: object, in: .new)
    }

    func position(of object: ListObject) -> Int? { tree.index(of: object, in: .new) }

    mutating func handle(of object: ListObject) -> SectionHandle? {
        tree.index(of: object, in: .new).flatMap { handle(at: $0) }
    }

    mutating func handle(forID id: String) -> SectionHandle? {
        tree.index(of: id, in: .new).flatMap { handle(at: $0) }
    }

    func object(at position: Int) -> ListObject? { tree.object(at: position, in: .new) }

    func object(of handle: SectionHandle) -> ListObject? { section(of: handle)?.object }

    /// The identifier of a section before or after, which no transaction changes.
    func id(of handle: SectionHandle) -> String? { objects[handle]?.id }

    /// The sections in a range of positions; those without a handle get one.
    mutating func handles(in range: Range<Int>) -> [SectionHandle] {
        let range = range.clamped(to: 0..<count)
        var handles: [SectionHandle] = []
        handles.reserveCapacity(range.count)
        tree.forEachSection(in: range, of: .new) { _, section in
            handles.append(SectionHandle(raw: section.payload))
        }
        for (index, known) in handles.enumerated() where known.raw == SectionTree.noPayload {
            if let handle = handle(at: range.lowerBound + index) { handles[index] = handle }
        }
        return handles
    }

    func itemCount(at position: Int) -> Int? { tree.section(at: position, in: .new)?.itemCount }

    func itemCount(of handle: SectionHandle) -> Int { section(of: handle)?.itemCount ?? 0 }

    private func section(of handle: SectionHandle) -> SectionTree.Section? {
        guard let object = objects[handle] else { return nil }
        return tree.section(of: object, in: .new)
    }

    /// How many items lie before a section; all of them for what lies behind the last.
    func itemOffset(ofSection position: Int) -> Int { tree.itemOffset(ofSection: position, in: .new) }

    /// The path of an item that is counted from the start of the list.
    func path(ofItem item: Int) -> IndexPath? { tree.path(ofItem: item, in: .new) }

    /// The objects of a range of positions, in order.
    func objects(in range: Range<Int>) -> [ListObject] {
        var result: [ListObject] = []
        tree.forEachSection(in: range, of: .new) { _, section in result.append(section.object) }
        return result
    }

    /// How many items the sections in a range of positions have, in order.
    func itemCounts(in range: Range<Int>) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(range.count)
        tree.forEachSection(in: range, of: .new) { _, section in result.append(section.itemCount) }
        return result
    }

    /// The sections in a range of positions, in order, as they are: none gets a handle.
    func sections(in range: Range<Int>) -> [SectionTree.Section] {
        var result: [SectionTree.Section] = []
        tree.forEachSection(in: range, of: .new) { _, section in result.append(section) }
        return result
    }

    /// How many sections from a position on have objects of one type and the same number of items; with `payloadsMatter` one
    /// with a handle ends the run.
    func countOfSections(likeSectionAt position: Int, payloadsMatter: Bool) -> Int {
        tree.countOfSections(likeSectionAt: position, payloadsMatter: payloadsMatter)
    }

    // MARK: Before

    var oldCount: Int { count(ofSide: .old) }

    /// The section that was at a position; it gets a handle if it has none.
    mutating func oldHandle(at position: Int) -> SectionHandle? {
        guard let section = oldSection(at: position) else { return nil }
        if section.payload != SectionTree.noPayload { return SectionHandle(raw: section.payload) }
        guard let new = tree.index(of: section.object, in: .new) else {
            let handle = makeHandle(for: section.object)
            previous == nil
                ? tree.setPayload(handle.raw, at: position, in: .old)
                : previous?.setPayload(handle.raw, at: position, in: .new)
            gone.append(handle)
            return handle
        }
        return handle(at: new)
    }

    /// The handle that the section at a position had; `nil` when nobody took notice of it yet.
    func knownOldHandle(at position: Int) -> SectionHandle? {
        guard let payload = oldSection(at: position)?.payload, payload != SectionTree.noPayload else { return nil }
        return SectionHandle(raw: payload)
    }

    func oldPosition(of handle: SectionHandle) -> Int? {
        guard let object = objects[handle] else { return nil }
        return previous == nil ? tree.index(of: object, in: .old) : previous?.index(of: object, in: .new)
    }

    func oldObject(at position: Int) -> ListObject? { oldSection(at: position)?.object }

    func oldObject(of handle: SectionHandle) -> ListObject? { oldPosition(of: handle).flatMap { oldObject(at: $0) } }

    func oldID(at position: Int) -> String? { oldObject(at: position)?.id }

    func oldItemCount(of handle: SectionHandle) -> Int {
        oldPosition(of: handle).flatMap { oldSection(at: $0)?.itemCount } ?? 0
    }

    func oldItemCount(at position: Int) -> Int { oldSection(at: position)?.itemCount ?? 0 }

    private func oldSection(at position: Int) -> SectionTree.Section? {
        previous == nil ? tree.section(at: position, in: .old) : previous?.section(at: position, in: .new)
    }

    private func count(ofSide side: ListSide) -> Int {
        previous == nil ? tree.count(side) : previous?.count(.new) ?? 0
    }

    private mutating func makeHandle(for object: ListObject) -> SectionHandle {
        repeat {
            lastHandle = lastHandle == .max ? 1 : lastHandle + 1
        } while objects[SectionHandle(raw: lastHandle)] != nil
        let handle = SectionHandle(raw: lastHandle)
        objects[handle] = object
        return handle
    }

    // MARK: Forgetting

    private static let leastHandles = 1024

    /// How many sections have a handle.
    var handleCount: Int { objects.count }

    /// Whether so many handles were made that some may be without use.
    var hasManyHandles: Bool { objects.count > handleLimit }

    /// Takes the handles back that nobody refers to; only while nothing is applied.
    ///
    /// - Complexity: O(handles · log n); twice the handles that stay must be there before it is worth while again, so O(log n)
    ///   for each handle that was made.
    mutating func releaseHandles(unless isInUse: (SectionHandle) -> Bool) {
        let unused = objects.filter { !isInUse($0.key) }
        for (handle, object) in unused {
            if let position = tree.index(of: object, in: .new) {
                tree.setPayload(SectionTree.noPayload, at: position, in: .new)
            }
            objects[handle] = nil
        }
        handleLimit = max(SectionMap.leastHandles, 2 * objects.count)
    }

    // MARK: Applying

    mutating func setItemCount(_ count: Int, of handle: SectionHandle) {
        if let position = position(of: handle) { setItemCount(count, at: position) }
    }

    mutating func setItemCount(_ count: Int, at position: Int) {
        guard let section = tree.section(at: position, in: .new), section.itemCount != count else { return }
        tree.replace(section.object, itemCount: count)
    }

    /// Applies the changes of a transaction.
    ///
    /// - Parameter itemCounts: how many items the inserted sections have, in their order.
    /// - Complexity: O(changes · log n), O(n) for a full list that changes much.
    mutating func apply(_ changes: SectionChanges, itemCounts: [Int]) {
        if changes.list != nil, changes.isMost(of: count) {
            replaceAll(changes, itemCounts: itemCounts)
        } else {
            edit(changes, itemCounts: itemCounts)
        }
    }

    private mutating func edit(_ changes: SectionChanges, itemCounts: [Int]) {
        // A section that moves has one handle on both sides.
        for move in changes.moves { _ = oldObject(at: move.old).flatMap { handle(of: $0) } }
        for update in changes.updates {
            if let handle = knownOldHandle(at: update.old) { objects[handle] = update.object }
        }
        tree.edit(changes, itemCounts: itemCounts)
    }

    private mutating func replaceAll(_ changes: SectionChanges, itemCounts: [Int]) {
        let new = tree.replaced(changes, itemCounts: itemCounts) { payload, object in
            // The object before would stay in memory for as long as its section.
            objects[SectionHandle(raw: payload)] = object
        }
        for position in changes.deletes { knownHandle(at: position).map { gone.append($0) } }
        guard var new else { return }
        swap(&tree, &new)
        previous = consume new
    }

    /// The state after becomes the state before.
    mutating func commit() {
        previous = nil
        for section in tree.commit() where section.payload != SectionTree.noPayload {
            objects[SectionHandle(raw: section.payload)] = nil
        }
        for handle in gone { objects[handle] = nil }
        gone = []
    }
}

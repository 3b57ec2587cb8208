/// The sections of a list, with the state before a change and the state after it (IGListKit F56, F37).
///
/// While nothing is staged both states are the same. `order` positions are those after, `old…` those before.
struct SectionMap {
    private struct Node {
        var object: ListObject
        var oldObject: ListObject
        var itemCount = 0
        var oldItemCount = 0
    }

    private struct Side {
        var order: [SectionHandle] = []
        var positions: [SectionHandle: Int] = [:]
        var itemCount = 0

        mutating func renumber() {
            positions.removeAll(keepingCapacity: true)
            for (index, handle) in order.enumerated() { positions[handle] = index }
        }
    }

    private var nodes: [SectionHandle: Node] = [:]
    private var handles: [ObjectKey: SectionHandle] = [:]
    private var new = Side()
    private var old = Side()
    private var nextRaw: UInt32 = 0

    init() {}

    /// Makes the sections of a list without repeated identifiers.
    init(_ objects: [ListObject]) {
        replaceAll(objects, origins: Array(repeating: nil, count: objects.count))
        commit()
    }

    // MARK: After

    var count: Int { new.order.count }
    var itemCount: Int { new.itemCount }

    func handle(at position: Int) -> SectionHandle? {
        new.order.indices.contains(position) ? new.order[position] : nil
    }

    func position(of handle: SectionHandle) -> Int? { new.positions[handle] }

    func handle(of object: ListObject) -> SectionHandle? { handles[ObjectKey(object: object)] }

    func handle(forID id: String) -> SectionHandle? {
        (try? ListObject(id: id)).flatMap { handle(of: $0) }
    }

    func object(of handle: SectionHandle) -> ListObject? { nodes[handle]?.object }

    func itemCount(of handle: SectionHandle) -> Int { nodes[handle]?.itemCount ?? 0 }

    // MARK: Before

    var oldCount: Int { old.order.count }

    func oldHandle(at position: Int) -> SectionHandle? {
        old.order.indices.contains(position) ? old.order[position] : nil
    }

    func oldPosition(of handle: SectionHandle) -> Int? { old.positions[handle] }

    func oldObject(of handle: SectionHandle) -> ListObject? { nodes[handle]?.oldObject }

    func oldObject(at position: Int) -> ListObject? { oldHandle(at: position).flatMap { oldObject(of: $0) } }

    func oldID(at position: Int) -> String? { oldObject(at: position)?.id }

    func oldItemCount(of handle: SectionHandle) -> Int { nodes[handle]?.oldItemCount ?? 0 }

    /// The objects before, in order.
    func oldObjects() -> [ListObject] { old.order.compactMap { nodes[$0]?.oldObject } }

    /// The objects after, in order.
    func objects(in range: Range<Int>) -> [ListObject] {
        new.order[range.clamped(to: 0..<count)].compactMap { nodes[$0]?.object }
    }

    /// The positions before of sections that are gone, ascending.
    func removedPositions() -> [Int] { old.order.indices.filter { new.positions[old.order[$0]] == nil } }

    // MARK: Staging

    /// Applies the changes of a transaction.
    mutating func apply(_ changes: SectionChanges) {
        for update in changes.updates {
            if let handle = oldHandle(at: update.old) { setObject(update.object, of: handle) }
        }
        let gone = changes.deletes.compactMap { oldHandle(at: $0) }
        for handle in gone { remove(handle) }
        let moves = changes.moves.compactMap { move in oldHandle(at: move.old).map { (handle: $0, new: move.new) } }
        var order = new.order
        let moved = Set(moves.map(\.handle))
        order.removeAll { moved.contains($0) }
        var placed = moves
        for insert in changes.inserts {
            let handle = makeNode(insert.object)
            handles[ObjectKey(object: insert.object)] = handle
            placed.append((handle, insert.new))
        }
        for place in placed.sorted(by: { $0.new < $1.new }) { order.insert(place.handle, at: place.new) }
        new.order = order
        new.renumber()
    }

    mutating func setItemCount(_ count: Int, of handle: SectionHandle) {
        guard var node = nodes[handle], new.positions[handle] != nil else { return }
        new.itemCount += count - node.itemCount
        node.itemCount = count
        nodes[handle] = node
    }

    mutating func setObject(_ object: ListObject, of handle: SectionHandle) { nodes[handle]?.object = object }

    /// Puts a section, new or one that was removed in the same change, at a position.
    @discardableResult
    mutating func insert(_ object: ListObject, at position: Int) -> SectionHandle {
        let handle = revivable(object) ?? makeNode(object)
        handles[ObjectKey(object: object)] = handle
        nodes[handle]?.object = object
        new.itemCount += nodes[handle]?.itemCount ?? 0
        new.order.insert(handle, at: position)
        new.renumber()
        return handle
    }

    mutating func remove(_ handle: SectionHandle) {
        guard let position = new.positions[handle], let node = nodes[handle] else { return }
        new.order.remove(at: position)
        new.itemCount -= node.itemCount
        new.renumber()
        handles[ObjectKey(object: node.object)] = nil
    }

    mutating func move(_ handle: SectionHandle, to position: Int) {
        guard let origin = new.positions[handle] else { return }
        new.order.remove(at: origin)
        new.order.insert(handle, at: position)
        new.renumber()
    }

    /// Replaces the whole order: each element is an object and the old position of its section, `nil` for a new one.
    mutating func replaceAll(_ objects: [ListObject], origins: [Int?]) {
        handles.removeAll(keepingCapacity: true)
        new = Side()
        new.order = zip(objects, origins).map { object, origin in
            let handle = origin.map { old.order[$0] } ?? makeNode(object)
            nodes[handle]?.object = object
            handles[ObjectKey(object: object)] = handle
            new.itemCount += nodes[handle]?.itemCount ?? 0
            return handle
        }
        new.renumber()
    }

    /// The state after becomes the state before.
    mutating func commit() {
        for handle in old.order where new.positions[handle] == nil { nodes[handle] = nil }
        for handle in new.order {
            guard var node = nodes[handle] else { continue }
            node.oldObject = node.object
            node.oldItemCount = node.itemCount
            nodes[handle] = node
        }
        old = new
    }

    private func revivable(_ object: ListObject) -> SectionHandle? {
        old.order.first { new.positions[$0] == nil && nodes[$0]?.oldObject.isSame(as: object) == true }
    }

    private mutating func makeNode(_ object: ListObject) -> SectionHandle {
        let handle = SectionHandle(raw: nextRaw)
        nextRaw &+= 1
        nodes[handle] = Node(object: object, oldObject: object)
        return handle
    }
}

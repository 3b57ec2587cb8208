/// Judges the requests of a flush in order of arrival, each against what the ones before it produced.
///
/// A bad request leaves no trace and the others go on. Nothing of the list itself is touched.
struct UpdateStaging {
    /// The list before the flush.
    private let base: SectionMap
    private let revision: UInt64
    /// Which objects have a section controller.
    private let accepts: (ListObject) -> Bool

    /// The state so far.
    private var state: State
    private(set) var reloaded: [ListObject] = []
    private(set) var reloadsAll = false

    private struct State {
        /// The list so far; not kept up while a full list has just replaced everything (`list`).
        var map: SectionMap
        /// The full list that replaced everything, as long as no change was applied to it.
        var list: [ListObject]?
        /// Whether some request replaced everything.
        var isReplaced = false
        /// Sections that a request named.
        var named: Set<SectionHandle> = []
        /// Whether some request changed anything.
        var hasChanged = false
    }

    init(base: SectionMap, revision: UInt64, accepts: @escaping (ListObject) -> Bool) {
        self.base = base
        self.revision = revision
        self.accepts = accepts
        state = State(map: base)
    }

    /// Takes a request; answers how many objects it dropped because of their identifiers.
    mutating func apply(_ request: UpdateRequest) throws(ListError) -> Int {
        if request.expectedRevision != 0, request.expectedRevision != revision || hasChanged {
            let changed = request.expectedRevision == revision ? ", which an earlier request is changing" : ""
            throw ListError(
                .revisionConflict, "expected_revision \(request.expectedRevision): the list is at \(revision)\(changed)"
            )
        }
        let saved = state
        do throws(ListError) {
            return try applyOperation(request.operation)
        } catch {
            state = saved
            throw error
        }
    }

    /// Whether the requests so far changed anything.
    private var hasChanged: Bool {
        if state.hasChanged || reloadsAll || !reloaded.isEmpty { return true }
        guard let list = state.list else { return false }
        return list.count != base.count || !zip(list, base.oldObjects()).allSatisfy { $0 == $1 }
    }

    private mutating func applyOperation(_ operation: UpdateRequest.Operation) throws(ListError) -> Int {
        switch operation {
        case .performUpdates(let objects, let duplicates): return try replaceAll(objects, duplicates: duplicates)
        case .applyChanges(let removed, let upserts): try applyChanges(removed: removed, upserts: upserts)
        case .moveObject(let id, let position): try moveObject(id, to: position)
        case .patchObject(let id, let set, let unset): try patchObject(id, set: set, unset: unset)
        case .reloadObjects(let ids): reloadObjects(ids)
        case .reloadData: reloadsAll = true
        case .invalid(let error): throw error
        case .moveItem, .configure: break
        }
        return 0
    }

    // MARK: Full lists

    private mutating func replaceAll(
        _ objects: [ListObject], duplicates: UpdateRequest.DuplicatePolicy
    ) throws(ListError) -> Int {
        let unique = UniqueObjects(objects)
        if duplicates == .fail, let first = unique.firstDuplicate {
            throw ListError(.duplicateIdentifier, "objects: the identifier \(first.id.debugDescription) occurs twice")
        }
        state.list = unique.objects.allSatisfy(accepts) ? unique.objects : unique.objects.filter(accepts)
        state.isReplaced = true
        state.named = []
        return objects.count - unique.objects.count
    }

    /// Makes `map` the state so far, so that changes can be applied to it.
    private mutating func unfoldList() {
        guard let list = state.list else { return }
        state.hasChanged = hasChanged
        state.map = SectionMap(list)
        state.list = nil
    }

    // MARK: Changes

    private mutating func applyChanges(
        removed: [String], upserts: [UpdateRequest.Upsert]
    ) throws(ListError) {
        unfoldList()
        for id in removed {
            guard let handle = state.map.handle(forID: id) else { continue }
            state.map.remove(handle)
            state.hasChanged = true
        }
        for upsert in upserts { try apply(upsert) }
    }

    private mutating func apply(_ upsert: UpdateRequest.Upsert) throws(ListError) {
        let object = upsert.object
        guard accepts(object) else { return }
        guard let handle = state.map.handle(of: object) else {
            let position = try target(of: upsert.position, id: object.id, origin: nil)
            state.named.insert(state.map.insert(object, at: position ?? state.map.count))
            state.hasChanged = true
            return
        }
        try move(handle, id: object.id, to: upsert.position)
        replace(object, of: handle)
    }

    private mutating func replace(_ object: ListObject, of handle: SectionHandle) {
        guard let present = state.map.object(of: handle), !present.hasSameContent(as: object) else { return }
        state.map.setObject(object, of: handle)
        state.named.insert(handle)
        state.hasChanged = true
    }

    private mutating func move(
        _ handle: SectionHandle, id: String, to position: UpdateRequest.Position
    ) throws(ListError) {
        guard let origin = state.map.position(of: handle),
            let target = try target(of: position, id: id, origin: origin), target != origin
        else { return }
        state.map.move(handle, to: target)
        state.named.insert(handle)
        state.hasChanged = true
    }

    /// Where an object shall stand once it is taken out of its present place; `nil` = where it is.
    private func target(
        of position: UpdateRequest.Position, id: String, origin: Int?
    ) throws(ListError) -> Int? {
        let anchor: String
        switch position {
        case .keep: return nil
        case .first: return 0
        case .last: return origin == nil ? state.map.count : state.map.count - 1
        case .before(let id), .after(let id): anchor = id
        }
        if anchor == id { return nil }
        guard let handle = state.map.handle(forID: anchor), let place = state.map.position(of: handle) else {
            throw ListError(.noSuchObject, "anchor: no object \(anchor.debugDescription)")
        }
        let shifted = origin.map { $0 < place } == true ? place - 1 : place
        if case .after = position { return shifted + 1 }
        return shifted
    }

    private mutating func moveObject(_ id: String, to position: UpdateRequest.Position) throws(ListError) {
        unfoldList()
        try move(try existing(id), id: id, to: position)
    }

    private mutating func patchObject(_ id: String, set: Fields, unset: [String]) throws(ListError) {
        unfoldList()
        let handle = try existing(id)
        guard let object = state.map.object(of: handle) else { return }
        replace(try object.with(fields: object.fields.patched(set: set, unset: Set(unset))), of: handle)
    }

    private func existing(_ id: String) throws(ListError) -> SectionHandle {
        guard let handle = state.map.handle(forID: id) else {
            throw ListError(.noSuchObject, "id: no object \(id.debugDescription)")
        }
        return handle
    }

    private mutating func reloadObjects(_ ids: [String]) {
        if let list = state.list {
            let wanted = Set(ids)
            reloaded += list.filter { wanted.contains($0.id) }
        } else {
            reloaded += ids.compactMap { id in
                state.map.handle(forID: id).flatMap { state.map.object(of: $0) }
            }
        }
    }

    // MARK: Outcome

    /// What the requests amount to.
    enum Outcome {
        /// A list that is to be compared with the one before.
        case list([ListObject])
        /// Single changes.
        case changes(SectionChanges)
    }

    /// What the requests amount to.
    func outcome() -> Outcome {
        if let list = state.list { return .list(list) }
        if state.isReplaced { return .list(state.map.objects(in: 0..<state.map.count)) }
        return .changes(namedChanges())
    }

    /// The changes of the sections that were named, all others being where they were.
    private func namedChanges() -> SectionChanges {
        let map = state.map
        var changes = SectionChanges()
        var named: [(old: Int, new: Int)] = []
        changes.deletes = map.removedPositions()
        for handle in state.named {
            guard let new = map.position(of: handle), let object = map.object(of: handle) else { continue }
            guard let old = map.oldPosition(of: handle), let before = map.oldObject(of: handle) else {
                changes.inserts.append((new, object))
                continue
            }
            named.append((old, new))
            if !before.hasSameContent(as: object) { changes.updates.append((old, object)) }
        }
        changes.inserts.sort { $0.new < $1.new }
        changes.updates.sort { $0.old < $1.old }
        changes.moves = NamedMoves.moved(named, deletes: changes.deletes, inserts: changes.inserts.map(\.new))
        return changes
    }
}

/// Objects with the first of each identifier kept (IGListKit F30).
struct UniqueObjects {
    private(set) var objects: [ListObject]
    private(set) var firstDuplicate: ListObject?

    init(_ all: [ListObject]) {
        var seen: Set<ObjectKey> = []
        seen.reserveCapacity(all.count)
        for (index, object) in all.enumerated() where !seen.insert(ObjectKey(object: object)).inserted {
            firstDuplicate = object
            objects = Array(all[..<index])
            for later in all[index...] where seen.insert(ObjectKey(object: later)).inserted { objects.append(later) }
            return
        }
        objects = all
    }
}

/// An object as the key of a table: equal identifiers.
struct ObjectKey: Hashable {
    let object: ListObject

    static func == (lhs: ObjectKey, rhs: ObjectKey) -> Bool { lhs.object.isSame(as: rhs.object) }
    func hash(into hasher: inout Hasher) { object.hash(into: &hasher) }
}

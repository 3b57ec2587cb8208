// SPDX-License-Identifier: Apache-2.0

/// Validates the requests of a flush in order of arrival, each against the result of all earlier requests.
///
/// A request that fails has no effect on other requests. Changes are made in a transaction of the list's tree, which
/// ``finish(_:)`` rolls back. A full list that is followed by changes gets a tree of its own.
struct UpdateStaging: ~Copyable {
    /// The object types without a section controller, whose objects are dropped.
    private let rejected: Set<ObjectIdentifier>
    private let revision: UInt64
    /// Whether every update is a reload, so that even an update with the same objects is a change.
    private let reloadsOnUpdate: Bool

    /// The objects of the last full list, as long as no change follows it.
    private var list: [ListObject]?
    /// The tree of the last full list with the changes that followed it.
    private var replaced: SectionTree?
    /// Whether a request changed the list.
    private var hasChanged = false
    /// The objects whose reload was requested, even if they are unchanged.
    private(set) var reloaded: [ListObject] = []
    /// Whether all section controllers are replaced.
    private(set) var reloadsAll = false
    /// Whether a request wrote objects, even if it changed nothing.
    private(set) var hasUpdates = false

    init(revision: UInt64, updater: ListOptions.Updater, rejecting types: Set<ObjectIdentifier>) {
        self.revision = revision
        reloadsOnUpdate = updater == .reload
        rejected = types
    }

    /// Applies a request.
    ///
    /// - Returns: the objects that the request dropped because of a duplicate identifier.
    mutating func apply(_ request: UpdateRequest, to base: inout SectionTree) throws(ListError)
        -> DroppedDuplicates
    {
        if request.expectedRevision != 0, request.expectedRevision != revision || isChanged(base) {
            let conflict =
                request.expectedRevision == revision
                ? "an earlier request is changing the list" : "the list is at \(revision)"
            throw ListError(.revisionConflict, "expected_revision is \(request.expectedRevision), but \(conflict)")
        }
        switch request.operation {
        case .performUpdates(let objects, let duplicates):
            let dropped = try replaceAll(objects, duplicates: duplicates, base: &base)
            hasUpdates = true
            return dropped
        case .reloadObjects(let ids): reloadObjects(ids, base)
        case .reloadData: reloadsAll = true
        case .invalid(let error): throw error
        case .moveItem, .configure: break
        case .applyChanges, .moveObject, .patchObject:
            try applyChange(request, to: &base)
            hasUpdates = true
        }
        return DroppedDuplicates()
    }

    /// Describes the combined effect of the requests in an update, and rolls the tree back to its state before them.
    ///
    /// - Returns: the full list that has to be diffed with the current one; `nil` if the update has all changes.
    mutating func finish(_ base: inout SectionTree, in change: inout Change) -> [ListObject]? {
        if reloadsAll { change.scope.insert(.controllers) }
        if hasUpdates, reloadsOnUpdate { change.scope.insert(.items) }
        if let list { return list }
        if let tree = replaced.take() { return tree.objects() }
        base.describe(in: &change)
        base.rollback()
        return nil
    }

    /// Returns whether the requests so far changed the list.
    private func isChanged(_ base: borrowing SectionTree) -> Bool {
        if hasChanged || reloadsAll || !reloaded.isEmpty || (hasUpdates && reloadsOnUpdate) { return true }
        guard let list else { return false }
        return list != base.objects(.old)
    }

    // MARK: Full lists

    private mutating func replaceAll(
        _ objects: [ListObject], duplicates: UpdateRequest.DuplicatePolicy, base: inout SectionTree
    ) throws(ListError) -> DroppedDuplicates {
        let unique = try duplicates.apply(to: objects)
        guard objects.count <= SectionWord.maximumSlots else {
            throw ListError(.limitsExceeded, "objects: \(objects.count) objects are more than a list can have")
        }
        base.rollback()
        replaced = nil
        let rejected = rejected
        list =
            rejected.isEmpty
            ? unique.objects : unique.objects.filter { !rejected.contains(ObjectIdentifier($0.objectType)) }
        return unique.dropped
    }

    // MARK: Changes

    private mutating func applyChange(_ request: UpdateRequest, to base: inout SectionTree) throws(ListError) {
        if let list {
            hasChanged = isChanged(base)
            replaced = SectionTree.unique(list, itemCount: { _, _ in 0 })
            self.list = nil
        }
        // The tree is moved out of the optional to change it in place and roll it back.
        if var tree = replaced.take() {
            let result = applyOrRollBack(request, to: &tree)
            replaced = consume tree
            if try result.get() { hasChanged = true }
        } else if try applyOrRollBack(request, to: &base).get() {
            hasChanged = true
        }
    }

    /// Applies a request to a tree; if the request fails, none of it.
    ///
    /// - Returns: whether the tree changed.
    private func applyOrRollBack(_ request: UpdateRequest, to tree: inout SectionTree) -> Result<Bool, ListError> {
        let savepoint = tree.savepoint
        do throws(ListError) {
            switch request.operation {
            case .applyChanges(let removed, let upserts):
                return .success(try tree.applyChanges(removed: removed, upserts: upserts, rejecting: rejected))
            case .moveObject(let id, let position): return .success(try tree.moveObject(id, to: position))
            case .patchObject(let id, let set, let unset):
                return .success(
                    try tree.patchObject(id, set: set, unset: unset, maximumBytes: request.maximumObjectBytes))
            case .performUpdates, .moveItem, .reloadObjects, .reloadData, .invalid, .configure: return .success(false)
            }
        } catch {
            tree.rollback(to: savepoint)
            return .failure(error)
        }
    }

    private mutating func reloadObjects(_ ids: [String], _ base: borrowing SectionTree) {
        if let list {
            let wanted = Set(ids)
            reloaded += list.filter { wanted.contains($0.id) }
            return
        }
        for id in ids {
            let object =
                replaced == nil ? base.section(of: id)?.section.object : replaced?.section(of: id)?.section.object
            if let object { reloaded.append(object) }
        }
    }
}

/// A list of objects without duplicates. Of objects with equal identifiers, the first one is kept.
///
/// - Complexity: O(n).
@_spi(Daemon) public struct UniqueObjects {
    /// The objects that are kept, in order.
    public private(set) var objects: [ListObject]
    /// The other objects.
    public private(set) var dropped = DroppedDuplicates()

    /// Removes the duplicates from a list.
    public init(_ all: [ListObject]) {
        let duplicates = UniqueObjects.duplicates(in: all)
        objects = all
        guard !duplicates.isEmpty else { return }
        dropped.count = duplicates.count
        var named: Set<ExactText> = []
        for index in duplicates {
            if dropped.ids.count == DroppedDuplicates.maximumIDs { break }
            if named.insert(ExactText(all[index].id)).inserted { dropped.ids.append(all[index].id) }
        }
        objects = []
        objects.reserveCapacity(all.count - duplicates.count)
        var next = duplicates.makeIterator()
        var duplicate = next.next()
        for (index, object) in all.enumerated() {
            if index == duplicate { duplicate = next.next() } else { objects.append(object) }
        }
    }

    /// Returns the positions of objects whose identifier an earlier object has, ascending.
    private static func duplicates(in all: [ListObject]) -> [Int] {
        DiffMemory.with(byteCount: DiffTable.byteCount(for: all.count)) { memory in
            let table = DiffTable(count: all.count, limit: all.count, in: &memory)
            return all.indices.filter { index in
                let hash = UInt32(truncatingIfNeeded: all[index].storage.identity.hash)
                return table.insert(index, hash: hash) { all[index].isSame(as: all[$0]) } != nil
            }
        }
    }
}

extension UpdateRequest.DuplicatePolicy {
    /// Returns the objects that a list keeps.
    ///
    /// - Throws: `duplicateIdentifier` if there are duplicates and the policy is ``fail``.
    @_spi(Daemon) public func apply(to objects: [ListObject]) throws(ListError) -> UniqueObjects {
        let unique = UniqueObjects(objects)
        guard self == .fail, let first = unique.dropped.ids.first else { return unique }
        throw ListError(.duplicateIdentifier, "objects: the identifier \(first.quoted) occurs twice")
    }
}

/// The operations of requests.
///
/// A function that throws may have made a part of its changes. The caller has to roll back to a savepoint.
extension SectionTree {
    /// Removes objects, then inserts or updates other objects, in order. Objects of rejected types are ignored.
    ///
    /// - Returns: whether the list changed.
    mutating func applyChanges(
        removed: [String], upserts: [UpdateRequest.Upsert], rejecting types: Set<ObjectIdentifier>
    ) throws(ListError) -> Bool {
        var hasChanged = false
        for id in removed where remove(id) != nil { hasChanged = true }
        for upsert in upserts where !types.contains(ObjectIdentifier(upsert.object.objectType)) {
            if try insertOrUpdate(upsert) { hasChanged = true }
        }
        return hasChanged
    }

    /// Inserts or updates one object. Returns whether the list changed.
    private mutating func insertOrUpdate(_ upsert: UpdateRequest.Upsert) throws(ListError) -> Bool {
        let object = upsert.object
        guard let origin = index(of: object) else {
            let target = try insertionIndex(of: upsert.position, id: object.id, origin: nil) ?? count()
            guard insert(object, at: target) else {
                throw ListError(.limitsExceeded, "the list already has the maximum number of objects")
            }
            return true
        }
        let isMoved = try move(object.id, from: origin, to: upsert.position)
        return replaceIfChanged(object) || isMoved
    }

    /// Moves one object. Returns whether its index changed.
    mutating func moveObject(_ id: String, to position: UpdateRequest.Position) throws(ListError) -> Bool {
        try move(id, from: try requiredIndex(of: id), to: position)
    }

    /// Changes some fields of one object.
    ///
    /// - Returns: whether the object changed.
    /// - Throws: `noSuchObject`; `payloadTooLarge` if the object grows beyond `maximumBytes`.
    mutating func patchObject(
        _ id: String, set: Fields, unset: [String], maximumBytes: Int
    ) throws(ListError) -> Bool {
        guard let object = object(at: try requiredIndex(of: id)) else { return false }
        let patched = try object.with(fields: object.fields.patched(set: set, unset: unset))
        guard patched.byteCount <= max(maximumBytes, object.byteCount) else {
            throw ListError(
                .payloadTooLarge,
                "the patch enlarges the object \(id.quoted) to \(patched.byteCount) bytes, more than \(maximumBytes)")
        }
        return replaceIfChanged(patched)
    }

    private func requiredIndex(of id: String) throws(ListError) -> Int {
        guard let index = index(of: id) else {
            throw ListError(.noSuchObject, "id: there is no object \(id.quoted)")
        }
        return index
    }

    /// Replaces the object with the same identifier. Returns `false` if both have the same content.
    private mutating func replaceIfChanged(_ object: ListObject) -> Bool {
        guard let present = index(of: object).flatMap({ self.object(at: $0) }), !present.hasSameContent(as: object)
        else { return false }
        return replace(object) != nil
    }

    /// Moves an object. Returns whether its index changed.
    private mutating func move(
        _ id: String, from origin: Int, to position: UpdateRequest.Position
    ) throws(ListError) -> Bool {
        guard let target = try insertionIndex(of: position, id: id, origin: origin), target != origin
        else { return false }
        return move(id, to: target)
    }

    /// Returns the index at which to insert an object, counted without the object itself.
    ///
    /// - Parameter origin: the current index of the object; `nil` if the object is new.
    /// - Returns: the index; `nil` if the object keeps its place, or goes to the end if it is new.
    private func insertionIndex(
        of position: UpdateRequest.Position, id: String, origin: Int?
    ) throws(ListError) -> Int? {
        let anchor: String
        switch position {
        case .keep: return nil
        case .first: return 0
        case .last: return origin == nil ? count() : count() - 1
        case .before(let id), .after(let id): anchor = id
        }
        if anchor == id { return nil }
        guard let place = index(of: anchor) else {
            throw ListError(.noSuchObject, "anchor: there is no object \(anchor.quoted)")
        }
        let shifted = origin.map { $0 < place } == true ? place - 1 : place
        if case .after = position { return shifted + 1 }
        return shifted
    }

    /// Fills an update with the changes of the open transaction.
    func describe(in change: inout Change) {
        let result = changes()
        func predecessor(of new: Int) -> ListObject? { new == 0 ? nil : object(at: new - 1) }
        change.removed = result.deletes.map { ($0, object(at: $0, in: .old)) }
        change.inserted = result.inserts.compactMap { new in object(at: new).map { (new, $0, predecessor(of: new)) } }
        change.moved = result.moves.map { ($0.from, $0.to, object(at: $0.to), predecessor(of: $0.to)) }
        change.updated = result.updates.compactMap { old in
            guard let before = object(at: old, in: .old), let new = index(of: before), let object = object(at: new)
            else { return nil }
            return (old, before, object)
        }
    }
}

/// The input of a diff, which can be computed on any thread.
///
/// The job has a copy of both lists, so that later changes do not affect it. ``ListAdapter/cancelFlush()`` cancels the
/// flush that waits for it.
@frozen public struct DiffJob: Sendable {
    let old: [ListObject]
    let new: [ListObject]
    let comparison: ListComparison
    let generation: UInt64

    /// The number of objects to compare, old and new together.
    public var objectCount: Int { old.count + new.count }

    /// Computes the diff.
    ///
    /// - Complexity: O(objects).
    public func run() -> Output {
        let result = ListDiff.between(old, new, option: comparison.contents, moves: comparison.moves)
        return Output(result: result, change: Change(result, from: old, to: new), generation: generation)
    }

    /// The output of a job.
    public struct Output: Sendable {
        let result: ListIndexSetResult
        let change: Change
        let generation: UInt64
    }
}

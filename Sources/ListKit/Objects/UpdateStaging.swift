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

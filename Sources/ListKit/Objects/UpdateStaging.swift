// SPDX-License-Identifier: Apache-2.0

/// Validates the requests of a flush in order of arrival, each against the result of the ones before it.
///
/// A request that fails has no effect on the others. Changes are made to the list's tree, in a transaction that `finish` rolls
/// back; a full list gets a tree of its own if changes follow it.
struct UpdateStaging: ~Copyable {
    /// Types without a section controller: their objects are dropped.
    private let rejected: Set<ObjectIdentifier>
    private let revision: UInt64
    /// Whether every update is a reload, so that one with the same objects is a change too.
    private let reloadsOnUpdate: Bool

    /// The last full list, while no change was applied to it.
    private var list: [ListObject]?
    /// The last full list with the changes after it.
    private var replaced: SectionTree?
    /// Whether some request changed anything.
    private var hasChanged = false
    /// Objects that are reloaded whether they changed or not.
    private(set) var reloaded: [ListObject] = []
    /// Whether all section controllers are replaced.
    private(set) var reloadsAll = false
    /// Whether a request wrote objects, changed or not.
    private(set) var hasUpdates = false

    init(revision: UInt64, updater: ListOptions.Updater, rejecting types: Set<ObjectIdentifier>) {
        self.revision = revision
        reloadsOnUpdate = updater == .reload
        rejected = types
    }

    /// Applies a request; returns how many objects it dropped because of their identifiers.
    mutating func apply(_ request: UpdateRequest, to base: inout SectionTree) throws(ListError) -> Int {
        if request.expectedRevision != 0, request.expectedRevision != revision || isChanged(base) {
            let changed = request.expectedRevision == revision ? ", which an earlier request is changing" : ""
            throw ListError(
                .revisionConflict, "expected_revision \(request.expectedRevision): the list is at \(revision)\(changed)"
            )
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
            try change(request, base: &base)
            hasUpdates = true
        }
        return 0
    }

    /// The combined effect of the requests.
    enum Outcome {
        /// A full list, to be diffed with the one before.
        case list([ListObject])
        /// Single changes.
        case changes(SectionChanges)
    }

    /// Returns the combined effect of the requests, and restores the list's state before them.
    mutating func finish(_ base: inout SectionTree) -> Outcome {
        if let list { return .list(list) }
        if let tree = replaced.take() { return .list(tree.objects()) }
        let changes = base.sectionChanges()
        base.rollback()
        return .changes(changes)
    }

    /// Whether the requests so far changed anything.
    private func isChanged(_ base: borrowing SectionTree) -> Bool {
        if hasChanged || reloadsAll || !reloaded.isEmpty || (hasUpdates && reloadsOnUpdate) { return true }
        guard let list else { return false }
        return list != base.objects(.old)
    }

    // MARK: Full lists

    private mutating func replaceAll(
        _ objects: [ListObject], duplicates: UpdateRequest.DuplicatePolicy, base: inout SectionTree
    ) throws(ListError) -> Int {
        let unique = UniqueObjects(objects)
        if duplicates == .fail, let first = unique.firstDuplicate {
            throw ListError(.duplicateIdentifier, "objects: the identifier \(first.id.quoted) occurs twice")
        }
        guard objects.count <= SectionWord.maximumSlots else {
            throw ListError(.limitsExceeded, "objects: \(objects.count) in one list")
        }
        base.rollback()
        replaced = nil
        let rejected = rejected
        list =
            rejected.isEmpty
            ? unique.objects : unique.objects.filter { !rejected.contains(ObjectIdentifier($0.objectType)) }
        return objects.count - unique.objects.count
    }

    // MARK: Changes

    private mutating func change(_ request: UpdateRequest, base: inout SectionTree) throws(ListError) {
        if let list {
            hasChanged = isChanged(base)
            replaced = SectionTree.unique(list, itemCount: { _, _ in 0 })
            self.list = nil
        }
        // Moved out of the optional, so that it can be changed in place and rolled back.
        if var tree = replaced.take() {
            let result = run(request, on: &tree)
            replaced = consume tree
            if try result.get() { hasChanged = true }
        } else if try run(request, on: &base).get() {
            hasChanged = true
        }
    }

    private func run(_ request: UpdateRequest, on tree: inout SectionTree) -> Result<Bool, ListError> {
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

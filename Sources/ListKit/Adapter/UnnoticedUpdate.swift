// SPDX-License-Identifier: Apache-2.0

/// An object that changed in a section without a handle, and so without a controller, fault, selection or picture.
///
/// If its kind has traits, all that follows from the change is known from the two objects: the section is reloaded. Most
/// changes of a long list are of this sort, and a handle for each would cost more than all else that is done for it.
struct UnnoticedUpdate {
    /// The section before the transaction.
    let old: Int
    /// The object after it.
    let object: ListObject
    /// The section after it; set when the counts are settled, as are the numbers of items.
    var new = 0
    var itemCount = 0
    var oldItemCount = 0
}

extension Application {
    /// Whether a section, by its position before, is reloaded without a handle.
    func isUnnoticed(_ old: Int) -> Bool {
        let index = unnoticed.partitionPoint { $0.old < old }
        return index < unnoticed.count && unnoticed[index].old == old
    }
}

extension ListAdapter {
    /// Parts the changed objects: sections that somebody knows are answered, the others are noted in `application`.
    func noticedUpdates(of flush: Flush) -> [SectionHandle] {
        var kinds = LastKind()
        var handles: [SectionHandle] = []
        for update in flush.changes.updates {
            if let handle = sections.knownOldHandle(at: update.old) {
                handles.append(handle)
            } else if flush.reloadsAll {
                continue
            } else if kinds.reloadsUnseen(update.object, in: self) {
                application?.unnoticed.append(UnnoticedUpdate(old: update.old, object: update.object))
            } else if let handle = sections.oldHandle(at: update.old) {
                handles.append(handle)
            }
        }
        return handles
    }

    /// Takes the numbers of items of unnoticed sections from their traits; whoever was noticed meanwhile, by a section
    /// controller that looked, or has an impossible number, is reloaded as others are.
    func settleUnnoticed(_ changes: SectionChanges) {
        guard let updates = application?.unnoticed, !updates.isEmpty else { return }
        let positionsStay = changes.deletes.isEmpty && changes.inserts.isEmpty && changes.moves.isEmpty
        var kinds = LastKind()
        var settled: [UnnoticedUpdate] = []
        settled.reserveCapacity(updates.count)
        for var update in updates {
            guard let new = positionsStay ? update.old : sections.position(of: update.object),
                let count = kinds.itemCount(of: update.object, in: self), sections.knownHandle(at: new) == nil
            else {
                if let handle = sections.oldHandle(at: update.old) { application?.reloads.insert(handle) }
                continue
            }
            update.new = new
            update.itemCount = count
            update.oldItemCount = sections.oldItemCount(at: update.old)
            sections.setItemCount(count, at: new)
            settled.append(update)
        }
        application?.unnoticed = settled
    }
}

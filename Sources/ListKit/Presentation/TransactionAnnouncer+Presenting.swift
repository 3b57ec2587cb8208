// SPDX-License-Identifier: Apache-2.0

extension TransactionAnnouncer {
    /// Returns the transaction that announces an update, and the batch in IGListKit's form.
    ///
    /// - Parameters:
    ///   - base: the revision before the update.
    ///   - wantsBatch: whether to make the batch, which a reload never has.
    /// - Returns: `isFallback` is true for a transaction that is a reload only because of its number of changes.
    static func transaction(
        of change: Change, _ collector: ItemChangeCollector, _ environment: ViewEnvironment, base: UInt64,
        wantsBatch: Bool
    ) -> (transaction: Transaction, batch: ListBatchUpdateData?, isFallback: Bool) {
        let (map, options) = (environment.map, environment.options)
        var transaction = Transaction(
            baseRevision: base, revision: environment.revision, kind: .update, animated: change.animated,
            sectionCount: map.count, itemCount: map.itemCount)
        var announcer = TransactionAnnouncer(changes: change, options: options)
        if !change.isReload {
            for handle in collector.reloads {
                guard let old = map.oldPosition(of: handle), map.position(of: handle) != nil else { continue }
                announcer.addReload(
                    ofSection: old, itemCount: map.itemCount(of: handle), oldItemCount: map.oldItemCount(of: handle))
            }
            for update in collector.handlelessUpdates {
                announcer.addReload(
                    ofSection: update.old, itemCount: update.itemCount, oldItemCount: update.oldItemCount)
            }
            for (handle, changes) in collector.itemChanges where !changes.isEmpty {
                guard let old = map.oldPosition(of: handle), let new = map.position(of: handle) else { continue }
                announcer.addItemChanges(changes, from: old, to: new)
            }
            (transaction.sections, transaction.items) = announcer.batches()
        }
        guard change.isReload || transaction.isTooLarge(threshold: options.reloadThreshold) else {
            return (transaction, wantsBatch ? announcer.batchUpdateData() : nil, false)
        }
        return (transaction.asReload, nil, !change.isReload)
    }
}

extension TransactionAnnouncer {
    /// Returns the changes in the form that IGListKit applies to a view.
    ///
    /// Every section reload becomes a delete and an insert (rules UP-33 to UP-46). Conflicting changes are left out
    /// (rules BU-01 to BU-22).
    func batchUpdateData() -> ListBatchUpdateData {
        let (sections, items) = batches()
        let positions = changes.positions()
        let reloads = sections.reloads.flatMap(\.range)
        let replaced = ListIndexSet(reloads.compactMap { positions($0) })
        func path(_ place: ItemPlace) -> IndexPath { IndexPath(section: Int(place.section), item: Int(place.item)) }
        return ListBatchUpdateData(
            insertSections: ListIndexSet(sections.inserts.flatMap(\.range)).union(replaced),
            deleteSections: ListIndexSet(sections.deletes.flatMap(\.range)).union(ListIndexSet(reloads)),
            moveSections: sections.moves.map { ListMoveIndex(from: Int($0.old), to: Int($0.new)) },
            insertItems: items.inserts.map(path), deleteItems: items.deletes.map(path),
            updateItems: items.reloads.map(path),
            moveItems: items.moves.map { ListMoveIndexPath(from: path($0.old), to: path($0.new)) })
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The announcement of an update: the transaction, and a batch for IGListKit's delegate.
struct Announcement {
    let transaction: Transaction
    /// The changes in the form that IGListKit passes to a collection view; `nil` for a reload, or if no delegate
    /// wants it.
    let batch: ListBatchUpdateData?
    /// Whether the transaction is a reload only because the update has too many changes.
    let isFallback: Bool

    /// Creates the announcement from the changes of sections and items.
    ///
    /// - Parameters:
    ///   - base: the revision before the update.
    ///   - wantsBatch: whether to include ``batch``.
    init(
        of change: Change, _ collector: ItemChangeCollector, _ environment: ViewEnvironment, base: UInt64,
        wantsBatch: Bool
    ) {
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
            self.transaction = transaction
            batch = wantsBatch ? announcer.batchUpdateData() : nil
            isFallback = false
            return
        }
        self.transaction = transaction.asReload
        batch = nil
        isFallback = !change.isReload
    }
}

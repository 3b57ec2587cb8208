// SPDX-License-Identifier: Apache-2.0

/// An update as it is announced.
struct Announcement {
    let transaction: Transaction
    /// The changes in the form that IGListKit's collection view receives; `nil` for a reload, and without a listener for it.
    let batch: ListBatchUpdateData?
    /// Whether it is a reload only because it has too many changes.
    let isFallback: Bool

    /// Builds the announcement from the changes of sections and items.
    ///
    /// - Parameter base: the revision before.
    init(
        of update: ObjectUpdate, _ collector: ItemChangeCollector, _ environment: ViewEnvironment, base: UInt64,
        wantsBatch: Bool
    ) {
        let (map, options) = (environment.map, environment.options)
        var transaction = Transaction(
            baseRevision: base, revision: environment.revision, kind: .update, animated: update.animated,
            sectionCount: map.count, itemCount: map.itemCount)
        var announcer = TransactionAnnouncer(changes: update.changes, options: options)
        if !update.isReload {
            for handle in collector.reloads {
                guard let old = map.oldPosition(of: handle), map.position(of: handle) != nil else { continue }
                announcer.reload(old, itemCount: map.itemCount(of: handle), oldItemCount: map.oldItemCount(of: handle))
            }
            for update in collector.unnoticed {
                announcer.reload(update.old, itemCount: update.itemCount, oldItemCount: update.oldItemCount)
            }
            for (handle, changes) in collector.itemChanges where !changes.isEmpty {
                guard let old = map.oldPosition(of: handle), let new = map.position(of: handle) else { continue }
                announcer.change(itemsOf: old, now: new, changes)
            }
            (transaction.sections, transaction.items) = announcer.batches()
        }
        guard update.isReload || transaction.isTooLarge(threshold: options.reloadThreshold) else {
            self.transaction = transaction
            batch = wantsBatch ? announcer.batchUpdateData() : nil
            isFallback = false
            return
        }
        self.transaction = transaction.asReload
        batch = nil
        isFallback = !update.isReload
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// A transaction in the form in which it is announced.
    struct Announcement {
        let transaction: Transaction
        /// The same as IGListKit's collection view was told; nil for a reload.
        let batch: ListBatchUpdateData?
        /// Whether it is a reload only because there was too much to tell.
        let isFallback: Bool
    }

    /// What is announced of a flush.
    func announcement(of flush: Flush, _ applied: Application, base: UInt64) -> Announcement {
        var transaction = Transaction(
            baseRevision: base, revision: revision, kind: .update, animated: flush.isAnimated,
            sectionCount: sections.count, itemCount: sections.itemCount)
        var announcer = TransactionAnnouncer(changes: flush.changes, options: configuration)
        if !flush.isReload {
            for handle in applied.reloads {
                guard let old = sections.oldPosition(of: handle), sections.position(of: handle) != nil else { continue }
                announcer.reload(
                    old, itemCount: sections.itemCount(of: handle), oldItemCount: sections.oldItemCount(of: handle))
            }
            for update in applied.unnoticed {
                announcer.reload(update.old, itemCount: update.itemCount, oldItemCount: update.oldItemCount)
            }
            for (handle, changes) in applied.itemChanges where !changes.isEmpty {
                guard let old = sections.oldPosition(of: handle), let new = sections.position(of: handle) else {
                    continue
                }
                announcer.change(itemsOf: old, now: new, changes)
            }
            (transaction.sections, transaction.items) = announcer.batches()
        }
        guard flush.isReload || transaction.isTooLarge(threshold: configuration.reloadThreshold) else {
            let batch = updaterDelegate == nil ? nil : announcer.batchUpdateData()
            return Announcement(transaction: transaction, batch: batch, isFallback: false)
        }
        return Announcement(transaction: transaction.asReload, batch: nil, isFallback: !flush.isReload)
    }

    /// Tells the updater's delegate what was announced, when the views have followed.
    func tellUpdaterDelegate(of announcement: Announcement) {
        let transaction = announcement.transaction
        if let batch = announcement.batch {
            tellUpdaterDelegate { $0.adapter(self, didApply: batch, as: transaction) }
        } else if transaction.kind == .reload {
            tellUpdaterDelegate { $0.adapter(self, didReload: transaction, isFallback: announcement.isFallback) }
        }
    }
}

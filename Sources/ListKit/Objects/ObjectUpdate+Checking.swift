// SPDX-License-Identifier: Apache-2.0

// Clients follow the transactions of a presentation in another process, whose memory a plugin may have corrupted: they are checked.

extension ObjectUpdate {
    /// Whether a transaction is a possible result of presenting this update.
    ///
    /// It has to delete, insert and move the update's sections, in the form that the options require, or be a reload. Its
    /// reloads and the sections of its items have to be inside of the list.
    /// - Parameters:
    ///   - counts: how many sections there are before and after.
    ///   - options: the list's, as they are after the update.
    /// - Complexity: O(changes).
    @_spi(Daemon) public func allows(
        _ transaction: Transaction, counts: (before: Int, after: Int), options: ListOptions
    ) -> Bool {
        guard transaction.sectionCount == counts.after else { return false }
        let (sections, items) = (transaction.sections, transaction.items)
        switch transaction.kind {
        case .reload: return sections.isEmpty && items.isEmpty
        case .update: break
        }
        let (expected, _) = TransactionAnnouncer(changes: changes, options: options).batches()
        return !isReload && sections.deletes == expected.deletes && sections.inserts == expected.inserts
            && sections.moves == expected.moves
            && sections.reloads.allSatisfy { $0.range.upperBound <= counts.before }
            && items.lie(before: counts.before, after: counts.after)
    }
}

extension ItemBatch {
    /// Whether the sections of all items are in the list.
    fileprivate func lie(before: Int, after: Int) -> Bool {
        (deletes + reloads).allSatisfy { $0.section < before } && inserts.allSatisfy { $0.section < after }
            && moves.allSatisfy { $0.old.section < before && $0.new.section < after }
    }
}

// SPDX-License-Identifier: Apache-2.0

// A plugin may have corrupted the memory of a presentation in another process. Therefore the transactions of such a
// presentation are validated before clients receive them.

extension Change {
    /// Returns whether a transaction is a possible result of presenting this update.
    ///
    /// A valid transaction is a reload, or it deletes, inserts and moves exactly the update's sections in the form
    /// that the options require. The sections of its reloads and item changes have to exist.
    /// - Parameters:
    ///   - counts: the numbers of sections before and after the update.
    ///   - options: the options of the list after the update.
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
        let (expected, _) = TransactionAnnouncer(changes: self, options: options).batches()
        return !isReload && sections.deletes == expected.deletes && sections.inserts == expected.inserts
            && sections.moves == expected.moves
            && sections.reloads.allSatisfy { $0.range.upperBound <= counts.before }
            && items.hasValidSections(before: counts.before, after: counts.after)
    }
}

extension ItemBatch {
    /// Returns whether the sections of all item changes exist in a list with the given numbers of sections.
    fileprivate func hasValidSections(before: Int, after: Int) -> Bool {
        (deletes + reloads).allSatisfy { $0.section < before } && inserts.allSatisfy { $0.section < after }
            && moves.allSatisfy { $0.old.section < before && $0.new.section < after }
    }
}

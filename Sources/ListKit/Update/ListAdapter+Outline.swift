extension ListAdapter {
    /// The transaction that is about to be stored, as far as it is known before section controllers are asked: sections
    /// that may change are reloaded whole, so there are no item entries.
    ///
    /// A mirror that applies it has the same objects as with the transaction that ``commitFlush()`` answers. It is `nil`
    /// unless ``FlushStep/commit(_:)`` waits for an answer. The number of items is the one before.
    ///
    /// - Complexity: O(changes · log n).
    @_spi(Daemon) public func outline() -> Transaction? {
        guard case .prepared(let flush) = flush else { return nil }
        var transaction = Transaction(
            baseRevision: revision, revision: revision + 1, kind: .update, animated: flush.isAnimated,
            sectionCount: sections.count + flush.changes.inserts.count - flush.changes.deletes.count,
            itemCount: sections.itemCount)
        let options = flush.configuration ?? configuration
        if flush.isReload || options.updater == .reload {
            transaction.kind = .reload
            return transaction
        }
        var announcer = TransactionAnnouncer(changes: flush.changes, options: options)
        for old in reloadedPositions(of: flush) { announcer.reload(old, itemCount: 0, oldItemCount: 0) }
        (transaction.sections, transaction.items) = announcer.batches()
        return transaction.isTooLarge(threshold: options.reloadThreshold) ? transaction.asReload : transaction
    }

    /// Positions before of sections that stay and may look different, ascending.
    private func reloadedPositions(of flush: Flush) -> [Int] {
        var positions = Set(flush.changes.updates.map(\.old))
        var handles = flush.itemUpdates.compactMap { handle(of: $0.controller) }
        handles += flush.reloaded.compactMap { sections.handle(of: $0) } + [flush.itemMove?.section].compactMap { $0 }
        if let application { handles += Array(application.reloads) + Array(application.itemChanges.keys) }
        if let carried { handles += Array(carried.reloads) + Array(carried.itemChanges.keys) }
        positions.formUnion(handles.compactMap { sections.position(of: $0) })
        return positions.subtracting(flush.changes.deletes).sorted()
    }
}

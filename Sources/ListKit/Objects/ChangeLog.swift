// SPDX-License-Identifier: Apache-2.0

/// The last transactions of a list, for clients that missed some (`GetChanges`).
///
/// The oldest are dropped while at least 256 transactions, or 1 MiB of them, remain.
@_spi(Daemon) @frozen public struct ChangeLog: Sendable {
    /// The least number of transactions that are kept, unless they take more than ``keptBytes``.
    public static let keptTransactions = 256
    /// The least number of bytes of transactions that are kept, unless there are more than ``keptTransactions``.
    public static let keptBytes = 1 << 20

    private var transactions: [Transaction] = []
    /// Entries before this one are dropped; they are removed from memory when they are the larger half.
    private var first = 0
    private var byteCount = 0
    /// The current revision.
    public private(set) var revision: UInt64
    /// The last revision whose transaction the store has.
    private var written: UInt64

    /// Makes an empty log of a list at a revision.
    public init(revision: UInt64 = 0) {
        self.revision = revision
        written = revision
    }

    /// Makes a log of stored transactions; those before a gap are left out, and all of them if they do not end at `revision`.
    public init(revision: UInt64, stored: [Transaction]) {
        self.init(revision: stored.first?.baseRevision ?? revision)
        for transaction in stored { append(transaction) }
        if self.revision != revision { self.init(revision: revision) }
        written = revision
    }

    /// The transactions that the store does not have, in order.
    var unwritten: ArraySlice<Transaction> { transactions(since: max(written, oldestRevision)) }

    /// Records that the store has the transactions up to a revision.
    mutating func markWritten(through revision: UInt64) { written = max(written, revision) }

    /// Records that the store has none of the transactions.
    mutating func markUnwritten() { written = 0 }

    /// The oldest revision since which the log has all changes.
    public var oldestRevision: UInt64 { first < transactions.count ? transactions[first].baseRevision : revision }

    /// Appends the transaction that was just applied; one that does not follow the last restarts the log.
    ///
    /// - Complexity: O(1) amortised.
    public mutating func append(_ transaction: Transaction) {
        if transaction.baseRevision != revision { self = ChangeLog(revision: transaction.baseRevision) }
        transactions.append(transaction)
        byteCount += transaction.encodedSize
        revision = transaction.revision
        dropOldest()
    }

    /// The transactions after a revision, in order: all of them, or the first ones up to about `byteLimit` bytes but at
    /// least one.
    ///
    /// - Throws: `revisionGone` when they are no longer kept, or the revision lies in the future.
    public func changes(since start: UInt64, byteLimit: Int) throws(ListError) -> [Transaction] {
        guard start >= oldestRevision, start <= revision else {
            throw ListError(
                .revisionGone, "since_revision \(start): changes are kept from \(oldestRevision) to \(revision)")
        }
        var size = 0
        var result: [Transaction] = []
        for transaction in transactions(since: start) {
            size += transaction.encodedSize
            if size > byteLimit, !result.isEmpty { break }
            result.append(transaction)
        }
        return result
    }

    private func transactions(since start: UInt64) -> ArraySlice<Transaction> {
        transactions[(first + Int(start - oldestRevision))...]
    }

    private mutating func dropOldest() {
        while first < transactions.count {
            let size = transactions[first].encodedSize
            let isNeeded = transactions.count - first <= Self.keptTransactions && byteCount - size < Self.keptBytes
            if isNeeded { break }
            byteCount -= size
            first += 1
        }
        if first > 64, first * 2 > transactions.count {
            transactions.removeFirst(first)
            first = 0
        }
    }
}

extension Transaction {
    /// About how many bytes the transaction takes in a message.
    @_spi(Daemon) public var encodedSize: Int {
        let runs = sections.deletes.count + sections.inserts.count + sections.moves.count + sections.reloads.count
        let places = items.deletes.count + items.inserts.count + items.reloads.count
        return 112 + 8 * (runs + places) + 16 * items.moves.count
    }
}

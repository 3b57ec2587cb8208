// SPDX-License-Identifier: Apache-2.0

/// The last transactions of a list, for clients that missed some (`GetChanges`).
///
/// Bounded: the oldest ones go as long as 256 transactions, or 1 MiB of them, are left.
@_spi(Daemon) public struct ChangeLog: Sendable {
    /// How many transactions are kept at least, unless they take more than ``keptBytes``.
    public static let keptTransactions = 256
    /// How many bytes of transactions are kept at least, unless there are more than ``keptTransactions``.
    public static let keptBytes = 1 << 20

    private var transactions: [Transaction] = []
    /// Entries before this one are gone; they are swept when they are the larger half.
    private var first = 0
    private var byteCount = 0
    /// The current revision.
    public private(set) var revision: UInt64
    /// The revision up to which the store has the transactions.
    private var written: UInt64

    /// An empty log of a list that is at a revision.
    public init(revision: UInt64 = 0) {
        self.revision = revision
        written = revision
    }

    /// A log of stored transactions; those before a gap, and all if they do not end at `revision`, are left out.
    public init(revision: UInt64, stored: [Transaction]) {
        self.init(revision: stored.first?.baseRevision ?? revision)
        for transaction in stored { append(transaction) }
        if self.revision != revision { self.init(revision: revision) }
        written = revision
    }

    /// The transactions that the store does not have, in order.
    var unwritten: ArraySlice<Transaction> { transactions(since: max(written, oldestRevision)) }

    /// The store has the transactions up to a revision.
    mutating func markWritten(through revision: UInt64) { written = max(written, revision) }

    /// The store has none of the transactions.
    mutating func markUnwritten() { written = 0 }

    /// The oldest revision since which changes are known.
    public var oldestRevision: UInt64 { first < transactions.count ? transactions[first].baseRevision : revision }

    /// Adds the transaction that was just applied; one that does not follow the last starts the log anew.
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
    /// - Throws: `revisionGone` when they are not kept any more, or the revision lies in the future.
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

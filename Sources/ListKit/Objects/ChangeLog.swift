// SPDX-License-Identifier: Apache-2.0

/// The latest transactions of a list, for clients that missed some of them (`GetChanges`).
///
/// The log keeps at most 256 transactions. It also drops its oldest transaction as long as the later transactions take
/// 1 MiB or more.
@_spi(Daemon) @frozen public struct ChangeLog: Sendable {
    /// The maximum number of transactions in the log.
    public static let keptTransactions = 256
    /// The size limit of the log in bytes: the oldest transaction is dropped if the later transactions reach the limit
    /// without it.
    public static let keptBytes = 1 << 20

    private var transactions: [Transaction] = []
    /// The index of the oldest kept transaction. The dropped transactions before it are freed when they are more than
    /// half of the array.
    private var first = 0
    private var byteCount = 0
    /// The current revision.
    public private(set) var revision: UInt64
    /// The latest revision whose transaction is in the store.
    private var written: UInt64

    /// Creates an empty log for a list at the given revision.
    public init(revision: UInt64 = 0) {
        self.revision = revision
        written = revision
    }

    /// Creates a log of stored transactions.
    ///
    /// Transactions before a gap in the revisions are left out. If the last transaction does not lead to `revision`,
    /// the log is empty.
    public init(revision: UInt64, stored: [Transaction]) {
        self.init(revision: stored.first?.baseRevision ?? revision)
        for transaction in stored { append(transaction) }
        if self.revision != revision { self.init(revision: revision) }
        written = revision
    }

    /// The transactions that are not in the store yet, in order.
    var unwritten: ArraySlice<Transaction> { transactions(since: max(written, oldestRevision)) }

    /// Records that the transactions up to the given revision are in the store.
    mutating func markWritten(through revision: UInt64) { written = max(written, revision) }

    /// Records that no transaction of the log is in the store.
    mutating func markUnwritten() { written = 0 }

    /// The oldest revision for which the log has all later changes.
    public var oldestRevision: UInt64 { first < transactions.count ? transactions[first].baseRevision : revision }

    /// Appends the transaction that was just applied.
    ///
    /// A transaction that does not follow the last one restarts the log: all earlier transactions are dropped.
    ///
    /// - Complexity: O(1) amortised.
    public mutating func append(_ transaction: Transaction) {
        if transaction.baseRevision != revision { self = ChangeLog(revision: transaction.baseRevision) }
        transactions.append(transaction)
        byteCount += transaction.encodedSize
        revision = transaction.revision
        dropOldest()
    }

    /// Returns the transactions after a revision, in order.
    ///
    /// - Parameter byteLimit: the encoded size in bytes after which the result ends. The result has at least one
    ///   transaction.
    /// - Throws: `revisionGone` if the log no longer has all of the transactions, or if the list has not reached the
    ///   revision.
    public func changes(since start: UInt64, byteLimit: Int) throws(ListError) -> [Transaction] {
        guard start >= oldestRevision, start <= revision else {
            throw ListError(
                .revisionGone,
                "since_revision is \(start), but changes are kept only from \(oldestRevision) to \(revision)")
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
    /// The approximate size of the transaction in a message, in bytes.
    @_spi(Daemon) public var encodedSize: Int {
        let runs = sections.deletes.count + sections.inserts.count + sections.moves.count + sections.reloads.count
        let places = items.deletes.count + items.inserts.count + items.reloads.count
        return 112 + 8 * (runs + places) + 16 * items.moves.count
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The revision numbers and the change log of a list. Both record which part of them is in the store.
struct RevisionHistory {
    /// The current revision, and the numbers reserved for later revisions.
    private(set) var numbers: RevisionNumbers
    /// The log of the latest transactions.
    private(set) var log: ChangeLog
    /// Whether the write that reserves a block of numbers is in progress.
    private var isReserving = false
    /// The delay before the reservation of a block is retried after a refusal.
    private var retry = RetryDelay()

    /// Creates a history. A log that does not end at the current revision is ignored.
    init(numbers: RevisionNumbers, log: ChangeLog) {
        self.numbers = numbers
        self.log = log.revision == numbers.last ? log : ChangeLog(revision: numbers.last)
    }

    /// Gives a transaction the next revision and appends it to the log.
    ///
    /// Requires that ``RevisionNumbers/mayNumber(leaving:)`` is true.
    /// - Returns: the transaction with its revisions.
    mutating func appendNumbered(_ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.baseRevision = numbers.last
        transaction.revision = numbers.next()
        log.append(transaction)
        return transaction
    }

    // MARK: Writes

    /// Returns a write that raises the limit and adds the transactions that are not in the store yet.
    private func makeWork(limit: UInt64) -> StoreWrite {
        StoreWrite(
            log: Array(log.unwritten), oldestRevision: log.oldestRevision, revision: numbers.last, limit: limit)
    }

    /// Returns the write of an update. The update gets its revision later, when it is announced.
    mutating func beginUpdate() -> StoreWrite { makeWork(limit: numbers.beginUpdateWrite()) }

    /// Returns a write that needs no revision of its own.
    func makeWorkWithoutRevision() -> StoreWrite { makeWork(limit: numbers.requested) }

    /// Starts the persistence of the list.
    ///
    /// - Returns: the first write, which has the whole log. No revision is numbered before this write has succeeded.
    mutating func beginPersistence() -> StoreWrite {
        numbers.beginPersistence()
        log.markUnwritten()
        return makeWork(limit: numbers.limit)
    }

    /// Ends the persistence of the list.
    mutating func endPersistence() {
        numbers.endPersistence()
        isReserving = false
    }

    /// Records that the write of an update or of a block of numbers has succeeded.
    mutating func recordStoredUpdate(_ work: StoreWrite) {
        recordStored(work)
        numbers.confirmWrite(work.limit)
    }

    /// Records that the store refused an update.
    mutating func recordRefusedUpdate() { numbers.cancelWrite() }

    /// Records that the transactions of a write are in the store.
    mutating func recordStored(_ work: StoreWrite) { log.markWritten(through: work.revision) }

    /// The write of the announced transactions that are not in the store yet; `nil` if there are none.
    var unwrittenWork: StoreWrite? { numbers.isUnstored || log.unwritten.isEmpty ? nil : makeWorkWithoutRevision() }

    /// Ends the numbering of revisions and returns the last write; `nil` if the store is up to date.
    mutating func end() -> StoreWrite? {
        guard !numbers.isUnstored else { return nil }
        let isSettled = log.unwritten.isEmpty && numbers.requested == numbers.last
        numbers.endNumbering()
        return isSettled ? nil : makeWork(limit: numbers.last)
    }

    // MARK: Blocks

    /// The time at which the reservation of numbers is retried; idle while that write is in progress.
    var retryTiming: FlushTiming { isReserving ? .idle : .at(retry.time) }

    /// Returns the write that reserves a block of numbers, if less than half a block is left.
    ///
    /// - Returns: the write; `nil` if no write is due.
    mutating func reserve(now: UInt64) -> StoreWrite? {
        guard !numbers.isUnstored, !isReserving, numbers.needsBlock, now >= retry.time else { return nil }
        isReserving = true
        return makeWork(limit: numbers.beginBlockWrite())
    }

    /// Records the outcome of the write that reserves a block of numbers.
    mutating func recordReservation(_ work: StoreWrite, _ outcome: Result<Void, ListError>, now: UInt64) {
        guard isReserving else { return }
        isReserving = false
        switch outcome {
        case .success:
            recordStoredUpdate(work)
            retry.reset()
        case .failure:
            numbers.cancelWrite()
            retry.recordRefusal(now: now)
        }
    }
}

/// The current revision of a list, and the highest revision that the list may announce without another write.
///
/// An announced revision must not be used again after a restart. Therefore the store keeps a limit for revisions.
///
/// - The write of an update raises the limit by exactly one.
/// - Changes without a write, which are items that section controllers change on their own, use numbers from a block.
///   The block is reserved by a write that raises the limit in advance.
/// - After a kill, the list continues at the limit. A clean end stores the revision as the limit, so that the list
///   continues with the next number.
///
/// `last` ≤ `limit` ≤ `requested`.
@_spi(Daemon) @frozen public struct RevisionNumbers: Sendable, Hashable {
    /// The count of numbers in a block.
    public static let blockSize: UInt64 = 1024

    /// The latest announced revision.
    public private(set) var last: UInt64
    /// The highest revision that may be announced, which is the limit in the store.
    public private(set) var limit: UInt64
    /// The highest limit of all writes, including those in progress.
    public private(set) var requested: UInt64
    /// The number of writes in progress that raise the limit.
    private var writesUnderWay = 0

    /// Creates the numbers of a list that is not stored. They have no limit.
    public init(unstoredAt last: UInt64 = 0) { self.init(last: last, limit: .max) }

    /// Creates the numbers of a stored list.
    ///
    /// - Parameters:
    ///   - revision: the revision in the store.
    ///   - limit: the limit in the store. After a kill it is larger than the revision.
    public init(restoring revision: UInt64, limit: UInt64) {
        let last = max(revision, limit)
        self.init(last: last, limit: last)
    }

    private init(last: UInt64, limit: UInt64) {
        (self.last, self.limit, requested) = (last, limit, limit)
    }

    /// Whether the list is not stored, so that its revisions have no limit.
    public var isUnstored: Bool { requested == .max }

    /// The number of revisions that may be announced without another write.
    public var left: UInt64 { limit - last }

    /// Whether less than half a block is left, counting the numbers that writes in progress reserve.
    public var needsBlock: Bool { requested - last < Self.blockSize / 2 }

    /// Returns whether a revision may be announced so that `count` more numbers stay available.
    public func mayNumber(leaving count: UInt64 = 0) -> Bool { left > count }

    /// Advances to the next revision and returns it. Requires that ``mayNumber(leaving:)`` is true.
    public mutating func next() -> UInt64 {
        // trap: a stored update has raised the limit by one for itself; all other changes check mayNumber before.
        precondition(last < limit)
        last += 1
        return last
    }

    /// Begins the write of an update and returns the limit to store with it.
    ///
    /// The update gets its number later, when it is announced. The write is in progress until ``confirmWrite(_:)`` or
    /// ``cancelWrite()``.
    public mutating func beginUpdateWrite() -> UInt64 {
        // Changes without a write may use up all other numbers before the update is announced: add one for the update.
        raiseRequestedLimit(by: isBlockHalfUsed ? 1 + Self.blockSize : 1)
    }

    /// Begins the write that reserves a block of numbers, and returns the limit to store.
    ///
    /// The numbers are for changes without a write. The write is in progress until ``confirmWrite(_:)`` or ``cancelWrite()``.
    public mutating func beginBlockWrite() -> UInt64 { raiseRequestedLimit(by: Self.blockSize) }

    private mutating func raiseRequestedLimit(by count: UInt64) -> UInt64 {
        writesUnderWay += 1
        if !isUnstored { requested += count }
        return requested
    }

    /// Whether more than half of a block is used, so that the write of an update also reserves the next block.
    private var isBlockHalfUsed: Bool { left > 0 && needsBlock }

    /// Ends a write that has succeeded, and applies its limit.
    public mutating func confirmWrite(_ limit: UInt64) {
        self.limit = max(self.limit, limit)
        endWrite()
    }

    /// Ends a write that the store refused.
    public mutating func cancelWrite() { endWrite() }

    /// Ends a write. When no write is left in progress, refused numbers can be reserved again.
    private mutating func endWrite() {
        writesUnderWay -= 1
        if writesUnderWay == 0 { requested = limit }
    }

    /// Starts the persistence of the numbers. No revision is numbered before a limit is stored.
    mutating func beginPersistence() { (limit, requested) = (last, last) }

    /// Ends the persistence of the numbers, which then have no limit.
    mutating func endPersistence() { (limit, requested, writesUnderWay) = (.max, .max, 0) }

    /// Ends the numbering of revisions, so that the current revision can be stored as the limit.
    mutating func endNumbering() { (limit, requested) = (last, last) }
}

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

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

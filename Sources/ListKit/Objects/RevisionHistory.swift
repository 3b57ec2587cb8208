// SPDX-License-Identifier: Apache-2.0

/// The revision numbers and the change log of a list, and how much of both the store has.
struct RevisionHistory {
    /// The revision, and the numbers reserved for the next ones.
    private(set) var numbers: RevisionNumbers
    /// The last changes.
    private(set) var log: ChangeLog
    /// Whether the write that reserves a block of numbers is in progress.
    private var isReserving = false
    /// When a refused block is retried.
    private var retry = RetryDelay()

    /// Makes a history; a log that does not end at the revision is ignored.
    init(numbers: RevisionNumbers, log: ChangeLog) {
        self.numbers = numbers
        self.log = log.revision == numbers.last ? log : ChangeLog(revision: numbers.last)
    }

    /// Numbers a transaction and appends it to the log; requires ``RevisionNumbers/mayNumber(leaving:)``.
    mutating func number(_ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.baseRevision = numbers.last
        transaction.revision = numbers.next()
        log.append(transaction)
        return transaction
    }

    // MARK: Writes

    /// A write with a limit and what the store lacks of the log.
    private func work(limit: UInt64) -> StoreWork {
        StoreWork(
            log: Array(log.unwritten), oldestRevision: log.oldestRevision, revision: numbers.last, limit: limit,
            requests: [])
    }

    /// Begins the write of an update, which is numbered when it is announced.
    mutating func beginUpdate() -> StoreWork { work(limit: numbers.askForUpdate()) }

    /// Begins a write without a revision of its own.
    func beginRecord() -> StoreWork { work(limit: numbers.asked) }

    /// Begins to store the list: writes the whole log; no revision is numbered until that has succeeded.
    mutating func beginStoring() -> StoreWork {
        numbers.beginStoring()
        log.markUnwritten()
        return work(limit: numbers.limit)
    }

    /// Ends storing the list.
    mutating func endStoring() {
        numbers.endStoring()
        isReserving = false
    }

    /// Records that an update is stored.
    mutating func updateStored(_ work: StoreWork) {
        recordStored(work)
        numbers.stored(work.limit)
    }

    /// Records that the store refused an update.
    mutating func updateRefused() { numbers.refused() }

    /// Records that a write without a revision of its own is stored.
    mutating func recordStored(_ work: StoreWork) { log.markWritten(through: work.revision) }

    /// The write of the changes that the store lacks; `nil` = none.
    var unsettled: StoreWork? { numbers.isUnstored || log.unwritten.isEmpty ? nil : beginRecord() }

    /// The last write; `nil` = none is needed. No revision is numbered afterwards.
    mutating func end() -> StoreWork? {
        guard !numbers.isUnstored else { return nil }
        let isSettled = log.unwritten.isEmpty && numbers.asked == numbers.last
        numbers.close()
        return isSettled ? nil : work(limit: numbers.last)
    }

    // MARK: Blocks

    /// When to reserve numbers again; idle while that write is in progress.
    var retryTiming: FlushTiming { isReserving ? .idle : .at(retry.time) }

    /// Begins to reserve a block of numbers when less than half of one is left; `nil` = not now.
    mutating func reserve(now: UInt64) -> StoreWork? {
        guard !numbers.isUnstored, !isReserving, numbers.needsBlock, now >= retry.time else { return nil }
        isReserving = true
        return work(limit: numbers.askForBlock())
    }

    /// Handles the outcome of reserving a block.
    mutating func reserved(_ work: StoreWork, _ outcome: Result<Void, ListError>, now: UInt64) {
        guard isReserving else { return }
        isReserving = false
        switch outcome {
        case .success:
            updateStored(work)
            retry.accept()
        case .failure:
            numbers.refused()
            retry.refuse(now: now)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The revisions of a list: numbers that may be given out, the last changes, and what the store has of both.
struct RevisionHistory {
    /// The revision, and those that may be given out.
    private(set) var numbers: RevisionNumbers
    /// The last changes.
    private(set) var log: ChangeLog
    /// Whether the store was asked for a block of numbers.
    private var isReserving = false
    /// When it is asked again that refused one.
    private var retry = RetryDelay()

    /// A log that does not lead to the revision is left out.
    init(numbers: RevisionNumbers, log: ChangeLog) {
        self.numbers = numbers
        self.log = log.revision == numbers.last ? log : ChangeLog(revision: numbers.last)
    }

    /// Numbers a transaction and records it; only while a number may be given out.
    mutating func number(_ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.baseRevision = numbers.last
        transaction.revision = numbers.next()
        log.append(transaction)
        return transaction
    }

    // MARK: Writes

    /// What there is to write with a limit.
    private func work(limit: UInt64) -> StoreWork {
        StoreWork(
            log: Array(log.unwritten), oldestRevision: log.oldestRevision, revision: numbers.last, limit: limit,
            requests: [])
    }

    /// Begins the write of an update, which takes a number when it is announced.
    mutating func beginUpdate() -> StoreWork { work(limit: numbers.askForUpdate()) }

    /// Begins a write of something that takes no number.
    func beginRecord() -> StoreWork { work(limit: numbers.asked) }

    /// Begins to be stored: with all changes that are known, and no number is given out until the store has this.
    mutating func beginStoring() -> StoreWork {
        numbers.beginStoring()
        log.markUnwritten()
        return work(limit: numbers.limit)
    }

    /// Nothing is stored any more.
    mutating func endStoring() {
        numbers.endStoring()
        isReserving = false
    }

    /// The store has an update.
    mutating func updateStored(_ work: StoreWork) {
        recordStored(work)
        numbers.stored(work.limit)
    }

    /// The store refused an update.
    mutating func updateRefused() { numbers.refused() }

    /// The store has something that takes no number.
    mutating func recordStored(_ work: StoreWork) { log.markWritten(through: work.revision) }

    /// What the store does not have of the changes; `nil` = nothing.
    var unsettled: StoreWork? { numbers.isUnstored || log.unwritten.isEmpty ? nil : beginRecord() }

    /// What to write at the end; `nil` = nothing. No number is given out afterwards.
    mutating func end() -> StoreWork? {
        guard !numbers.isUnstored else { return nil }
        let isSettled = log.unwritten.isEmpty && numbers.asked == numbers.last
        numbers.close()
        return isSettled ? nil : work(limit: numbers.last)
    }

    // MARK: Blocks

    /// When a number may be there again: idle while the store is asked.
    var retryTiming: FlushTiming { isReserving ? .idle : .at(retry.time) }

    /// Begins to reserve a block when less than half of one is left; `nil` = not now.
    mutating func reserve(now: UInt64) -> StoreWork? {
        guard !numbers.isUnstored, !isReserving, numbers.needsBlock, now >= retry.time else { return nil }
        isReserving = true
        return work(limit: numbers.askForBlock())
    }

    /// The store has a block, or refused it.
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

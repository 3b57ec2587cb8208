// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import ListConfiguration
package import ListKit
internal import ListSupport
internal import Synchronization

/// A store in an SQLite file with a write-ahead log.
///
/// The database belongs to a serial queue. Changes that are submitted during a transaction share the next one. If that
/// transaction fails, each change is retried in a transaction of its own, so that only the changes that cannot be
/// stored fail.
package final class SQLiteStore: Store {
    private struct Job: Sendable {
        let change: StoreChange
        let durability: Durability
        let completion: @Sendable (Result<Void, ListError>) -> Void
    }

    /// The database and its state; accessed on `queue` only.
    final class Owned: @unchecked Sendable {
        // Owned by the store's serial queue.
        fileprivate var connection: StoreConnection?
        /// Whether rows of removed lists are being deleted.
        fileprivate var isSweeping = false
        /// The backup that is in progress.
        private(set) var backup: SQLiteBackup?
        /// Whether the file is going to be made smaller when no change was written for a while.
        fileprivate var isShrinking = false
        /// The number of groups of changes that were written.
        fileprivate var groups: UInt64 = 0

        init(_ connection: StoreConnection) { self.connection = connection }

        func begin(_ backup: SQLiteBackup) { self.backup = backup }
        func endBackup() { backup = nil }
    }

    package static let closed = ListError(.storeFailed, "the store is closed")
    /// The maximum number of changes in a transaction. More changes would not make a commit cheaper, but a failed
    /// commit more expensive.
    private static let largestGroup = 256

    let queue = DispatchQueue(label: "org.listd.store")
    let owned: Owned
    /// The path of the database.
    package let path: String
    package let failures = StoreFailures()
    private let waiting = Mutex<[Job]>([])

    package init(_ connection: consuming StoreConnection, path: String) {
        let hasRemains = connection.hasRemains
        owned = Owned(connection)
        self.path = path
        if hasRemains { queue.async { [self] in startSweeping() } }
    }

    package func write(
        _ change: StoreChange, durability: Durability,
        completion: @escaping @Sendable (Result<Void, ListError>) -> Void
    ) {
        let isFirst = waiting.withLock { jobs in
            jobs.append(Job(change: change, durability: durability, completion: completion))
            return jobs.count == 1
        }
        if isFirst { queue.async { [self] in writeWaiting() } }
    }

    package func close(completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            writeWaiting()
            // Closing the last connection moves the log into the file and syncs it.
            owned.endBackup()
            owned.connection?.end()
            owned.connection = nil
            completion()
        }
    }

    /// Writes all submitted changes, syncs them to the disk, and closes the store.
    package func close() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }

    /// Checks the database for damage (`PRAGMA integrity_check`), and whether its files are still at their paths.
    ///
    /// - Returns: the faults; empty if there are none.
    package func faults() async throws(ListError) -> [String] {
        try await onQueue { connection throws(SQLiteFailure) in try connection.faults() }
    }

    /// Forgets the losses, because an administrator knows them.
    package func acknowledgeLosses() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                owned.connection?.removeLosses()
                continuation.resume()
            }
        }
    }

    /// Returns the size of the database in bytes, without the log.
    package func byteCount() async throws(ListError) -> Int64 {
        try await onQueue { connection throws(SQLiteFailure) in
            let pages = try connection.database.number("PRAGMA page_count") ?? 0
            return pages * (try connection.database.number("PRAGMA page_size") ?? 0)
        }
    }

    /// Runs `body` with the database on the store's queue.
    ///
    /// - Throws: `storeFailed` when the store is closed, or `body` throws.
    func onQueue<Answer: Sendable>(
        _ body: @escaping @Sendable (StoreConnection) throws(SQLiteFailure) -> Answer
    ) async throws(ListError) -> Answer {
        let outcome: Result<Answer, ListError> = await withCheckedContinuation { continuation in
            queue.async { [self] in
                guard let connection = owned.connection else {
                    return continuation.resume(returning: .failure(Self.closed))
                }
                do throws(SQLiteFailure) {
                    continuation.resume(returning: .success(try body(connection)))
                } catch {
                    continuation.resume(returning: .failure(error.listError))
                }
            }
        }
        return try outcome.get()
    }

    // MARK: - On the queue

    private func writeWaiting() {
        while true {
            let jobs = waiting.withLock { Array($0.prefix(Self.largestGroup)) }
            if jobs.isEmpty { return startSweeping() }
            write(jobs)
            // Written changes are removed only now, so that changes that arrive meanwhile do not schedule this method
            // again.
            let isDone = waiting.withLock { waiting in
                waiting.removeFirst(jobs.count)
                return waiting.isEmpty
            }
            if isDone { return startSweeping() }
        }
    }

    private func write(_ jobs: [Job]) {
        guard let connection = owned.connection else { return answer(jobs, .failure(Self.closed)) }
        owned.groups += 1
        guard let shared = commit(jobs, to: connection) else { return answer(jobs, .success(())) }
        for job in jobs {
            let failure = jobs.count == 1 ? shared : commit([job], to: connection)
            answer([job], result(failure))
        }
    }

    /// Deletes the rows of removed lists in small parts. Other changes are written between the parts.
    private func startSweeping() {
        guard !owned.isSweeping else { return }
        guard owned.connection?.hasRemains == true else { return scheduleShrinking() }
        owned.isSweeping = true
        queue.async { [self] in sweep() }
    }

    private func sweep() {
        owned.isSweeping = owned.connection?.sweep() ?? false
        if owned.isSweeping { queue.async { [self] in sweep() } } else { scheduleShrinking() }
    }

    /// The time without a change after which unused pages are given back.
    private static let idleTime = DispatchTimeInterval.seconds(1)

    /// Gives unused pages back when no change was written for a while. Other changes are written between the parts.
    private func scheduleShrinking() {
        guard !owned.isShrinking, owned.connection?.isLoose == true else { return }
        owned.isShrinking = true
        let groups = owned.groups
        queue.asyncAfter(deadline: .now() + Self.idleTime) { [weak self] in self?.shrink(unlessAfter: groups) }
    }

    private func shrink(unlessAfter groups: UInt64) {
        let isMore = owned.groups == groups && owned.connection?.shrink() == true
        if isMore { return queue.async { [self] in shrink(unlessAfter: groups) } }
        owned.isShrinking = false
        if owned.groups != groups { scheduleShrinking() }
    }

    private func commit(_ jobs: [Job], to connection: StoreConnection) -> SQLiteFailure? {
        connection.commit(jobs.map(\.change), isSynced: jobs.contains { $0.durability == .fsync })
    }

    private func result(_ failure: SQLiteFailure?) -> Result<Void, ListError> {
        failure.map { .failure(StoreAccess.error(for: $0, at: path)) } ?? .success(())
    }

    private func answer(_ jobs: [Job], _ result: Result<Void, ListError>) {
        for job in jobs { job.completion(result) }
    }
}

/// The lines for the log about changes that a store refuses. The first refusal of a period has one; the others are
/// counted.
///
/// A full disk makes every writer fail, and retry. The lines of all of them would hide the one that says why.
package final class StoreFailures: Sendable {
    /// A time in which the store refuses changes.
    fileprivate struct Period {
        var reason: String
        /// The number of refusals that are not logged yet.
        var refused = 0
        /// The lists whose changes were refused and are not logged yet.
        var lists: Set<String> = []
        var lastRefusal: ContinuousClock.Instant
        var lastLine: ContinuousClock.Instant
    }

    /// The time between two lines about a store that goes on refusing changes.
    static let interval = Duration.seconds(60)
    /// The time without a refusal after which the store counts as working again.
    static let calm = Duration.seconds(10)

    private let period = Mutex<Period?>(nil)
    private let hasPeriod = Atomic(false)

    /// Makes the record of one store.
    package init() {}

    /// Records that a change of a list was refused. Returns the line for the log; nil if the refusal is only counted.
    func recordRefusal(_ error: ListError, of list: String, at now: ContinuousClock.Instant = .now) -> String? {
        hasPeriod.store(true, ordering: .relaxed)
        return period.withLock { period -> String? in
            guard var present = period, present.reason == error.reason else {
                period = Period(reason: error.reason, lastRefusal: now, lastLine: now)
                return
                    "list \(list.quoted) could not be stored: \(error.reason); its writer got StoreFailed, and nothing "
                    + "changed. Further refusals are counted"
            }
            present.lastRefusal = now
            present.refused += 1
            if present.lists.count < 1000 { present.lists.insert(list) }
            defer { period = present }
            guard present.lastLine.duration(to: now) >= Self.interval else { return nil }
            present.lastLine = now
            let line = "the store still refuses changes: \(present.countText) since the last line: \(present.reason)"
            (present.refused, present.lists) = (0, [])
            return line
        }
    }

    /// Records that a change was stored. Returns the line for the log when the store has recovered. Costs next to nothing
    /// unless changes were refused before.
    func recordSuccess(at now: ContinuousClock.Instant = .now) -> String? {
        guard hasPeriod.load(ordering: .relaxed) else { return nil }
        let ended = period.withLock { period -> Period? in
            guard let present = period, present.lastRefusal.duration(to: now) >= Self.calm else { return nil }
            period = nil
            return present
        }
        guard let ended else { return nil }
        hasPeriod.store(false, ordering: .relaxed)
        let further = ended.refused == 0 ? "" : ", after it had refused \(ended.countText)"
        return "the store accepts changes again\(further)"
    }
}

extension StoreFailures {
    /// The most lists that a line names.
    fileprivate static let mostNames = 5
}

extension StoreFailures.Period {
    /// The number of refusals, and the lists of which they were.
    fileprivate var countText: String {
        let names = lists.sorted().prefix(StoreFailures.mostNames).map(\.quoted).joined(separator: ", ")
        let more = lists.count > StoreFailures.mostNames ? " and \(lists.count - StoreFailures.mostNames) others" : ""
        return "\(refused) further change\(refused == 1 ? "" : "s") of \(names)\(more)"
    }
}

extension SQLiteStore {
    /// Moves the files of a closed store into a directory that has no store. If it is interrupted, the next call
    /// continues.
    ///
    /// - Returns: whether there was a store to move.
    /// - Throws: `storeFailed`; the files that are not moved yet stay where they are.
    package static func move(from old: String, to new: String) throws(ListError) -> Bool {
        guard StoreFiles.state("\(old)/\(fileName)") != nil, StoreFiles.state("\(new)/\(fileName)") == nil
        else { return false }
        try StoreOpening.makeDirectory(new)
        let names = StoreFiles.names(in: old).filter { $0.hasPrefix(fileName) || $0 == "store.mark" }
        // The database is moved last: as long as it is in the old directory, the move is not complete.
        for name in names.filter({ $0 != fileName }) + [fileName] {
            guard unsafe rename("\(old)/\(name)", "\(new)/\(name)") == 0 else {
                throw ListError(
                    .storeFailed, "\(old)/\(name) cannot be moved to \(new)", cause: SystemError.text(errno))
            }
        }
        return true
    }
}

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

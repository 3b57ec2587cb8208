// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import ListConfiguration
package import ListKit
internal import Synchronization

/// A store in an SQLite file with a write-ahead log.
///
/// The database belongs to a serial queue. What is handed over while a transaction runs waits and shares the next one; if
/// that fails, each change is tried alone, so that one which does not fit does not take others with it.
package final class SQLiteStore: Store {
    private struct Job: Sendable {
        let change: StoreChange
        let durability: Durability
        let completion: @Sendable (Result<Void, ListError>) -> Void
    }

    /// The database; touched on `queue` only.
    package final class Owned: @unchecked Sendable {
        // Owned by the store's serial queue.
        var connection: StoreConnection?
        /// Whether what removed lists have left is being deleted.
        var isSweeping = false
        /// The copy that is being made.
        var backup: SQLiteBackup?

        init(_ connection: StoreConnection) { self.connection = connection }
    }

    package static let closed = ListError(.storeFailed, "the store is closed")
    /// More do not make a commit cheaper, and a failed one dearer.
    private static let largestGroup = 256

    package let queue = DispatchQueue(label: "org.listd.store")
    package let owned: Owned
    /// The file.
    package let path: String
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
            owned.backup = nil
            owned.connection?.end()
            owned.connection = nil
            completion()
        }
    }

    /// Completes when everything that was handed over before is done and safe on the disk; the store is closed then.
    package func close() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }

    /// Looks for damage (`PRAGMA integrity_check`), and whether the file is where it was opened; answers what is wrong,
    /// nothing if all is well.
    package func check() async throws(ListError) -> [String] {
        try await onQueue { connection throws(SQLiteFailure) in try connection.faults() }
    }

    /// How large the database is, without what waits in the log.
    package func byteCount() async throws(ListError) -> Int64 {
        try await onQueue { connection throws(SQLiteFailure) in
            let pages = try connection.database.number("PRAGMA page_count") ?? 0
            return pages * (try connection.database.number("PRAGMA page_size") ?? 0)
        }
    }

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
            // They stay in line until they are done, so that nobody else starts a turn for what comes meanwhile.
            let isDone = waiting.withLock { waiting in
                waiting.removeFirst(jobs.count)
                return waiting.isEmpty
            }
            if isDone { return startSweeping() }
        }
    }

    private func write(_ jobs: [Job]) {
        guard let connection = owned.connection else { return answer(jobs, .failure(Self.closed)) }
        guard let shared = commit(jobs, to: connection) else { return answer(jobs, .success(())) }
        for job in jobs {
            let failure = jobs.count == 1 ? shared : commit([job], to: connection)
            answer([job], Self.result(failure))
        }
    }

    /// Deletes what removed lists have left, part by part, so that nobody waits for all of it.
    private func startSweeping() {
        guard !owned.isSweeping, owned.connection?.hasRemains == true else { return }
        owned.isSweeping = true
        queue.async { [self] in sweep() }
    }

    private func sweep() {
        owned.isSweeping = owned.connection?.sweep() ?? false
        if owned.isSweeping { queue.async { [self] in sweep() } }
    }

    private func commit(_ jobs: [Job], to connection: StoreConnection) -> SQLiteFailure? {
        connection.commit(jobs.map(\.change), isSynced: jobs.contains { $0.durability == .fsync })
    }

    private static func result(_ failure: SQLiteFailure?) -> Result<Void, ListError> {
        failure.map { .failure($0.listError) } ?? .success(())
    }

    private func answer(_ jobs: [Job], _ result: Result<Void, ListError>) {
        for job in jobs { job.completion(result) }
    }
}

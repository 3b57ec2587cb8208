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
    private final class Owned: @unchecked Sendable {
        // Owned by the store's serial queue.
        fileprivate var connection: StoreConnection?
        /// Whether rows of removed lists are being deleted.
        fileprivate var isSweeping = false
        /// The backup that is in progress.
        fileprivate var backup: SQLiteBackup?

        init(_ connection: StoreConnection) { self.connection = connection }
    }

    package static let closed = ListError(.storeFailed, "the store is closed")
    /// The maximum number of changes in a transaction. More changes would not make a commit cheaper, but a failed
    /// commit more expensive.
    private static let largestGroup = 256

    private let queue = DispatchQueue(label: "org.listd.store")
    private let owned: Owned
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
            owned.backup = nil
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
        guard let shared = commit(jobs, to: connection) else { return answer(jobs, .success(())) }
        for job in jobs {
            let failure = jobs.count == 1 ? shared : commit([job], to: connection)
            answer([job], result(failure))
        }
    }

    /// Deletes the rows of removed lists in small parts. Other changes are written between the parts.
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

    private func result(_ failure: SQLiteFailure?) -> Result<Void, ListError> {
        failure.map { .failure(StoreAccess.error(for: $0, at: path)) } ?? .success(())
    }

    private func answer(_ jobs: [Job], _ result: Result<Void, ListError>) {
        for job in jobs { job.completion(result) }
    }
}

// MARK: - Backups

extension SQLiteStore {
    /// The number of pages that one step of a backup copies. Between two steps, the store writes changes.
    private static let pagesAtOnce: Int32 = 512

    /// The prefix of the names of temporary copies in the state directory.
    private static let temporaryName = fileName + ".backup-"

    /// Removes the unfinished backups of a process that was killed.
    static func removeUnfinishedBackups(in directory: String) {
        for name in StoreFiles.names(in: directory) where name.hasPrefix(temporaryName) {
            unsafe unlink(directory + "/" + name)
        }
    }

    /// Writes a backup of the whole store to an open file, which is truncated first.
    ///
    /// A temporary copy is made in the state directory, because SQLite's online backup needs a path. Its contents are
    /// then written to the open file.
    ///
    /// - Throws: `invalidArguments` if the descriptor is not a regular file or not open for writing; `storeFailed` if
    ///   the copy cannot be made, or another backup is in progress.
    package func backUp(toDescriptor descriptor: Int32) async throws(ListError) {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw ListError(.invalidArguments, "file: the descriptor is not a regular file")
        }
        let mode = fcntl(descriptor, F_GETFL) & O_ACCMODE
        guard mode == O_WRONLY || mode == O_RDWR else {
            throw ListError(.invalidArguments, "file: the descriptor is not open for writing")
        }
        let copy = "\(StoreFiles.directory(of: path))/\(Self.temporaryName)\(UInt64.random(in: 0...(.max)))"
        do throws(ListError) {
            try await backUp(to: copy)
        } catch {
            unsafe unlink(copy)
            throw error
        }
        let failure: ListError? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                defer { unsafe unlink(copy) }
                continuation.resume(returning: Self.writeBackup(copy, to: descriptor))
            }
        }
        if let failure { throw failure }
    }

    /// Writes a temporary copy to the open file; returns the error if that fails.
    private static func writeBackup(_ copy: String, to descriptor: Int32) -> ListError? {
        let file = unsafe Glibc.open(copy, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            return ListError(
                .storeFailed, "the temporary backup \(copy) cannot be read", cause: SystemError.text(errno))
        }
        defer { Glibc.close(file) }
        guard lseek(descriptor, 0, SEEK_SET) == 0, ftruncate(descriptor, 0) == 0, FileCopy.send(file, to: descriptor),
            fsync(descriptor) == 0
        else {
            return ListError(
                .storeFailed, "file: the backup cannot be written to this file", cause: SystemError.text(errno))
        }
        return nil
    }

    /// Makes a copy of the whole store at a path (SQLite's online backup), including changes that are written
    /// meanwhile.
    ///
    /// The lists in the copy have no epochs. The store that opens the copy gives them new ones, since clients may know
    /// revisions that are later than the copy.
    package func backUp(to path: String) async throws(ListError) {
        try await onQueue { [owned] connection throws(SQLiteFailure) in
            guard owned.backup == nil else { throw SQLiteFailure(code: 5, message: "another backup is in progress") }
            owned.backup = try SQLiteBackup(of: connection.database, to: try SQLiteDatabase(path: path))
        }
        while try await !copySomePages(to: path) {}
    }

    /// Copies the next pages of the backup in progress; returns `true` when all pages are copied.
    private func copySomePages(to path: String) async throws(ListError) -> Bool {
        try await onQueue { [owned] _ throws(SQLiteFailure) in
            guard let backup = owned.backup else {
                throw SQLiteFailure(code: 4, message: "the backup was cancelled, as the store was closed")
            }
            do throws(SQLiteFailure) {
                let isDone = try backup.step(pages: Self.pagesAtOnce)
                if isDone {
                    owned.backup = nil
                    try SQLiteDatabase(path: path).execute("UPDATE adapter SET epoch = ''")
                }
                return isDone
            } catch {
                owned.backup = nil
                throw error
            }
        }
    }
}

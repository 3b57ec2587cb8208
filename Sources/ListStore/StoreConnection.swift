// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// The open database of a store, with the transactions that change it. It belongs to the store's queue.
package final class StoreConnection {
    let database: SQLiteDatabase
    private var writer: StoreWriter
    private let files: StoreFiles
    private let room: StoreRoom
    private let run: StoreRun
    private let pageSize: Int64
    /// Whether rows of removed lists may be left.
    private(set) var hasRemains: Bool
    /// Whether the rows of removed lists cannot be deleted at present, most likely because the disk is full.
    private var isStuck = false
    /// Whether the whole log is already moved into the database file.
    private var isCheckpointed = false
    /// Whether the start of this run is recorded in the file.
    private var runHasBegun = false
    /// Whether a commit waits until it is synced to the disk (`PRAGMA synchronous`).
    private var syncs = false
    private let report: @Sendable (StoreLoss) -> Void
    /// The loss that was reported last; nil after the files were found in order again.
    private var reported: StoreLoss?

    /// The number of frames at which the log is moved into the database file (SQLite's own default).
    private static let longLog = 1000

    /// Creates the connection of a database whose lists were read. Records the start of the run now, or, on a full
    /// disk, with the first transaction that succeeds.
    ///
    /// - Parameters:
    ///   - number: the number of the database's last change.
    ///   - report: called when a file was lost or truncated. The same loss is reported again only after the files were
    ///     found in order.
    init(
        _ database: SQLiteDatabase, path: String, run: StoreRun, mark: StoreMarkFile, number: Int64,
        report: @escaping @Sendable (StoreLoss) -> Void
    ) {
        self.database = database
        self.run = run
        pageSize = (try? database.number("PRAGMA page_size")) ?? 0
        self.report = report
        files = StoreFiles(path: path, mark: mark)
        let removed = try? database.number("SELECT count(*) FROM adapter WHERE removed = 1")
        hasRemains = removed != 0
        room = StoreRoom(path: path, database: database)
        writer = StoreWriter(database: database, number: number)
        database.setKeepsLog(false)
        database.countLogFrames()
        _ = commitOnce([], isSynced: true)
        room.allocateReserve()
    }

    /// Throws if the files were moved or truncated, as the next process would not find what is written now.
    private func checkFiles() throws(SQLiteFailure) {
        guard let loss = files.loss() else { return reported = nil }
        if reported != loss { report(loss) }
        reported = loss
        throw .access("\(loss.file) \(loss.reason)")
    }

    /// Checks the files and their contents. Returns the faults; empty if there are none.
    func faults() throws(SQLiteFailure) -> [String] {
        var faults: [String] = []
        if let loss = files.loss() {
            let consequence = loss.lost == nil ? "cannot read" : "will not find"
            faults.append("\(loss.file) \(loss.reason); the next start \(consequence) the stored lists")
        }
        let rows = try database.statement("PRAGMA integrity_check")
        while try database.step(rows) { if let text = rows.text(0), text != "ok" { faults.append(text) } }
        return faults
    }

    /// Writes changes in one transaction. If one change fails, none is written.
    ///
    /// On a full disk, the transaction is retried after a checkpoint and the deletion of removed lists. If the disk is
    /// still full, a transaction of removals is retried once more after the reserve file has released its disk space.
    func commit(_ changes: [StoreChange], isSynced: Bool) -> SQLiteFailure? {
        var failure = commitOnce(changes, isSynced: isSynced)
        guard failure?.isFull == true else { return failure }
        checkpoint()
        sweepAll()
        failure = commitOnce(changes, isSynced: isSynced)
        if failure?.isFull == true, changes.allSatisfy(\.isRemoval), room.hasReserve {
            room.releaseReserve()
            failure = commitOnce(changes, isSynced: isSynced)
        }
        if failure == nil, changes.contains(where: \.isRemoval) { sweepAll() }
        room.allocateReserve()
        return failure
    }

    private func commitOnce(_ changes: [StoreChange], isSynced: Bool) -> SQLiteFailure? {
        let failure = transact(isSynced: isSynced) { (writer) throws(SQLiteFailure) in
            for change in changes { try writer.apply(change) }
        }
        if failure == nil, changes.contains(where: \.mayLeaveRows) { hasRemains = true }
        return failure
    }

    /// Forgets all losses. If they cannot be removed from the file, the next start has them again.
    func removeLosses() {
        _ = transact(isSynced: true) { (writer) throws(SQLiteFailure) in try writer.removeLosses() }
    }

    // MARK: Unused pages

    /// The number of unused pages that are left for the next changes.
    private static let sparePages: Int64 = 64

    /// Whether so many pages are unused that the file should become smaller.
    var isLoose: Bool {
        guard !hasRemains, let unused = try? database.number("PRAGMA freelist_count") else { return false }
        return unused > 2 * Self.sparePages
    }

    /// Gives up to 256 unused pages back to the file system. Returns whether more are left.
    func shrink() -> Bool {
        guard isLoose, let unused = try? database.number("PRAGMA freelist_count") else { return false }
        let count = min(256, unused - Self.sparePages)
        let failure = transact(isSynced: false) { (writer) throws(SQLiteFailure) in
            try writer.database.run("PRAGMA incremental_vacuum(\(count))")
        }
        guard failure == nil, let left = try? database.number("PRAGMA freelist_count"), left < unused else {
            return false
        }
        if left > 2 * Self.sparePages { return true }
        // Only a checkpoint makes the file smaller.
        checkpoint()
        return false
    }

    // MARK: Removed lists

    /// Deletes a part of the rows of removed lists. Returns false when no such rows are left, or when they cannot be
    /// deleted at present.
    func sweep() -> Bool {
        guard hasRemains else { return false }
        if let failure = sweep(.large) {
            guard failure.isFull else { return false }
            sweepAll()
        }
        return hasRemains && !isStuck
    }

    /// Deletes all rows of removed lists on a full disk. Needs no disk space beyond that of the log.
    private func sweepAll() {
        var size = StoreWriter.SweepSize.large
        while hasRemains {
            guard let failure = sweep(size) else { continue }
            isStuck = !failure.isFull
            if isStuck { return }
            checkpoint()
            guard let failure = sweep(size) else { continue }
            guard failure.isFull, let smaller = size.smaller else { return isStuck = true }
            size = smaller
        }
    }

    private func sweep(_ size: StoreWriter.SweepSize) -> SQLiteFailure? {
        var isDone = false
        let failure = transact(isSynced: false) { (writer) throws(SQLiteFailure) in
            isDone = try !writer.sweep(size)
        }
        guard failure == nil else { return failure }
        isStuck = false
        if isDone { hasRemains = false }
        return nil
    }

    /// Records that the run has ended in order. Closing the connection then moves the log into the database file.
    func end() {
        if let loss = files.loss() {
            // A log that was removed or renamed is still open, so closing the connection can move it into the database.
            database.setKeepsLog(!loss.leavesDatabase)
            guard loss.leavesDatabase else { return }
        } else {
            _ = transact(isSynced: true) { (writer) throws(SQLiteFailure) in try writer.recordEndOfRun() }
        }
        files.recordEndOfLog()
        // Closing removes the log. If the disk was too full for the reserve, the reserve gets the space of the log.
        if !room.hasReserve, (try? database.checkpoint(truncates: true)) != nil { room.allocateReserve() }
    }

    private func recordCommit(of lists: [WrittenList]) {
        files.record(lists, written: writer.commit(), frames: database.logFrames, isSynced: syncs)
        isCheckpointed = false
        if database.logFrames >= Self.longLog { checkpoint() }
    }

    /// Moves the log into the database file, so that the next transaction restarts the log in its present space. If
    /// that fails, a later checkpoint moves the frames.
    private func checkpoint() {
        guard !isCheckpointed else { return }
        isCheckpointed = (try? database.checkpoint()) != nil
        room.recordTruncation()
        files.recordTruncation()
    }

    private func transact(
        isSynced: Bool, _ body: (inout StoreWriter) throws(SQLiteFailure) -> Void
    ) -> SQLiteFailure? {
        var isCommitting = false
        do throws(SQLiteFailure) {
            try checkFiles()
            // The first transaction is synced: otherwise a power cut could lose acknowledged changes together with the
            // record of the run, so that the next run would not notice.
            try setSyncing(isSynced || !runHasBegun)
            try database.run("BEGIN IMMEDIATE")
            if !runHasBegun { try writer.recordBegin(of: run) }
            try body(&writer)
            let lists = try writer.finish()
            // Reserves the space in the database file, so that a later checkpoint does not fail on a full disk.
            try room.reserve(upTo: pageSize * (try database.number("PRAGMA page_count") ?? 0))
            isCommitting = true
            try database.run("COMMIT")
            runHasBegun = true
            recordCommit(of: lists)
            return nil
        } catch {
            // An error of ROLLBACK is ignored, as SQLite rolls back by itself after some failures.
            try? database.execute("ROLLBACK")
            writer.rollBack()
            if isCommitting { overwriteFailedCommit() }
            return error
        }
    }

    /// Overwrites a transaction in the log whose commit has failed.
    ///
    /// If the log was written and only its sync failed, the log contains the complete transaction. The next process
    /// that opens the file after a crash would apply it, although it was reported as failed. So a synced transaction
    /// without changes overwrites it. Then the failed transaction cannot reappear when the process ends, nor, if this
    /// sync succeeds, when the machine crashes.
    private func overwriteFailedCommit() {
        try? setSyncing(true)
        // Writes the first page unchanged.
        try? database.execute("PRAGMA user_version = \(StoreSchema.version)")
    }

    private func setSyncing(_ syncs: Bool) throws(SQLiteFailure) {
        guard syncs != self.syncs else { return }
        try database.execute(syncs ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        self.syncs = syncs
    }
}

extension StoreChange {
    /// Whether the change removes a list.
    fileprivate var isRemoval: Bool { if case .remove = self { true } else { false } }

    /// Whether the change may remove a list, whose rows are left then.
    fileprivate var mayLeaveRows: Bool {
        switch self {
        case .create, .createFilled, .remove, .rename: true
        case .options, .cursor, .update: false
        }
    }
}

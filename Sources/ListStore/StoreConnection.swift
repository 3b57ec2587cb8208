// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// The open database of a store, and what goes into it; belongs to the store's queue.
package final class StoreConnection {
    let database: SQLiteDatabase
    private var writer: StoreWriter
    private let files: StoreFiles
    private let room: StoreRoom
    private let run: StoreRun
    private let pageSize: Int64
    private var listCount: Int
    /// Whether something may be left of removed lists.
    private(set) var hasRemains: Bool
    /// Whether there is no room to delete it.
    private var isStuck = false
    private var written = Written()
    private let report: @Sendable (StoreLoss) -> Void
    /// The faults of the files that were reported, until the files are in order.
    private var reported: StoreLoss?
    /// How the files are, and how the database is written.
    private struct Written {
        /// Whether everything that is in the log is in the file already.
        var isLogMoved = false
        /// Whether the file says that this run has begun.
        var runHasBegun = false
        /// Whether a commit waits for the disk (`PRAGMA synchronous`).
        var syncs = false
    }

    /// The number of frames at which the log is moved into the file (SQLite's own limit).
    private static let longLog = 1000

    /// Takes over a database whose lists were read; the record of this run is written as soon as the disk has room.
    ///
    /// - Parameter report: called once when something has happened to the files, and again only after they were in
    ///   order.
    init(
        _ database: SQLiteDatabase, path: String, run: StoreRun, listCount: Int,
        report: @escaping @Sendable (StoreLoss) -> Void
    ) {
        self.database = database
        self.run = run
        self.listCount = listCount
        pageSize = (try? database.number("PRAGMA page_size")) ?? 0
        self.report = report
        files = StoreFiles(path: path, boot: run.boot)
        let removed = try? database.number("SELECT count(*) FROM adapter WHERE removed = 1")
        hasRemains = removed != 0
        room = StoreRoom(path: path, database: database)
        writer = StoreWriter(database: database)
        database.keepLog(false)
        database.countLogFrames()
        _ = attempt([], isSynced: true)
        room.keepReserve()
    }

    /// Refuses when the files were moved or truncated: the next process that opens them would not find the write.
    private func checkFiles() throws(SQLiteFailure) {
        guard let loss = files.loss() else { return reported = nil }
        if reported != loss { report(loss) }
        reported = loss
        // SQLITE_CANTOPEN
        throw SQLiteFailure(code: 14, message: "\(loss.file) \(loss.reason)")
    }

    /// Checks the files and their contents; returns the faults, none if all is well.
    func faults() throws(SQLiteFailure) -> [String] {
        var faults: [String] = []
        if let loss = files.loss() {
            faults.append("\(loss.file) \(loss.reason): the next start will not find what is stored")
        }
        let rows = try database.statement("PRAGMA integrity_check")
        while try database.step(rows) { if let text = rows.text(0), text != "ok" { faults.append(text) } }
        return faults
    }

    /// Writes changes in one transaction; if one fails, none of them is written.
    ///
    /// On a full disk a transaction may use the room of the log and of removed lists, and a removal also uses the
    /// reserve.
    func commit(_ changes: [StoreChange], isSynced: Bool) -> SQLiteFailure? {
        var failure = attempt(changes, isSynced: isSynced)
        guard failure?.isFull == true else { return failure }
        moveLog()
        sweepAll()
        failure = attempt(changes, isSynced: isSynced)
        if failure?.isFull == true, changes.allSatisfy(\.isRemoval), room.hasReserve {
            room.releaseReserve()
            failure = attempt(changes, isSynced: isSynced)
        }
        if failure == nil, changes.contains(where: \.isRemoval) { sweepAll() }
        room.keepReserve()
        return failure
    }

    private func attempt(_ changes: [StoreChange], isSynced: Bool) -> SQLiteFailure? {
        let failure = transact(isSynced: isSynced) { (writer) throws(SQLiteFailure) in
            for change in changes { try writer.apply(change) }
        }
        if failure == nil { finish(changes, isSynced: written.syncs) }
        return failure
    }

    // MARK: Removed lists

    /// Deletes a part of what is left of removed lists; false when there is no more, or it has to wait.
    func sweep() -> Bool {
        guard hasRemains else { return false }
        if let failure = sweep(.large) {
            guard failure.isFull else { return false }
            sweepAll()
        }
        return hasRemains && !isStuck
    }

    /// Deletes all that is left, in the room that the log has.
    private func sweepAll() {
        var part = StoreWriter.Part.large
        while hasRemains {
            guard let failure = sweep(part) else { continue }
            isStuck = !failure.isFull
            if isStuck { return }
            moveLog()
            guard let failure = sweep(part) else { continue }
            guard failure.isFull, let smaller = part.smaller else { return isStuck = true }
            part = smaller
        }
    }

    private func sweep(_ part: StoreWriter.Part) -> SQLiteFailure? {
        var isDone = false
        let failure = transact(isSynced: false) { (writer) throws(SQLiteFailure) in
            isDone = try !writer.sweep(part)
        }
        guard failure == nil else { return failure }
        isStuck = false
        if isDone { hasRemains = false }
        finish([], isSynced: false)
        return nil
    }

    /// Writes that the run ended well; the connection is to be closed then, which moves the log into the file.
    func end() {
        if let loss = files.loss() {
            // A log that was taken away is still open: what is in it goes into the file all the same.
            database.keepLog(!loss.leavesDatabase)
            guard loss.leavesDatabase else { return }
        } else {
            _ = transact(isSynced: true) { (writer) throws(SQLiteFailure) in try writer.end() }
        }
        files.recordEndOfLog()
        // The log goes with the connection, and its room may be all that there is.
        if !room.hasReserve, (try? database.checkpoint(truncates: true)) != nil { room.keepReserve() }
    }

    private func finish(_ changes: [StoreChange], isSynced: Bool) {
        if changes.contains(where: \.changesListCount) {
            hasRemains = true
            if let count = try? database.number("SELECT count(*) FROM adapter WHERE removed = 0") {
                listCount = Int(count)
            }
        }
        files.record(frames: database.logFrames, lists: listCount, isSynced: isSynced)
        written.isLogMoved = false
        if database.logFrames >= Self.longLog { moveLog() }
    }

    /// Moves the log into the database, so that it is restarted in its present room; frames that cannot be moved now
    /// are moved later.
    private func moveLog() {
        guard !written.isLogMoved else { return }
        written.isLogMoved = (try? database.checkpoint()) != nil
        room.databaseWasCut()
    }

    private func transact(
        isSynced: Bool, _ body: (inout StoreWriter) throws(SQLiteFailure) -> Void
    ) -> SQLiteFailure? {
        var isCommitting = false
        do throws(SQLiteFailure) {
            try checkFiles()
            // A power cut before the file records the run must not lose a change that the run has answered.
            try setSyncing(isSynced || !written.runHasBegun)
            try database.run("BEGIN IMMEDIATE")
            if !written.runHasBegun { try writer.begin(run) }
            try body(&writer)
            // The process that moves the log into the file must not find the disk full.
            try room.reserve(upTo: pageSize * (try database.number("PRAGMA page_count") ?? 0))
            isCommitting = true
            try database.run("COMMIT")
            written.runHasBegun = true
            return nil
        } catch {
            // SQLite has rolled back by itself after some failures.
            try? database.execute("ROLLBACK")
            writer.rolledBack()
            if isCommitting { withdraw() }
            return error
        }
    }

    /// Takes a transaction out of the log after its commit failed.
    ///
    /// When the log was written and only its sync failed, the transaction is in the log with its commit mark, and the
    /// next process that opens the file after a crash would find it. So another transaction is written over it: it
    /// changes nothing and is synced. Then the refused transaction cannot come back, neither when the process ends nor,
    /// if this sync succeeds, when the machine crashes.
    private func withdraw() {
        try? setSyncing(true)
        // Writes the first page unchanged.
        try? database.execute("PRAGMA user_version = \(StoreSchema.version)")
    }

    private func setSyncing(_ syncs: Bool) throws(SQLiteFailure) {
        guard syncs != written.syncs else { return }
        try database.execute(syncs ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        written.syncs = syncs
    }
}

extension StoreChange {
    /// Whether the change removes a list.
    fileprivate var isRemoval: Bool { if case .remove = self { true } else { false } }

    /// Whether the change adds or removes lists.
    fileprivate var changesListCount: Bool {
        switch self {
        case .create, .createFilled, .remove, .rename: true
        case .options, .cursor, .update, .reserve, .settle: false
        }
    }
}

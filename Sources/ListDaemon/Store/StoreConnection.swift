internal import ListKit

/// The open database of a store, and what goes into it; belongs to the store's queue.
final class StoreConnection {
    let database: SQLiteDatabase
    private var writer: StoreWriter
    private let files: StoreFiles
    private let run: StoreRun
    private var listCount: Int
    private let report: @Sendable (StoreLoss) -> Void
    /// What was reported of the files, until they are as they should be.
    private var reported: StoreLoss?
    /// Whether the file says that this run has begun.
    private var hasBegun = false
    /// Whether a commit waits for the disk (`PRAGMA synchronous`).
    private var syncs = false
    /// So many frames make the log long enough to be moved into the file (SQLite's own limit).
    private static let longLog = 1000

    /// Takes over a database whose lists were read; what the run begins with is written as soon as the disk takes it.
    ///
    /// - Parameter report: called when something has happened to the files, once until they are as they were.
    init(
        _ database: SQLiteDatabase, path: String, run: StoreRun, listCount: Int,
        report: @escaping @Sendable (StoreLoss) -> Void
    ) {
        self.database = database
        self.run = run
        self.listCount = listCount
        self.report = report
        files = StoreFiles(path: path, boot: run.boot)
        writer = StoreWriter(database: database)
        database.keepLog(false)
        database.countLogFrames()
        _ = commit([], isSynced: true)
    }

    /// Refuses when the files are not where they were opened, or are cut: whoever opens them next does not find what is written.
    private func checkFiles() throws(SQLiteFailure) {
        guard let loss = files.loss() else { return reported = nil }
        if reported != loss { report(loss) }
        reported = loss
        // SQLITE_CANTOPEN
        throw SQLiteFailure(code: 14, message: "\(loss.file) \(loss.reason)")
    }

    /// What is wrong with the files and what is in them; nothing if all is well.
    func faults() throws(SQLiteFailure) -> [String] {
        var faults: [String] = []
        if let loss = files.loss() {
            faults.append("\(loss.file) \(loss.reason): the next start will not find what is stored")
        }
        let rows = try database.statement("PRAGMA integrity_check")
        while try database.step(rows) { if let text = rows.text(0), text != "ok" { faults.append(text) } }
        return faults
    }

    /// Writes changes in one transaction; with a failure, nothing of them.
    func commit(_ changes: [StoreChange], isSynced: Bool) -> SQLiteFailure? {
        let failure = transact(isSynced: isSynced) { (writer) throws(SQLiteFailure) in
            for change in changes { try writer.apply(change) }
        }
        if failure == nil { finish(changes, isSynced: syncs) }
        return failure
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
    }

    private func finish(_ changes: [StoreChange], isSynced: Bool) {
        if changes.contains(where: \.changesListCount),
            let count = try? database.number("SELECT count(*) FROM adapter")
        {
            listCount = Int(count)
        }
        files.record(frames: database.logFrames, lists: listCount, isSynced: isSynced)
        // What is not moved now is moved later.
        if database.logFrames >= Self.longLog { try? database.checkpoint() }
    }

    private func transact(
        isSynced: Bool, _ body: (inout StoreWriter) throws(SQLiteFailure) -> Void
    ) -> SQLiteFailure? {
        var isCommitting = false
        do throws(SQLiteFailure) {
            try checkFiles()
            // Until the file says that there is a run, a power cut must not take away what the run has answered.
            try setSyncing(isSynced || !hasBegun)
            try database.run("BEGIN IMMEDIATE")
            if !hasBegun { try writer.begin(run) }
            try body(&writer)
            isCommitting = true
            try database.run("COMMIT")
            hasBegun = true
            return nil
        } catch {
            // SQLite has rolled back by itself after some failures.
            try? database.execute("ROLLBACK")
            writer.rolledBack()
            if isCommitting { withdraw() }
            return error
        }
    }

    /// Takes a transaction out of the log whose commit failed.
    ///
    /// When the log was written and only its sync failed, the transaction lies there with its mark, and whoever opens the
    /// file after a crash would find it. The next transaction is written over it: one that changes nothing, synced, so that
    /// neither the end of the process nor, if the disk takes the sync now, of the machine brings back what was refused.
    private func withdraw() {
        try? setSyncing(true)
        // Writes the first page, although it stays as it is.
        try? database.execute("PRAGMA user_version = \(StoreSchema.version)")
    }

    private func setSyncing(_ syncs: Bool) throws(SQLiteFailure) {
        guard syncs != self.syncs else { return }
        try database.execute(syncs ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        self.syncs = syncs
    }
}

extension StoreChange {
    /// Whether lists come or go by it.
    fileprivate var changesListCount: Bool {
        switch self {
        case .create, .createFilled, .remove: true
        case .options, .update: false
        }
    }
}

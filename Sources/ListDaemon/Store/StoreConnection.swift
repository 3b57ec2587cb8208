internal import ListKit

/// The open database of a store, and what goes into it; belongs to the store's queue.
final class StoreConnection {
    let database: SQLiteDatabase
    private var writer: StoreWriter
    private let run: StoreRun
    /// Whether the file says that this run has begun.
    private var hasBegun = false
    /// Whether a commit waits for the disk (`PRAGMA synchronous`).
    private var syncs = false

    /// Takes over a database whose lists were read; what the run begins with is written as soon as the disk takes it.
    init(_ database: SQLiteDatabase, run: StoreRun) {
        self.database = database
        self.run = run
        writer = StoreWriter(database: database)
        _ = commit([], isSynced: true)
    }

    /// Writes changes in one transaction; with a failure, nothing of them.
    func commit(_ changes: [StoreChange], isSynced: Bool) -> SQLiteFailure? {
        transact(isSynced: isSynced) { (writer) throws(SQLiteFailure) in
            for change in changes { try writer.apply(change) }
        }
    }

    /// Writes that the run ended well: everything that it answered is in the file.
    func end() {
        _ = transact(isSynced: true) { (writer) throws(SQLiteFailure) in try writer.end() }
    }

    private func transact(
        isSynced: Bool, _ body: (inout StoreWriter) throws(SQLiteFailure) -> Void
    ) -> SQLiteFailure? {
        var isCommitting = false
        do throws(SQLiteFailure) {
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

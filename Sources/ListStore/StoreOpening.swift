// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import ListKit
internal import ListSupport

/// An opened store, the restored lists, and the damage that was found.
package struct OpenedStore: Sendable {
    /// The store.
    package let store: SQLiteStore
    /// The stored lists, in order of name.
    package let adapters: [RestoredAdapter]
    /// The damage of the database file, which was set aside or is missing; nil = no damage.
    package let damage: StoreDamage?
    /// The damage of the write-ahead log. Its last changes are missing, and all lists have new epochs. nil = no damage.
    package var logDamage: LogDamage?
}

/// A write-ahead log that could not be read completely.
package struct LogDamage: Sendable, Equatable {
    /// The path of the log.
    package let file: String
    /// The kind of damage, as the end of a sentence about the log.
    package let reason: String
    /// The path of a copy of the damaged log; nil when there was no log.
    package let copy: String?
    /// The number of lists in the store before the damage.
    package let lists: Int
}

/// A database file that could not be used and was set aside, or that is missing.
package struct StoreDamage: Sendable, Equatable {
    /// The path of the database.
    package let original: String
    /// The path to which the database was renamed, or its log if the database is missing; nil if both are missing.
    package let file: String?
    /// The kind of damage, for messages.
    package let reason: String
    /// The names of the lists in the file, as far as they could be read.
    package let lists: [String]
}

extension SQLiteStore {
    /// The name of the database in the state directory.
    package static let fileName = "listd.db"

    /// Opens the store of a state directory, and reads all lists. The directory and the store are made if necessary.
    ///
    /// A database that is damaged, of another program or of a newer version is renamed to `listd.db.damaged-TIME`,
    /// together with its log and other files, and replaced by an empty one. A log without its database is set aside,
    /// too.
    ///
    /// If the machine crashed during the last run, the lists with durability `disk` get new epochs.
    ///
    /// If the log is damaged, it is copied. All lists then have the contents up to the damage, and get new epochs.
    ///
    /// - Parameters:
    ///   - boot: the identifier of this boot of the machine; nil = the one that the kernel reports.
    ///   - now: the time in the names of files that are set aside, in seconds since 1970; nil = the present time.
    ///   - isGivenUp: called before each row is read; true = reading stops with an error.
    ///   - report: called on the store's executor when the files are lost or changed while the store is open.
    /// - Throws: `storeFailed` when the directory cannot be written, another listd has the file open, or reading was
    ///   stopped. The stored data are unchanged then.
    /// - Complexity: O(bytes stored), one scan for each list.
    package static func open(
        directory: String, boot: String? = nil, now: Int? = nil,
        isGivenUp: @escaping () -> Bool = { false }, report: @escaping @Sendable (StoreLoss) -> Void = { _ in }
    ) throws(ListError) -> OpenedStore {
        try StoreOpening.makeDirectory(directory)
        removeUnfinishedBackups(in: directory)
        let opening = StoreOpening(
            path: directory + "/" + fileName, boot: boot ?? MachineBoot.identifier, now: now ?? Int(time(nil)),
            report: report)
        return try opening.open(isGivenUp: isGivenUp)
    }
}

/// The opening of one store.
struct StoreOpening {
    /// The path of the database.
    let path: String
    let boot: String
    let now: Int
    let report: @Sendable (StoreLoss) -> Void

    func open(isGivenUp: @escaping () -> Bool) throws(ListError) -> OpenedStore {
        do throws(SQLiteFailure) {
            let mark = LogMark.read(beside: path)
            try refuseEmptyFile()
            let missing = try setAsideLoneLog() ?? missingDatabase(accordingTo: mark)
            // The log is copied before SQLite opens it and drops the part after the damage.
            let logDamage = try copyDamagedLog(mark: mark)
            // If there is damage, reading is never stopped: the next start would not detect and report it again.
            let hasDamage = missing != nil || logDamage != nil
            let (store, adapters) = try openDatabase(isIncomplete: logDamage != nil) { !hasDamage && isGivenUp() }
            return OpenedStore(store: store, adapters: adapters, damage: missing, logDamage: logDamage)
        } catch {
            if error.isBusy {
                throw ListError(
                    .storeFailed, "another process has \(path) open, most likely another listd", cause: error.message)
            }
            guard isDamage(error) else { throw StoreAccess.error(for: error, at: path) }
            return try replaceDatabase(damagedBy: error)
        }
    }

    /// Whether a failure is caused by the contents of the file, rather than by access to it. The header of a writable
    /// file can mark it as read-only, and its schema can lack tables.
    private func isDamage(_ failure: SQLiteFailure) -> Bool {
        let (readOnly, noSuchTable): (Int32, Int32) = (8, 1)
        switch failure.code & 0xFF {
        case noSuchTable: return true
        case readOnly: return unsafe access(path, W_OK) == 0
        default: return failure.isDamage
        }
    }

    /// Sets the damaged database aside, and opens an empty one.
    private func replaceDatabase(damagedBy failure: SQLiteFailure) throws(ListError) -> OpenedStore {
        let other = try setAsideDatabase()
        let damage = StoreDamage(original: path, file: other, reason: failure.message, lists: Self.listNames(in: other))
        do throws(SQLiteFailure) {
            // The new database is empty, so reading it need not be stopped; the damage has to be reported.
            let (store, adapters) = try openDatabase(isIncomplete: false) { false }
            return OpenedStore(store: store, adapters: adapters, damage: damage)
        } catch {
            throw error.listError
        }
    }

    /// Returns the names of the lists in a file that was set aside, without changing the file.
    private static func listNames(in path: String) -> [String] {
        // Not opened if empty, since SQLite deletes the log of an empty file.
        guard let state = StoreFiles.state(path), state.size > 0, let database = try? SQLiteDatabase(path: path)
        else { return [] }
        database.setKeepsLog(true)
        // In this mode, SQLite makes no shared memory file.
        try? database.execute("PRAGMA locking_mode = EXCLUSIVE")
        return StoreReader(database: database).adapterNames()
    }

    /// Opens the database and reads all lists.
    ///
    /// - Parameter isIncomplete: whether the database may lack acknowledged changes.
    private func openDatabase(
        isIncomplete: Bool, isGivenUp: @escaping () -> Bool
    ) throws(SQLiteFailure) -> (SQLiteStore, [RestoredAdapter]) {
        let database = try SQLiteDatabase(path: path)
        // If the database cannot be read, it is set aside together with its log.
        database.setKeepsLog(true)
        try database.execute(StoreSchema.connection)
        // SQLite acquires the exclusive lock with the first transaction.
        try database.execute("BEGIN IMMEDIATE; COMMIT")
        try createOrMigrateSchema(of: database)
        var adapters = try StoreReader(database: database, isGivenUp: isGivenUp).readAdapters()
        let run = try StoreRun(boot: boot, after: database, &adapters, isIncomplete: isIncomplete)
        let connection = StoreConnection(
            database, path: path, run: run, listCount: adapters.count, report: report)
        return (SQLiteStore(connection, path: path), adapters)
    }

    /// Throws if the database has been truncated to 0 bytes. SQLite would treat it as a new one.
    private func refuseEmptyFile() throws(SQLiteFailure) {
        guard let state = StoreFiles.state(path), state.is_regular != 0, state.size == 0 else { return }
        throw SQLiteFailure(code: 26, message: "the file is empty")
    }

    /// Returns the damage if the database is missing although, according to the mark, it had lists.
    private func missingDatabase(accordingTo mark: LogMark?) -> StoreDamage? {
        guard let mark, mark.lists > 0, unsafe access(path, F_OK) != 0, errno == ENOENT else { return nil }
        return StoreDamage(original: path, file: nil, reason: "the file is missing", lists: [])
    }

    /// Checks the log for damage, and copies a damaged log, as SQLite is about to change it.
    ///
    /// - Returns: the damage; nil = none is detected.
    private func copyDamagedLog(mark: LogMark?) throws(SQLiteFailure) -> LogDamage? {
        let log = path + WriteAheadLog.suffix
        guard let database = StoreFiles.state(path) else { return nil }
        let fault = WriteAheadLog.fault(
            ofLog: log, mark: mark, database: database.inode, boot: LogMark.number(ofBoot: boot))
        guard let fault else { return nil }
        var copy: String?
        if let state = StoreFiles.state(log), state.size > 0 {
            let other = unusedPath() + WriteAheadLog.suffix
            guard FileCopy.copy(log, to: other) else {
                // SQLITE_CANTOPEN: opening fails, so that the rest of the log is not lost.
                throw SQLiteFailure(
                    code: 14, message: "\(log) is \(fault) and cannot be copied: \(SystemError.text(errno))")
            }
            copy = other
        }
        return LogDamage(file: log, reason: fault, copy: copy, lists: Int(clamping: mark?.lists ?? 0))
    }

    /// Creates the tables of a new database, or migrates an older one.
    ///
    /// - Throws: an error for a file of another program or of a newer version.
    private func createOrMigrateSchema(of database: SQLiteDatabase) throws(SQLiteFailure) {
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        if tables == 0 {
            try database.execute(StoreSchema.creation)
            return syncDirectory()
        }
        let application = try database.number("PRAGMA application_id")
        let version = try database.number("PRAGMA user_version") ?? 0
        // SQLITE_NOTADB: the file is set aside like one that is no database.
        guard application == StoreSchema.application else {
            throw SQLiteFailure(code: 26, message: "the file belongs to another program")
        }
        guard (1...StoreSchema.version).contains(version) else {
            throw SQLiteFailure(
                code: 26,
                message: "the file has version \(version), but this listd supports at most \(StoreSchema.version)")
        }
        try Self.migrate(database, from: version)
    }

    /// Migrates an older database to the present version, in one transaction.
    private static func migrate(_ database: SQLiteDatabase, from version: Int64) throws(SQLiteFailure) {
        let steps = (version..<StoreSchema.version).compactMap { StoreSchema.migrations[$0] }
        guard !steps.isEmpty else { return }
        do throws(SQLiteFailure) {
            try database.execute("BEGIN IMMEDIATE; PRAGMA user_version = \(StoreSchema.version);")
            for step in steps { try database.execute(step) }
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// Makes a directory that only its owner may enter, and its missing parent directories.
    static func makeDirectory(_ path: String) throws(ListError) {
        if unsafe mkdir(path, 0o700) == 0 { return }
        var error = errno
        let parent = StoreFiles.directory(of: path)
        if error == ENOENT, parent != path {
            try makeDirectory(parent)
            if unsafe mkdir(path, 0o700) == 0 { return }
            error = errno
        }
        var status = stat()
        guard error == EEXIST, unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ListError(.storeFailed, "the directory \(path) cannot be made", cause: SystemError.text(error))
        }
    }

    /// Syncs the directory, so that the name of a new file in it survives a crash of the machine.
    private func syncDirectory() {
        let directory = unsafe Glibc.open(StoreFiles.directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        Glibc.close(directory)
    }

    /// Renames the database and its log and journal files, and returns the new path of the database. The database is
    /// renamed first, so that a crash in between never leaves it at its path without its log.
    private func setAsideDatabase() throws(ListError) -> String {
        let other = unusedPath()
        guard unsafe rename(path, other) == 0 else {
            throw ListError(.storeFailed, "\(path) is damaged and cannot be set aside", cause: SystemError.text(errno))
        }
        for suffix in ["-wal", "-shm", "-journal"] { _ = unsafe rename(path + suffix, other + suffix) }
        return other
    }

    /// Renames a log whose database is missing. The log has the last changes, and SQLite would delete it.
    ///
    /// - Returns: the damage to report; nil if there is no such log.
    private func setAsideLoneLog() throws(SQLiteFailure) -> StoreDamage? {
        let log = path + WriteAheadLog.suffix
        guard unsafe access(path, F_OK) != 0, errno == ENOENT, let state = StoreFiles.state(log), state.size > 0
        else { return nil }
        let other = unusedPath() + WriteAheadLog.suffix
        guard unsafe rename(log, other) == 0 else {
            // SQLITE_CANTOPEN: an error of access, not damage.
            throw SQLiteFailure(
                code: 14, message: "\(log), a log without its database, cannot be set aside: \(SystemError.text(errno))"
            )
        }
        return StoreDamage(
            original: path, file: other, reason: "\(SQLiteStore.fileName) is missing, only its log is there", lists: [])
    }

    private func unusedPath() -> String {
        var name = "\(path).damaged-\(now)"
        while unsafe access(name, F_OK) == 0 || access(name + "-wal", F_OK) == 0 { name += "+" }
        return name
    }
}

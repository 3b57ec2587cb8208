// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import ListKit
internal import ListSupport

/// What was found when a store was opened.
package struct OpenedStore: Sendable {
    /// The store.
    package let store: SQLiteStore
    /// The stored lists, in order of name.
    package let adapters: [RestoredAdapter]
    /// What had to be set aside; nil if everything was in order.
    package let damage: StoreDamage?
    /// The damage of the write-ahead log: its last changes are missing, and all lists have new epochs.
    package var logDamage: LogDamage?
}

/// A log that could not be read completely.
package struct LogDamage: Sendable, Equatable {
    /// The log.
    package let file: String
    /// The reason why the file is damaged.
    package let reason: String
    /// Where the damaged log is kept; nil when there was no log.
    package let copy: String?
    /// How many lists there were.
    package let lists: Int
}

/// A file that could not be understood and was set aside.
package struct StoreDamage: Sendable, Equatable {
    /// Where it belongs.
    package let original: String
    /// Where it is now; nil when it is gone.
    package let file: String?
    /// The reason why the file was set aside.
    package let reason: String
    /// The names of the lists in it, as far as they could be read.
    package let lists: [String]
}

extension SQLiteStore {
    /// The name of the file in the state directory.
    package static let fileName = "listd.db"

    /// Opens the store of a state directory, making both if there are none, and reads everything.
    ///
    /// A file that is damaged, foreign or of a newer version is set aside as `listd.db.damaged-TIME`, with what belongs to
    /// it, and an empty one takes its place. So is a log without its file.
    ///
    /// When the machine went down since the last run, without its end, the lists of durability `disk` have new epochs.
    ///
    /// Where the log is not what it was, all lists go on as the rest of it has them, with new epochs; a copy of it is kept.
    ///
    /// - Parameters:
    ///   - boot: what tells this boot of the machine from others; nil = the kernel says it.
    ///   - now: the time for such a name, in seconds since 1970; nil = the clock's.
    ///   - isGivenUp: asked before each row that is read.
    ///   - report: told when something happens to the files while the store is open; called on the store's executor.
    /// - Throws: `storeFailed` when the directory cannot be written, another listd has the file, or the reading is given up;
    ///   what is stored stays as it is then.
    /// - Complexity: O(bytes stored), one scan for each list.
    package static func open(
        directory: String, boot: String? = nil, now: Int? = nil,
        isGivenUp: @escaping () -> Bool = { false }, report: @escaping @Sendable (StoreLoss) -> Void = { _ in }
    ) throws(ListError) -> OpenedStore {
        try StoreOpening.makeDirectory(directory)
        removeRemains(in: directory)
        let opening = StoreOpening(
            path: directory + "/" + fileName, boot: boot ?? MachineBoot.identifier, now: now ?? Int(time(nil)),
            report: report)
        return try opening.open(isGivenUp)
    }
}

/// The opening of one store.
struct StoreOpening {
    let path: String
    let boot: String
    let now: Int
    let report: @Sendable (StoreLoss) -> Void

    func open(_ isGivenUp: @escaping () -> Bool) throws(ListError) -> OpenedStore {
        do throws(SQLiteFailure) {
            let mark = LogMark.read(besides: path)
            try refuseEmptyFile()
            let missing = try setAsideLoneLog() ?? missingFile(mark)
            // SQLite goes on with what it can read of it.
            let logDamage = try keepDamagedLog(mark)
            // The next start would not find what is to be told.
            let mustTell = missing != nil || logDamage != nil
            let (store, adapters) = try read(isIncomplete: logDamage != nil) { !mustTell && isGivenUp() }
            return OpenedStore(store: store, adapters: adapters, damage: missing, logDamage: logDamage)
        } catch {
            if error.isBusy {
                throw ListError(
                    .storeFailed, "another process has \(path) open, most likely another listd", cause: error.message)
            }
            guard isDamage(error) else { throw error.listError }
            return try replace(error)
        }
    }

    /// Whether the file, and not the way to it, is at fault: a header can forbid writing to a file that may be written, and
    /// a schema can lack what belongs to it.
    private func isDamage(_ failure: SQLiteFailure) -> Bool {
        let (readOnly, noSuchTable): (Int32, Int32) = (8, 1)
        switch failure.code & 0xFF {
        case noSuchTable: return true
        case readOnly: return unsafe access(path, W_OK) == 0
        default: return failure.isDamage
        }
    }

    private func replace(_ failure: SQLiteFailure) throws(ListError) -> OpenedStore {
        let other = try setAside()
        let damage = StoreDamage(original: path, file: other, reason: failure.message, lists: Self.names(in: other))
        do throws(SQLiteFailure) {
            // There is nothing in it, and the damage is to be told.
            let (store, adapters) = try read(isIncomplete: false) { false }
            return OpenedStore(store: store, adapters: adapters, damage: damage)
        } catch {
            throw error.listError
        }
    }

    /// The names of the lists in a file that was set aside, which stays as it is.
    private static func names(in path: String) -> [String] {
        // SQLite would delete the log of an empty file.
        guard let state = StoreFiles.state(path), state.size > 0, let database = try? SQLiteDatabase(path: path)
        else { return [] }
        database.keepLog(true)
        // Without a file of shared memory.
        try? database.execute("PRAGMA locking_mode = EXCLUSIVE")
        return StoreReader(database: database).names()
    }

    private func read(
        isIncomplete: Bool, _ isGivenUp: @escaping () -> Bool
    ) throws(SQLiteFailure) -> (SQLiteStore, [RestoredAdapter]) {
        let database = try SQLiteDatabase(path: path)
        // What cannot be read is set aside with its log.
        database.keepLog(true)
        try database.execute(StoreSchema.connection)
        // The lock is taken with the first transaction.
        try database.execute("BEGIN IMMEDIATE; COMMIT")
        try checkVersion(database)
        var adapters = try StoreReader(database: database, isGivenUp: isGivenUp).restore()
        let run = try StoreRun(boot: boot, after: database, &adapters, isIncomplete: isIncomplete)
        let connection = StoreConnection(
            database, path: path, run: run, listCount: adapters.count, report: report)
        return (SQLiteStore(connection, path: path), adapters)
    }

    /// SQLite takes a file that was cut down to nothing for a new one.
    private func refuseEmptyFile() throws(SQLiteFailure) {
        guard let state = StoreFiles.state(path), state.is_regular != 0, state.size == 0 else { return }
        throw SQLiteFailure(code: 26, message: "the file is empty")
    }

    /// A file that is gone, and was not empty.
    private func missingFile(_ mark: LogMark?) -> StoreDamage? {
        guard let mark, mark.lists > 0, unsafe access(path, F_OK) != 0, errno == ENOENT else { return nil }
        return StoreDamage(original: path, file: nil, reason: "the file is missing", lists: [])
    }

    /// Finds out what is wrong with the log, and copies one that SQLite is about to go on with.
    private func keepDamagedLog(_ mark: LogMark?) throws(SQLiteFailure) -> LogDamage? {
        let log = path + WriteAheadLog.suffix
        guard let database = StoreFiles.state(path) else { return nil }
        let fault = WriteAheadLog.fault(
            of: log, mark, database: database.inode, boot: LogMark.number(ofBoot: boot))
        guard let fault else { return nil }
        var copy: String?
        if let state = StoreFiles.state(log), state.size > 0 {
            let other = freeName() + WriteAheadLog.suffix
            guard FileCopy.copy(log, to: other) else {
                // SQLITE_CANTOPEN: what is left of it is not to be lost.
                throw SQLiteFailure(
                    code: 14, message: "\(log) is \(fault) and cannot be set aside: \(SystemError.text(errno))")
            }
            copy = other
        }
        return LogDamage(file: log, reason: fault, copy: copy, lists: Int(clamping: mark?.lists ?? 0))
    }

    private func checkVersion(_ database: SQLiteDatabase) throws(SQLiteFailure) {
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        if tables == 0 {
            try database.execute(StoreSchema.creation)
            return syncDirectory()
        }
        let application = try database.number("PRAGMA application_id")
        let version = try database.number("PRAGMA user_version") ?? 0
        // SQLITE_NOTADB: set aside like any file that is not ours.
        guard application == StoreSchema.application else {
            throw SQLiteFailure(code: 26, message: "the file belongs to another program")
        }
        guard (1...StoreSchema.version).contains(version) else {
            throw SQLiteFailure(
                code: 26, message: "the file has version \(version); this listd knows \(StoreSchema.version)")
        }
        try Self.migrate(database, from: version)
    }

    /// Brings an older file up to the present version; whatever happens meanwhile, it is the old or the new one.
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

    /// Makes a directory that only its owner may enter, and those above it that are not there.
    fileprivate static func makeDirectory(_ path: String) throws(ListError) {
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
            throw ListError(.storeFailed, "\(path) cannot be made", cause: SystemError.text(error))
        }
    }

    /// A new name in a directory survives a crash of the machine when the directory is written, too.
    private func syncDirectory() {
        let directory = unsafe Glibc.open(StoreFiles.directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        Glibc.close(directory)
    }

    /// Moves a file and what belongs to it; the database first, so that nothing half is left under its name.
    private func setAside() throws(ListError) -> String {
        let other = freeName()
        guard unsafe rename(path, other) == 0 else {
            throw ListError(.storeFailed, "\(path) is damaged and cannot be set aside", cause: SystemError.text(errno))
        }
        for suffix in ["-wal", "-shm", "-journal"] { _ = unsafe rename(path + suffix, other + suffix) }
        return other
    }

    /// A log whose database is missing holds what was stored last, and SQLite would delete it.
    private func setAsideLoneLog() throws(SQLiteFailure) -> StoreDamage? {
        let log = path + WriteAheadLog.suffix
        guard unsafe access(path, F_OK) != 0, errno == ENOENT, let state = StoreFiles.state(log), state.size > 0
        else { return nil }
        let other = freeName() + WriteAheadLog.suffix
        guard unsafe rename(log, other) == 0 else {
            // SQLITE_CANTOPEN: nothing is wrong with what is in it.
            throw SQLiteFailure(
                code: 14, message: "\(log), a log without its database, cannot be set aside: \(SystemError.text(errno))"
            )
        }
        return StoreDamage(
            original: path, file: other, reason: "\(SQLiteStore.fileName) is missing, only its log is there", lists: [])
    }

    private func freeName() -> String {
        var name = "\(path).damaged-\(now)"
        while unsafe access(name, F_OK) == 0 || access(name + "-wal", F_OK) == 0 { name += "+" }
        return name
    }
}

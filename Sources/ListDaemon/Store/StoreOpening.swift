internal import Foundation
internal import Glibc
package import ListKit

/// What was found when a store was opened.
package struct OpenedStore: Sendable {
    /// The store.
    package let store: SQLiteStore
    /// What was stored, in order of name.
    package let adapters: [RestoredAdapter]
    /// What had to be set aside; nil if everything was in order.
    package let damage: StoreDamage?
    /// The log beside the file, if nothing of it could be read: what was stored last may be missing.
    package var unreadableLog: String?
}

/// A file that could not be understood and was set aside.
package struct StoreDamage: Sendable, Equatable {
    /// Where it is now.
    package let file: String
    /// What was wrong with it.
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
    /// - Parameters:
    ///   - boot: what tells this boot of the machine from others; nil = the kernel says it.
    ///   - now: the time for such a name, in seconds since 1970; nil = the clock's.
    ///   - isGivenUp: asked before each row that is read.
    /// - Throws: `storeFailed` when the directory cannot be written, another listd has the file, or the reading is given up;
    ///   what is stored stays as it is then.
    /// - Complexity: O(bytes stored), one scan for each list.
    package static func open(
        directory: String, boot: String? = nil, now: Int? = nil, isGivenUp: @escaping () -> Bool = { false }
    ) throws(ListError) -> OpenedStore {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ListError(.storeFailed, "\(directory) cannot be made", cause: error.localizedDescription)
        }
        removeRemains(in: directory)
        let (now, boot) = (now ?? Int(time(nil)), boot ?? MachineBoot.identifier)
        let path = directory + "/" + fileName
        do throws(SQLiteFailure) {
            try refuseEmptyFile(path)
            let loneLog = try setAsideLoneLog(path, now)
            // SQLite begins a new one.
            let unreadable = WriteAheadLog.isUnreadable(path + "-wal") ? path + "-wal" : nil
            // The next start would not find what is to be told.
            let mustTell = loneLog != nil || unreadable != nil
            let (store, adapters) = try read(path, boot: boot) { !mustTell && isGivenUp() }
            return OpenedStore(store: store, adapters: adapters, damage: loneLog, unreadableLog: unreadable)
        } catch {
            if error.isBusy {
                throw ListError(
                    .storeFailed, "another process has \(path) open, most likely another listd", cause: error.message)
            }
            guard isDamage(error, path) else { throw error.listError }
            return try replace(path, boot: boot, error, now)
        }
    }

    /// Whether the file, and not the way to it, is at fault: a header can forbid writing to a file that may be written, and
    /// a schema can lack what belongs to it.
    private static func isDamage(_ failure: SQLiteFailure, _ path: String) -> Bool {
        let (readOnly, noSuchTable): (Int32, Int32) = (8, 1)
        switch failure.code & 0xFF {
        case noSuchTable: return true
        case readOnly: return unsafe access(path, W_OK) == 0
        default: return failure.isDamage
        }
    }

    private static func replace(
        _ path: String, boot: String, _ failure: SQLiteFailure, _ now: Int
    ) throws(ListError) -> OpenedStore {
        let lists = (try? SQLiteDatabase(path: path)).map { StoreReader(database: $0).names() } ?? []
        let damage = StoreDamage(file: try setAside(path, now), reason: failure.message, lists: lists)
        do throws(SQLiteFailure) {
            // There is nothing in it, and the damage is to be told.
            let (store, adapters) = try read(path, boot: boot) { false }
            return OpenedStore(store: store, adapters: adapters, damage: damage)
        } catch {
            throw error.listError
        }
    }

    private static func read(
        _ path: String, boot: String, _ isGivenUp: @escaping () -> Bool
    ) throws(SQLiteFailure) -> (SQLiteStore, [RestoredAdapter]) {
        let database = try SQLiteDatabase(path: path)
        try database.execute(StoreSchema.connection)
        // The lock is taken with the first transaction.
        try database.execute("BEGIN IMMEDIATE; COMMIT")
        try checkVersion(database, path)
        var adapters = try StoreReader(database: database, isGivenUp: isGivenUp).restore()
        let run = try StoreRun(boot: boot, after: database, &adapters, isIncomplete: false)
        return (SQLiteStore(StoreConnection(database, run: run), path: path), adapters)
    }

    /// SQLite takes a file that was cut down to nothing for a new one.
    private static func refuseEmptyFile(_ path: String) throws(SQLiteFailure) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 else { return }
        throw SQLiteFailure(code: 26, message: "the file is empty")
    }

    private static func checkVersion(_ database: SQLiteDatabase, _ path: String) throws(SQLiteFailure) {
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        if tables == 0 {
            try database.execute(StoreSchema.creation)
            return syncDirectory(of: path)
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
        try migrate(database, from: version)
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

    /// A new name in a directory survives a crash of the machine when the directory is written, too.
    private static func syncDirectory(of path: String) {
        let directory = unsafe Glibc.open(
            (path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        Glibc.close(directory)
    }

    /// Moves a file and what belongs to it; the database first, so that nothing half is left under its name.
    private static func setAside(_ path: String, _ now: Int) throws(ListError) -> String {
        let other = freeName(for: path, now)
        guard unsafe rename(path, other) == 0 else {
            throw ListError(.storeFailed, "\(path) is damaged and cannot be set aside", cause: SystemError.text(errno))
        }
        for suffix in ["-wal", "-shm", "-journal"] { _ = unsafe rename(path + suffix, other + suffix) }
        return other
    }

    /// A log whose database is missing holds what was stored last, and SQLite would delete it.
    private static func setAsideLoneLog(_ path: String, _ now: Int) throws(SQLiteFailure) -> StoreDamage? {
        let log = path + "-wal"
        var status = stat()
        guard unsafe access(path, F_OK) != 0, errno == ENOENT, unsafe stat(log, &status) == 0, status.st_size > 0
        else { return nil }
        let other = freeName(for: path, now) + "-wal"
        guard unsafe rename(log, other) == 0 else {
            // SQLITE_CANTOPEN: nothing is wrong with what is in it.
            throw SQLiteFailure(
                code: 14, message: "\(log), a log without its database, cannot be set aside: \(SystemError.text(errno))"
            )
        }
        return StoreDamage(file: other, reason: "\(fileName) is missing, only its log is there", lists: [])
    }

    private static func freeName(for path: String, _ now: Int) -> String {
        var name = "\(path).damaged-\(now)"
        while unsafe access(name, F_OK) == 0 || access(name + "-wal", F_OK) == 0 { name += "+" }
        return name
    }
}

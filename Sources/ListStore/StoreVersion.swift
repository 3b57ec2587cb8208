// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import ListSupport

/// The version of a database's tables: the refusal of newer ones, the migration of older ones, and the copies that are
/// made before a migration.
enum StoreVersion {
    /// The path of the copy that was made before the tables of a version were changed.
    private static func copy(of path: String, version: Int64) -> String { "\(path).version-\(version)" }

    /// Returns the refusal of a store that a newer listd has written. Changes nothing.
    static func refusal(directory: String) -> String? {
        let path = directory + "/" + SQLiteStore.fileName
        let file = StoreReplacement.pending(for: path) ?? path
        guard let version = version(of: file), version > StoreSchema.version, version <= StoreSchema.highestVersion
        else { return nil }
        // The copy of the highest version that this listd can read.
        let copies = (1...StoreSchema.version).map { copy(of: path, version: $0) }
            .filter { StoreFiles.state($0) != nil }
        let remedy =
            copies.last.map {
                "the copy from before the change is \($0); to go back to it: mv \($0) \(path).next && systemctl start listd"
            } ?? "there is no copy from before the change, so install the newer listd again"
        return
            "\(file) has version \(version), but this listd knows versions up to \(StoreSchema.version), so a newer "
            + "listd has changed it; nothing was changed now; \(remedy)"
    }

    /// Returns the version of a database of listd; nil if it cannot be read. Changes nothing.
    static func version(of path: String) -> Int64? {
        // SQLite would delete the log of an empty file.
        guard let state = StoreFiles.state(path), state.is_regular != 0, state.size > 0 else { return nil }
        // Without a log, the version is in the header of the file. SQLite would make an empty log.
        guard let log = StoreFiles.state(path + WriteAheadLog.suffix), log.size > 0 else {
            return versionInHeader(of: path)
        }
        guard let database = try? SQLiteDatabase(path: path) else { return nil }
        database.setKeepsLog(true)
        // In this mode, SQLite makes no shared memory file.
        guard (try? database.execute("PRAGMA locking_mode = EXCLUSIVE")) != nil,
            (try? database.number("PRAGMA application_id")) == StoreSchema.application
        else { return nil }
        return (try? database.number("PRAGMA user_version")) ?? nil
    }

    private static func versionInHeader(of path: String) -> Int64? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return header(of: file)
    }

    /// Returns the version in the header of an open database of listd; nil if it is none.
    static func header(of file: Int32) -> Int64? {
        // A text, and the two numbers at the offsets 60 and 68.
        var header = [UInt8](repeating: 0, count: 100)
        let count = unsafe pread(file, &header, header.count, 0)
        func number(_ offset: Int) -> Int64 { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) } }
        guard count == header.count, header.starts(with: "SQLite format 3\0".utf8),
            number(68) == StoreSchema.application
        else { return nil }
        return number(60)
    }

    /// The tables that a database had when it was opened.
    enum Tables {
        /// Those of this version.
        case present
        /// Those of an earlier version.
        case older
        /// None.
        case none
    }

    /// Creates the tables of a new database, or migrates those of an older one after a copy was made.
    static func createOrMigrateTables(of database: SQLiteDatabase, path: String) throws(SQLiteFailure) -> Tables {
        if try database.number("SELECT count(*) FROM sqlite_schema") ?? 0 == 0 {
            try database.execute(StoreSchema.creation)
            StoreFiles.syncDirectory(of: path)
            return .none
        }
        guard try database.number("PRAGMA application_id") == StoreSchema.application else {
            throw .corruption("the file belongs to another program")
        }
        let version = try database.number("PRAGMA user_version") ?? 0
        guard (1...StoreSchema.version).contains(version) else {
            throw .corruption("the file has the impossible version \(version)")
        }
        guard version < StoreSchema.version else { return .present }
        try makeCopy(of: database, version: version, path: path)
        try migrate(database, from: version)
        // So that unused pages can be given back. The store works without it too.
        try? database.execute(StoreSchema.vacuuming + "VACUUM")
        return .older
    }

    /// Migrates an older database to the present version, in one transaction.
    static func migrate(_ database: SQLiteDatabase, from version: Int64) throws(SQLiteFailure) {
        let steps = (version..<StoreSchema.version).compactMap { StoreSchema.migrations[$0] }
        do throws(SQLiteFailure) {
            try database.execute("BEGIN IMMEDIATE; PRAGMA user_version = \(StoreSchema.version);")
            for step in steps { try database.execute(step) }
            var writer = StoreWriter(database: database, number: 0)
            try writer.makeDigests()
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// Copies a database before its tables are changed. Copies of earlier migrations are removed then.
    private static func makeCopy(of database: SQLiteDatabase, version: Int64, path: String) throws(SQLiteFailure) {
        let copy = copy(of: path, version: version)
        let new = copy + ".new"
        unsafe unlink(new)
        do throws(SQLiteFailure) {
            let target = try SQLiteDatabase(path: new)
            let backup = try SQLiteBackup(of: database, to: target)
            while try !backup.step(pages: 4096) {}
        } catch {
            unsafe unlink(new)
            throw error
        }
        guard unsafe rename(new, copy) == 0 else {
            throw .access("\(new) cannot be renamed: \(SystemError.text(errno))")
        }
        let directory = StoreFiles.directory(of: path)
        let prefix = SQLiteStore.fileName + ".version-"
        for name in StoreFiles.names(in: directory) where name.hasPrefix(prefix) && directory + "/" + name != copy {
            unsafe unlink(directory + "/" + name)
        }
        // The mark of versions that had another one.
        unsafe unlink(path + "-mark")
        StoreFiles.syncDirectory(of: path)
    }
}

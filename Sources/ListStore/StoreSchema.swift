// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import CSQLite
internal import Glibc
internal import ListSupport

/// The tables of the database, and their migrations.
///
/// The primary key of `object` keeps the objects in the order of the list; the index `object_by_id` finds an object by
/// its identifier. Positions have gaps, so that an insertion changes one row (``OrderKeys``). A `removed` adapter has
/// lost its name, and its rows are deleted bit by bit. `revision` is the revision of the stored objects. No client has
/// seen a revision after `limit`; if both are equal, `revision` was the last one.
///
/// SQLite has no checksums, so the rows have them (``StoreDigest``): `contents`, `places` and `log` are those of a
/// list's objects and changes, `digest` is that of its own row. `written` is the number of the last change of the list, counted over all
/// lists; `run` has the number of the last change whose row is gone, and the random mark of the run
/// (``StoreMark``).
enum StoreSchema {
    /// The identifier of listd's databases, `LIST` in ASCII (`PRAGMA application_id`).
    static let application: Int64 = 0x4C49_5354
    /// The version of the tables (`PRAGMA user_version`). Databases with a higher version belong to a newer listd.
    static let version: Int64 = 4
    /// The highest version that a newer listd is expected to write. A higher one is a damaged number.
    static let highestVersion: Int64 = 9999
    /// The migration from each version to the next, by the older version. All necessary migrations run in one
    /// transaction, which ends with new digests.
    static let migrations: [Int64: String] = [
        1: "ALTER TABLE adapter ADD COLUMN configured INTEGER NOT NULL DEFAULT 0;",
        2: "CREATE TABLE run (key INTEGER PRIMARY KEY CHECK (key = 1), boot TEXT NOT NULL, "
            + "ended INTEGER NOT NULL) STRICT;"
            + "ALTER TABLE adapter ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;"
            + "ALTER TABLE adapter ADD COLUMN \"limit\" INTEGER NOT NULL DEFAULT 0; UPDATE adapter SET \"limit\" = revision;"
            + "ALTER TABLE adapter ADD COLUMN cursor BLOB;",
        3: ["written", "contents", "places", "log", "digest"].map {
            "ALTER TABLE adapter ADD COLUMN \($0) INTEGER NOT NULL DEFAULT 0;"
        }.joined()
            + "ALTER TABLE change ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;"
            + "ALTER TABLE run ADD COLUMN mark TEXT NOT NULL DEFAULT '';"
            + "ALTER TABLE run ADD COLUMN written INTEGER NOT NULL DEFAULT 0;" + losses,
    ]

    /// The table of losses that nobody has acknowledged. Those that are not `logged` were found by a process that ended
    /// before it could log them.
    private static let losses = """
        CREATE TABLE loss (
            key INTEGER PRIMARY KEY, time INTEGER NOT NULL, text TEXT NOT NULL, logged INTEGER NOT NULL DEFAULT 0) STRICT;
        """

    /// The settings of a connection. It has the file exclusively, and a commit with durability `disk` needs no fsync.
    static let connection = """
        PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -16384;
        """

    /// The statement that lets unused pages be given back; it must precede ``creation`` or a `VACUUM`.
    static let vacuuming = "PRAGMA auto_vacuum = INCREMENTAL;"

    /// The statements that create the tables of a new database.
    static let creation = """
        BEGIN IMMEDIATE;
        CREATE TABLE adapter (
            key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, owner INTEGER NOT NULL,
            options BLOB NOT NULL, revision INTEGER NOT NULL, configured INTEGER NOT NULL DEFAULT 0,
            removed INTEGER NOT NULL DEFAULT 0, "limit" INTEGER NOT NULL DEFAULT 0, cursor BLOB,
            written INTEGER NOT NULL DEFAULT 0, contents INTEGER NOT NULL DEFAULT 0,
            places INTEGER NOT NULL DEFAULT 0, log INTEGER NOT NULL DEFAULT 0,
            digest INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE TABLE object (
            adapter INTEGER NOT NULL REFERENCES adapter ON DELETE CASCADE, position INTEGER NOT NULL, id BLOB NOT NULL,
            type TEXT NOT NULL, fields BLOB NOT NULL, PRIMARY KEY (adapter, position)) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX object_by_id ON object (adapter, id);
        CREATE TABLE change (
            adapter INTEGER NOT NULL REFERENCES adapter ON DELETE CASCADE, revision INTEGER NOT NULL, bytes BLOB NOT NULL,
            digest INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (adapter, revision)) STRICT, WITHOUT ROWID;
        CREATE TABLE run (
            key INTEGER PRIMARY KEY CHECK (key = 1), boot TEXT NOT NULL, ended INTEGER NOT NULL,
            mark TEXT NOT NULL DEFAULT '', written INTEGER NOT NULL DEFAULT 0) STRICT;
        \(losses)
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        COMMIT;
        """
}

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

/// The checksum of a row. It detects what SQLite does not see: other bytes in a value, a page of an earlier state, rows
/// that are missing.
///
/// The digests of a list's objects are added up, so that a change costs as much as the objects that it changes.
struct StoreDigest {
    private(set) var value: UInt64

    /// Begins a digest. Digests with other kinds of rows begin with other numbers.
    private init(_ kind: UInt64) { value = kind }

    /// The value for a column, whose numbers are signed.
    var stored: Int64 { Int64(bitPattern: value) }

    mutating func add(_ number: Int64) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe add($0) }
    }

    /// Adds a value with its length.
    mutating func add(_ bytes: Span<UInt8>) {
        // The pointer is valid during the call.
        unsafe bytes.withUnsafeBytes { unsafe add($0) }
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        value = unsafe listd_digest(value, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    // MARK: The rows

    /// The digest of an object, without its place.
    static func object(id: Span<UInt8>, type: Span<UInt8>, fields: Span<UInt8>) -> UInt64 {
        var digest = StoreDigest(1)
        digest.add(id)
        digest.add(type)
        digest.add(fields)
        return digest.value
    }

    /// The digest of an object's place.
    static func place(_ position: Int64, id: Span<UInt8>) -> UInt64 {
        var digest = StoreDigest(2)
        digest.add(position)
        digest.add(id)
        return digest.value
    }

    /// The digest of a row of the log of changes.
    static func change(revision: Int64, bytes: Span<UInt8>) -> UInt64 {
        var digest = StoreDigest(3)
        digest.add(revision)
        digest.add(bytes)
        return digest.value
    }

    /// Begins the digest of a list's own row.
    static func list(_ key: Int64) -> StoreDigest {
        var digest = StoreDigest(4)
        digest.add(key)
        return digest
    }
}

// SPDX-License-Identifier: Apache-2.0

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

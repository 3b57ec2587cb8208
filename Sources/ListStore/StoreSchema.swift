// SPDX-License-Identifier: Apache-2.0

/// What is in the file.
///
/// Objects lie in the order of the list; the second index finds one by its identifier. `position` is a number with gaps on
/// both sides, so that an insertion in the middle touches one row. An adapter that is `removed` has lost its name; what is left of
/// it goes little by little. No revision after `limit` was ever given to anybody; `revision` is that of the objects, and was the
/// last one if both are the same.
enum StoreSchema {
    /// `LIST`: whose file it is (`PRAGMA application_id`).
    static let application: Int64 = 0x4C49_5354
    /// The version of the tables (`PRAGMA user_version`); a greater one is a newer listd's.
    static let version: Int64 = 3
    /// What makes a file of the next version out of one of a version: run in one transaction for all steps.
    static let migrations: [Int64: String] = [
        1: "ALTER TABLE adapter ADD COLUMN configured INTEGER NOT NULL DEFAULT 0;",
        2: run + "ALTER TABLE adapter ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;"
            + "ALTER TABLE adapter ADD COLUMN \"limit\" INTEGER NOT NULL DEFAULT 0; UPDATE adapter SET \"limit\" = revision;"
            + "ALTER TABLE adapter ADD COLUMN cursor BLOB;",
    ]

    /// The run that wrote the file last: one row, or none before the first.
    private static let run = """
        CREATE TABLE run (
            key INTEGER PRIMARY KEY CHECK (key = 1), boot TEXT NOT NULL, ended INTEGER NOT NULL) STRICT;
        """

    /// Sets up a connection: nobody else has the file, and a commit of `disk` needs no fsync.
    static let connection = """
        PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -16384;
        """

    /// Makes the tables of an empty file.
    static let creation = """
        BEGIN IMMEDIATE;
        CREATE TABLE adapter (
            key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, owner INTEGER NOT NULL,
            options BLOB NOT NULL, revision INTEGER NOT NULL, configured INTEGER NOT NULL DEFAULT 0,
            removed INTEGER NOT NULL DEFAULT 0, "limit" INTEGER NOT NULL DEFAULT 0, cursor BLOB) STRICT;
        CREATE TABLE object (
            adapter INTEGER NOT NULL REFERENCES adapter ON DELETE CASCADE, position INTEGER NOT NULL, id BLOB NOT NULL,
            type TEXT NOT NULL, fields BLOB NOT NULL, PRIMARY KEY (adapter, position)) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX object_by_id ON object (adapter, id);
        CREATE TABLE change (
            adapter INTEGER NOT NULL REFERENCES adapter ON DELETE CASCADE, revision INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (adapter, revision)) STRICT, WITHOUT ROWID;
        \(run)
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        COMMIT;
        """
}

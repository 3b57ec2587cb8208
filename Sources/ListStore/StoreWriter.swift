// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSupport

/// A writer of changes to the tables, inside of the caller's transaction.
struct StoreWriter {
    let database: SQLiteDatabase
    /// A cache of the adapters' keys by their names.
    private var keys: [ExactText: Int64] = [:]

    init(database: SQLiteDatabase) { self.database = database }

    /// Clears the cache. Call this after a rollback, because keys that the transaction created are invalid then.
    mutating func invalidateKeys() { keys = [:] }

    /// Returns the error for an adapter that is not stored, which is a fault of the caller.
    private static func noSuchAdapter(_ name: String) -> SQLiteFailure {
        SQLiteFailure(code: 0, message: "the store has no adapter \(name.debugDescription)")
    }

    /// Records the start of a run, and writes its new epochs.
    func recordBegin(of run: StoreRun) throws(SQLiteFailure) {
        for (name, epoch) in run.newEpochs {
            try database.run("UPDATE adapter SET epoch = ? WHERE name = ?", .text(epoch), .text(name))
        }
        try database.run("INSERT OR REPLACE INTO run (key, boot, ended) VALUES (1, ?, 0)", .text(run.boot))
    }

    /// Records that the run has ended in order.
    func recordEndOfRun() throws(SQLiteFailure) { try database.run("UPDATE run SET ended = 1") }

    /// Writes one change.
    mutating func apply(_ change: StoreChange) throws(SQLiteFailure) {
        switch change {
        case .create(let adapter): try create(adapter)
        case .createFilled(let adapter, let write, let cursor):
            try create(adapter)
            let key = try key(of: adapter.name)
            if let cursor { try writeCursor(cursor, of: key) }
            try apply(write, to: key)
        case .remove(let name): try remove(name)
        case .options(let name, let options):
            let key = try key(of: name)
            try database.run("UPDATE adapter SET options = ? WHERE key = ?", .blob(options.bytes), .number(key))
        case .update(let name, let write): try apply(write, to: try key(of: name))
        case .rename(let name, let new):
            let key = try key(of: name)
            try remove(new)
            try database.run("UPDATE adapter SET name = ? WHERE key = ?", .text(new), .number(key))
            keys[ExactText(name)] = nil
            keys[ExactText(new)] = key
        case .cursor(let name, let cursor): try writeCursor(cursor, of: try key(of: name))
        }
    }

    private func writeCursor(_ cursor: [UInt8], of key: Int64) throws(SQLiteFailure) {
        try database.run("UPDATE adapter SET cursor = ? WHERE key = ?", .blob(cursor), .number(key))
    }

    private mutating func key(of name: String) throws(SQLiteFailure) -> Int64 {
        if let key = keys[ExactText(name)] { return key }
        guard let key = try database.number("SELECT key FROM adapter WHERE name = ?", .text(name)) else {
            throw Self.noSuchAdapter(name)
        }
        keys[ExactText(name)] = key
        return key
    }

    /// Marks an adapter as removed and frees its name. ``sweep(_:)`` deletes its rows later, so that a removal needs
    /// little space in the log, however large the list is.
    private mutating func remove(_ name: String) throws(SQLiteFailure) {
        keys[ExactText(name)] = nil
        try database.run(
            "UPDATE adapter SET removed = 1, name = char(0) || key, epoch = '', options = x'' WHERE name = ?",
            .text(name))
    }

    /// Whether a name is that of a removed adapter. It begins with NUL, which no client's text can contain on D-Bus.
    static func isNameOfRemoved(_ name: String) -> Bool { name.utf8.first == 0 }

    /// The maximum size of a deletion in one transaction: a number of rows, and a number of bytes in them.
    struct Part {
        var rows: Int64
        var bytes: Int64

        /// The size while the disk has free space.
        static let large = Part(rows: 1024, bytes: 1 << 20)
        /// The smallest size, for a full disk.
        static let small = Part(rows: 16, bytes: 16 << 10)

        /// The next smaller size; nil for ``small``.
        var smaller: Part? { rows > Self.small.rows ? Part(rows: rows / 8, bytes: bytes / 8) : nil }
    }

    /// Deletes a part of the rows of removed adapters. Returns false when no removed adapter is left.
    func sweep(_ part: Part) throws(SQLiteFailure) -> Bool {
        guard let key = try database.number("SELECT key FROM adapter WHERE removed = 1 LIMIT 1") else { return false }
        if let last = try lastRow(
            of: part, selectedBy: "SELECT position, length(fields) FROM object WHERE adapter = ? ORDER BY position",
            adapter: key)
        {
            try database.run("DELETE FROM object WHERE adapter = ? AND position <= ?", .number(key), .number(last))
        } else if let last = try lastRow(
            of: part, selectedBy: "SELECT revision, length(bytes) FROM change WHERE adapter = ? ORDER BY revision",
            adapter: key)
        {
            try database.run("DELETE FROM change WHERE adapter = ? AND revision <= ?", .number(key), .number(last))
        } else {
            try database.run("DELETE FROM adapter WHERE key = ?", .number(key))
        }
        return true
    }

    /// Returns the key of the last row in a part; nil if there are no rows.
    ///
    /// - Parameter sql: selects the key and the size of each row.
    private func lastRow(of part: Part, selectedBy sql: String, adapter key: Int64) throws(SQLiteFailure) -> Int64? {
        var (left, last): (Part, Int64?) = (part, nil)
        let rows = try database.statement(sql, .number(key))
        defer { rows.reset() }
        while left.rows > 0, left.bytes > 0, try database.step(rows), let place = rows.number(0) {
            last = place
            left.rows -= 1
            left.bytes -= rows.number(1) ?? 0
        }
        return last
    }

    private mutating func create(_ adapter: StoredAdapter) throws(SQLiteFailure) {
        try remove(adapter.name)
        try database.run(
            "INSERT INTO adapter (name, epoch, owner, options, revision, configured) VALUES (?, ?, ?, ?, 0, ?)",
            .text(adapter.name), .text(adapter.epoch), .number(Int64(adapter.owner)), .blob(adapter.options.bytes),
            .number(adapter.isConfigured ? 1 : 0))
    }

    /// Writes an update of an adapter, or only its log and its limit.
    private func apply(_ write: StoreWrite, to key: Int64) throws(SQLiteFailure) {
        let (revision, limit) = (Int64(clamping: write.revision), Int64(clamping: write.limit))
        // The limit is lowered by the last write of a run only, as clients may have seen any revision of a block.
        let isLast = write.change == nil && write.limit == write.revision
        try database.run(
            isLast
                ? "UPDATE adapter SET revision = ?, \"limit\" = ? WHERE key = ?"
                : "UPDATE adapter SET revision = ?, \"limit\" = max(\"limit\", ?) WHERE key = ?",
            .number(revision), .number(max(revision, limit)), .number(key))
        if let change = write.change {
            if let objects = change.whole {
                try replaceObjects(of: key, with: objects)
            } else {
                try apply(change, to: key)
            }
            if let cursor = change.cursor { try writeCursor(cursor, of: key) }
        }
        for transaction in write.log {
            let change = StoredChange(transaction)
            try database.run(
                "INSERT OR REPLACE INTO change VALUES (?, ?, ?)", .number(key),
                .number(Int64(clamping: change.revision)), .blob(change.bytes))
        }
        try database.run(
            "DELETE FROM change WHERE adapter = ? AND revision <= ?", .number(key),
            .number(Int64(clamping: write.oldestRevision)))
    }

    private func replaceObjects(of key: Int64, with objects: [ListObject]) throws(SQLiteFailure) {
        try database.run("DELETE FROM object WHERE adapter = ?", .number(key))
        var position = OrderKeys.middle
        for object in objects {
            try insert(object, of: key, at: position)
            position += OrderKeys.gap
        }
    }

    private func apply(_ change: Change, to key: Int64) throws(SQLiteFailure) {
        for case (_, let object?) in change.removed { try delete(object.idBytes, of: key) }
        for object in change.updatedInPlace {
            try database.run(
                "UPDATE object SET type = ?, fields = ? WHERE adapter = ? AND id = ?", .text(object.type),
                .blob(object.fields.bytes), .number(key), .blob(object.idBytes))
        }
        let placed = change.placed
        for (object, _) in placed { try delete(object.idBytes, of: key) }
        let keys = OrderKeys(database: database, adapter: key)
        for (object, predecessor) in placed {
            try insert(object, of: key, at: try keys.makePosition(after: predecessor?.idBytes))
        }
    }

    private func delete(_ id: [UInt8], of key: Int64) throws(SQLiteFailure) {
        try database.run("DELETE FROM object WHERE adapter = ? AND id = ?", .number(key), .blob(id))
    }

    private func insert(_ object: ListObject, of key: Int64, at position: Int64) throws(SQLiteFailure) {
        try database.run(
            "INSERT INTO object VALUES (?, ?, ?, ?, ?)", .number(key), .number(position), .blob(object.idBytes),
            .text(object.type), .blob(object.fields.bytes))
    }
}

extension Fields {
    /// The canonical bytes.
    fileprivate var bytes: [UInt8] { withBytes { [UInt8](copying: $0) } }
}

extension ListObject {
    /// The bytes of the identifier.
    fileprivate var idBytes: [UInt8] { withIDBytes { [UInt8](copying: $0) } }
}

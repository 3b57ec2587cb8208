// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSupport

/// Puts changes into the tables; the caller keeps the transaction.
struct StoreWriter {
    let database: SQLiteDatabase
    /// The keys of adapters that were looked up.
    private var keys: [ExactText: Int64] = [:]

    init(database: SQLiteDatabase) { self.database = database }

    /// Forgets what a transaction knew that is undone.
    mutating func rolledBack() { keys = [:] }

    /// A fault of the caller's, in the words of a failure of the file.
    private static func unknown(_ name: String) -> SQLiteFailure {
        SQLiteFailure(code: 0, message: "the store has no adapter \(name.debugDescription)")
    }

    /// Writes that a run goes on with the file, and the new epochs that it begins with.
    func begin(_ run: StoreRun) throws(SQLiteFailure) {
        for (name, epoch) in run.newEpochs {
            try database.run("UPDATE adapter SET epoch = ? WHERE name = ?", .text(epoch), .text(name))
        }
        try database.run("INSERT OR REPLACE INTO run (key, boot, ended) VALUES (1, ?, 0)", .text(run.boot))
    }

    /// Writes that the run has ended well.
    func end() throws(SQLiteFailure) { try database.run("UPDATE run SET ended = 1") }

    /// Writes one change.
    mutating func apply(_ change: StoreChange) throws(SQLiteFailure) {
        switch change {
        case .create(let adapter): try create(adapter)
        case .createFilled(let adapter, let transaction, let log, let cursor):
            try create(adapter)
            let key = try key(adapter.name)
            if let cursor { try write(cursor, key) }
            try update(key, transaction, limit: transaction.revision)
            try remember(log, forgetBefore: 0, key)
        case .remove(let name): try remove(name)
        case .options(let name, let options):
            let key = try key(name)
            try database.run("UPDATE adapter SET options = ? WHERE key = ?", .blob(options.bytes), .number(key))
        case .update(let name, let transaction, let log, let oldest, let limit, let cursor):
            let key = try key(name)
            try update(key, transaction, limit: limit)
            if let cursor { try write(cursor, key) }
            try remember(log, forgetBefore: oldest, key)
        case .rename(let name, let new):
            let key = try key(name)
            try remove(new)
            try database.run("UPDATE adapter SET name = ? WHERE key = ?", .text(new), .number(key))
            keys[ExactText(name)] = nil
            keys[ExactText(new)] = key
        case .cursor(let name, let cursor): try write(cursor, try key(name))
        case .reserve(let name, let limit):
            // Never lowered: who was given a revision of an older block keeps it for himself.
            try database.run(
                "UPDATE adapter SET \"limit\" = max(\"limit\", ?) WHERE key = ?", .number(Int64(clamping: limit)),
                .number(try key(name)))
        case .settle(let name, let revision, let log, let oldest):
            let key = try key(name)
            let last = Int64(clamping: revision)
            try database.run(
                "UPDATE adapter SET revision = ?, \"limit\" = ? WHERE key = ?", .number(last), .number(last),
                .number(key))
            try remember(log, forgetBefore: oldest, key)
        }
    }

    private func write(_ cursor: [UInt8], _ key: Int64) throws(SQLiteFailure) {
        try database.run("UPDATE adapter SET cursor = ? WHERE key = ?", .blob(cursor), .number(key))
    }

    private mutating func key(_ name: String) throws(SQLiteFailure) -> Int64 {
        if let key = keys[ExactText(name)] { return key }
        guard let key = try database.number("SELECT key FROM adapter WHERE name = ?", .text(name)) else {
            throw Self.unknown(name)
        }
        keys[ExactText(name)] = key
        return key
    }

    /// Takes the name away; ``sweep(_:)`` takes the rest, so that this needs little room however large the list is.
    private mutating func remove(_ name: String) throws(SQLiteFailure) {
        keys[ExactText(name)] = nil
        try database.run(
            "UPDATE adapter SET removed = 1, name = char(0) || key, epoch = '', options = x'' WHERE name = ?",
            .text(name))
    }

    /// Whether a name is that of a removed adapter, which no client can give: the bus has no text with NUL.
    static func isNameOfRemoved(_ name: String) -> Bool { name.utf8.first == 0 }

    /// How much of a removed adapter goes in one transaction: so many rows, or fewer that have so many bytes.
    struct Part {
        var rows: Int64
        var bytes: Int64

        /// The most that one transaction deletes while the disk has room.
        static let large = Part(rows: 1024, bytes: 1 << 20)
        /// What needs as little room as a removal can.
        static let small = Part(rows: 16, bytes: 16 << 10)

        /// The next smaller one; nil if there is none.
        var smaller: Part? { rows > Self.small.rows ? Part(rows: rows / 8, bytes: bytes / 8) : nil }
    }

    /// Deletes a part of what is left of removed adapters; false when nothing is left.
    func sweep(_ part: Part) throws(SQLiteFailure) -> Bool {
        guard let key = try database.number("SELECT key FROM adapter WHERE removed = 1 LIMIT 1") else { return false }
        if let last = try end(
            of: part, "SELECT position, length(fields) FROM object WHERE adapter = ? ORDER BY position", key)
        {
            try database.run("DELETE FROM object WHERE adapter = ? AND position <= ?", .number(key), .number(last))
        } else if let last = try end(
            of: part, "SELECT revision, length(bytes) FROM change WHERE adapter = ? ORDER BY revision", key)
        {
            try database.run("DELETE FROM change WHERE adapter = ? AND revision <= ?", .number(key), .number(last))
        } else {
            try database.run("DELETE FROM adapter WHERE key = ?", .number(key))
        }
        return true
    }

    /// The last row of a part: the first column of rows whose second one is their size.
    private func end(of part: Part, _ sql: String, _ key: Int64) throws(SQLiteFailure) -> Int64? {
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

    private func remember(
        _ log: [StoredChange], forgetBefore oldest: UInt64, _ key: Int64
    ) throws(SQLiteFailure) {
        for change in log {
            try database.run(
                "INSERT OR REPLACE INTO change VALUES (?, ?, ?)", .number(key),
                .number(Int64(clamping: change.revision)), .blob(change.bytes))
        }
        try database.run(
            "DELETE FROM change WHERE adapter = ? AND revision < ?", .number(key), .number(Int64(clamping: oldest)))
    }

    private func update(
        _ key: Int64, _ transaction: PreparedTransaction, limit: UInt64
    ) throws(SQLiteFailure) {
        let revision = transaction.revision
        try database.run(
            "UPDATE adapter SET revision = ?, \"limit\" = max(\"limit\", ?) WHERE key = ?",
            .number(Int64(clamping: revision)), .number(Int64(clamping: max(revision, limit))), .number(key))
        switch transaction.content {
        case .replace(let objects): try replace(key, objects)
        case .changes(let changes): try change(key, changes)
        }
    }

    private func replace(_ key: Int64, _ objects: [ListObject]) throws(SQLiteFailure) {
        try database.run("DELETE FROM object WHERE adapter = ?", .number(key))
        var position = OrderKeys.middle
        for object in objects {
            try insert(key, object, at: position)
            position += OrderKeys.gap
        }
    }

    private func change(_ key: Int64, _ changes: PreparedTransaction.Changes) throws(SQLiteFailure) {
        for id in changes.removed { try delete(key, Array(id.utf8)) }
        for object in changes.updated {
            try database.run(
                "UPDATE object SET type = ?, fields = ? WHERE adapter = ? AND id = ?", .text(object.type),
                .blob(object.fields.bytes), .number(key), .blob(object.idBytes))
        }
        for placement in changes.placed { try delete(key, placement.object.idBytes) }
        let keys = OrderKeys(database: database, adapter: key)
        for placement in changes.placed {
            let position = try keys.position(after: placement.predecessor.map { Array($0.utf8) })
            try insert(key, placement.object, at: position)
        }
    }

    private func delete(_ key: Int64, _ id: [UInt8]) throws(SQLiteFailure) {
        try database.run("DELETE FROM object WHERE adapter = ? AND id = ?", .number(key), .blob(id))
    }

    private func insert(_ key: Int64, _ object: ListObject, at position: Int64) throws(SQLiteFailure) {
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

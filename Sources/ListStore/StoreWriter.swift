// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSupport

/// A list that a transaction changed, as the mark records it.
struct WrittenList {
    let key: Int64
    /// The name; nil when the list was removed.
    let name: String?
    let revision: UInt64
}

/// A writer of changes to the tables, inside of the caller's transaction, which ends with ``finish()``.
struct StoreWriter {
    let database: SQLiteDatabase
    /// A cache of the adapters' keys by their names.
    private var keys: [ExactText: Int64] = [:]
    /// What the transaction added to the digests of lists, by key.
    private var added: [Int64: StoredRow.Sums] = [:]
    /// The number of the last change.
    private var number: Int64
    /// The number of the last change before the transaction.
    private var numberBefore: Int64

    /// - Parameter number: the number of the database's last change.
    init(database: SQLiteDatabase, number: Int64) {
        self.database = database
        (numberBefore, self.number) = (number, number)
    }

    /// Forgets a transaction that was rolled back, and the keys that it created.
    mutating func rollBack() {
        keys = [:]
        added = [:]
        number = numberBefore
    }

    /// Returns the number of the last change in the database.
    static func lastNumber(in database: SQLiteDatabase) throws(SQLiteFailure) -> Int64 {
        max(
            try database.number("SELECT max(written) FROM adapter") ?? 0,
            try database.number("SELECT max(written) FROM run") ?? 0)
    }

    /// Writes the numbers and digests of the lists that the transaction changed.
    mutating func finish() throws(SQLiteFailure) -> [WrittenList] {
        var written: [WrittenList] = []
        for (key, sums) in added {
            let row = try database.statement("SELECT \(StoredRow.columns) FROM adapter WHERE key = ?", .number(key))
            defer { row.reset() }
            guard try database.step(row) else { continue }
            var total = StoredRow.Sums(row)
            total &+= sums
            let digest = StoredRow.digest(of: row, key: key, number, total)
            written.append(
                WrittenList(
                    key: key, name: row.number(9) == 0 ? row.text(1) : nil,
                    revision: UInt64(clamping: row.number(5) ?? 0)))
            try database.run(
                "UPDATE adapter SET written = ?, contents = ?, places = ?, log = ?, digest = ? WHERE key = ?",
                .number(number), .number(Int64(bitPattern: total.contents)), .number(Int64(bitPattern: total.places)),
                .number(Int64(bitPattern: total.log)), .number(digest), .number(key))
        }
        added = [:]
        return written
    }

    /// Records that the transaction is committed, and returns the number of its last change.
    mutating func commit() -> Int64 {
        numberBefore = number
        return number
    }

    /// Computes the digests of all lists anew from their rows (migrations).
    mutating func makeDigests() throws(SQLiteFailure) {
        var keys: [Int64] = []
        let rows = try database.statement("SELECT key FROM adapter")
        while try database.step(rows) { if let key = rows.number(0) { keys.append(key) } }
        for key in keys {
            var sums = StoredRow.Sums()
            let objects = try database.statement(
                "SELECT id, type, fields, position FROM object WHERE adapter = ?", .number(key))
            while try database.step(objects) { sums &+= Self.sums(ofObject: objects) }
            let changes = try database.statement("SELECT revision, bytes FROM change WHERE adapter = ?", .number(key))
            while try database.step(changes) {
                sums.log &+= changes.withBytes(1) {
                    StoreDigest.change(revision: changes.number(0) ?? 0, bytes: $0)
                }
            }
            added[key] = sums
        }
        _ = try finish()
    }

    /// Returns the digests of an object in the columns id, type, fields, position.
    private static func sums(ofObject row: SQLiteStatement) -> StoredRow.Sums {
        var sums = StoredRow.Sums()
        row.withBytes(0) { id in
            sums.contents = row.withBytes(1) { type in
                row.withBytes(2) { StoreDigest.object(id: id, type: type, fields: $0) }
            }
            sums.places = StoreDigest.place(row.number(3) ?? 0, id: id)
        }
        return sums
    }

    private mutating func add(_ sums: StoredRow.Sums, to key: Int64) { added[key, default: .init()] &+= sums }

    private mutating func touch(_ key: Int64) { add(.init(), to: key) }

    /// Returns the error for an adapter that is not stored, which is a fault of the caller.
    private static func noSuchAdapter(_ name: String) -> SQLiteFailure {
        SQLiteFailure(code: 0, message: "the store has no adapter \(name.quoted)")
    }

    /// Records the start of a run, and writes its new epochs and losses.
    mutating func recordBegin(of run: StoreRun) throws(SQLiteFailure) {
        for (name, epoch) in run.newEpochs {
            touch(try key(of: name))
            try database.run("UPDATE adapter SET epoch = ? WHERE name = ?", .text(epoch), .text(name))
        }
        try database.run(
            "INSERT OR REPLACE INTO run (key, boot, ended, mark, written) VALUES (1, ?, 0, ?, ?)", .text(run.boot),
            .text(run.mark.text), .number(number))
        for loss in run.newLosses { try write(loss) }
        try database.run("UPDATE loss SET logged = 1")
        try database.run(
            "DELETE FROM loss WHERE key <= (SELECT max(key) FROM loss) - ?", .number(Int64(Loss.mostKept)))
    }

    /// Adds a loss to those that nobody has acknowledged.
    func write(_ loss: Loss) throws(SQLiteFailure) {
        try database.run(
            "INSERT INTO loss (time, text) VALUES (?, ?)", .number(loss.time), .text(loss.text))
    }

    func removeLosses() throws(SQLiteFailure) { try database.run("DELETE FROM loss") }

    /// Records that the run has ended in order.
    func recordEndOfRun() throws(SQLiteFailure) { try database.run("UPDATE run SET ended = 1") }

    mutating func apply(_ change: StoreChange) throws(SQLiteFailure) {
        number += 1
        try write(change)
    }

    private mutating func write(_ change: StoreChange) throws(SQLiteFailure) {
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

    /// Returns the key of a list that the transaction changes.
    private mutating func key(of name: String) throws(SQLiteFailure) -> Int64 {
        if let key = keys[ExactText(name)] {
            touch(key)
            return key
        }
        guard let key = try database.number("SELECT key FROM adapter WHERE name = ?", .text(name)) else {
            throw Self.noSuchAdapter(name)
        }
        keys[ExactText(name)] = key
        touch(key)
        return key
    }

    /// Marks an adapter as removed and frees its name. ``sweep(_:)`` deletes its rows later, so that a removal needs
    /// little space in the log, however large the list is.
    private mutating func remove(_ name: String) throws(SQLiteFailure) {
        keys[ExactText(name)] = nil
        guard let key = try database.number("SELECT key FROM adapter WHERE name = ?", .text(name)) else { return }
        touch(key)
        try database.run(
            "UPDATE adapter SET removed = 1, name = char(0) || key, epoch = '', options = x'' WHERE key = ?",
            .number(key))
    }

    /// Whether a name is that of a removed adapter. It begins with NUL, which no client's text can contain on D-Bus.
    static func isNameOfRemoved(_ name: String) -> Bool { name.utf8.first == 0 }

    /// The maximum size of a deletion in one transaction: a number of rows, and a number of bytes in them.
    struct SweepSize {
        var rows: Int64
        var bytes: Int64

        /// The size while the disk has free space.
        static let large = SweepSize(rows: 1024, bytes: 1 << 20)
        /// The smallest size, for a full disk.
        static let small = SweepSize(rows: 16, bytes: 16 << 10)

        /// The next smaller size; nil for ``small``.
        var smaller: SweepSize? { rows > Self.small.rows ? SweepSize(rows: rows / 8, bytes: bytes / 8) : nil }
    }

    /// Deletes a part of the rows of removed adapters. Returns false when no removed adapter is left.
    func sweep(_ size: SweepSize) throws(SQLiteFailure) -> Bool {
        guard let key = try database.number("SELECT key FROM adapter WHERE removed = 1 LIMIT 1") else { return false }
        if let last = try lastRow(
            of: size, selectedBy: "SELECT position, length(fields) FROM object WHERE adapter = ? ORDER BY position",
            adapter: key)
        {
            try database.run("DELETE FROM object WHERE adapter = ? AND position <= ?", .number(key), .number(last))
        } else if let last = try lastRow(
            of: size, selectedBy: "SELECT revision, length(bytes) FROM change WHERE adapter = ? ORDER BY revision",
            adapter: key)
        {
            try database.run("DELETE FROM change WHERE adapter = ? AND revision <= ?", .number(key), .number(last))
        } else {
            try database.run("DELETE FROM adapter WHERE key = ?", .number(key))
            try database.run("UPDATE run SET written = max(written, ?)", .number(number))
        }
        return true
    }

    /// Returns the key of the last row that a deletion of a size has; nil if there are no rows.
    ///
    /// - Parameter sql: selects the key and the size of each row.
    private func lastRow(of size: SweepSize, selectedBy sql: String, adapter key: Int64) throws(SQLiteFailure) -> Int64?
    {
        var (left, last): (SweepSize, Int64?) = (size, nil)
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
        _ = try key(of: adapter.name)
    }

    /// Writes an update of an adapter, or only its log and its limit.
    private mutating func apply(_ write: StoreWrite, to key: Int64) throws(SQLiteFailure) {
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
        var sums = StoredRow.Sums()
        for transaction in write.log {
            let change = StoredChange(transaction)
            let revision = Int64(clamping: change.revision)
            let digest = StoreDigest.change(revision: revision, bytes: change.bytes.span)
            let replaced = try database.number(
                "SELECT digest FROM change WHERE adapter = ? AND revision = ?", .number(key), .number(revision))
            sums.log = sums.log &+ digest &- UInt64(bitPattern: replaced ?? 0)
            try database.run(
                "INSERT OR REPLACE INTO change VALUES (?, ?, ?, ?)", .number(key), .number(revision),
                .blob(change.bytes), .number(Int64(bitPattern: digest)))
        }
        let forgotten = try database.statement(
            "DELETE FROM change WHERE adapter = ? AND revision <= ? RETURNING digest", .number(key),
            .number(Int64(clamping: write.oldestRevision)))
        while try database.step(forgotten) { sums.log &-= UInt64(bitPattern: forgotten.number(0) ?? 0) }
        add(sums, to: key)
    }

    private mutating func replaceObjects(of key: Int64, with objects: [ListObject]) throws(SQLiteFailure) {
        try database.run("DELETE FROM object WHERE adapter = ?", .number(key))
        // The sums of the objects begin anew, whatever the row and the transaction have so far.
        try database.run("UPDATE adapter SET contents = 0, places = 0 WHERE key = ?", .number(key))
        added[key, default: .init()].contents = 0
        added[key, default: .init()].places = 0
        var position = OrderKeys.middle
        for object in objects {
            try insert(object, of: key, at: position)
            position += OrderKeys.gap
        }
    }

    private mutating func apply(_ change: Change, to key: Int64) throws(SQLiteFailure) {
        for case (_, let object?) in change.removed { try delete(object.idBytes, of: key) }
        for object in change.updatedInPlace {
            guard let position = try take(object.idBytes, of: key) else { continue }
            try database.run(
                "UPDATE object SET type = ?, fields = ? WHERE adapter = ? AND position = ?", .text(object.type),
                .blob(object.fields.bytes), .number(key), .number(position))
            add(sums(of: object, at: position), to: key)
        }
        let placed = change.placed
        for (object, _) in placed { try delete(object.idBytes, of: key) }
        var keys = OrderKeys(database: database, adapter: key)
        for (object, predecessor) in placed {
            let position = try keys.makePosition(after: predecessor?.idBytes)
            try insert(object, of: key, at: position)
        }
        var moved = StoredRow.Sums()
        moved.places = keys.addedPlaces
        add(moved, to: key)
    }

    private mutating func delete(_ id: [UInt8], of key: Int64) throws(SQLiteFailure) {
        guard let position = try take(id, of: key) else { return }
        try database.run("DELETE FROM object WHERE adapter = ? AND position = ?", .number(key), .number(position))
    }

    /// Takes the digests of an object out of those of its list. Returns the object's position; nil = there is no such
    /// object.
    ///
    /// - Throws: `corruption` when the index leads to another object.
    private mutating func take(_ id: [UInt8], of key: Int64) throws(SQLiteFailure) -> Int64? {
        guard
            let position = try database.number(
                "SELECT position FROM object WHERE adapter = ? AND id = ?", .number(key), .blob(id))
        else { return nil }
        let row = try database.statement(
            "SELECT id, type, fields, position FROM object WHERE adapter = ? AND position = ?", .number(key),
            .number(position))
        defer { row.reset() }
        guard try database.step(row), row.bytes(0) == id else {
            throw .corruption("the index of the objects is damaged")
        }
        let old = Self.sums(ofObject: row)
        var sums = StoredRow.Sums()
        (sums.contents, sums.places) = (0 &- old.contents, 0 &- old.places)
        add(sums, to: key)
        return position
    }

    private mutating func insert(
        _ object: ListObject, of key: Int64, at position: Int64
    ) throws(SQLiteFailure) {
        try database.run(
            "INSERT INTO object VALUES (?, ?, ?, ?, ?)", .number(key), .number(position), .blob(object.idBytes),
            .text(object.type), .blob(object.fields.bytes))
        add(sums(of: object, at: position), to: key)
    }

    private func sums(of object: ListObject, at position: Int64) -> StoredRow.Sums {
        var sums = StoredRow.Sums()
        object.withIDBytes { id in
            sums.contents = object.fields.withBytes {
                StoreDigest.object(id: id, type: Array(object.type.utf8).span, fields: $0)
            }
            sums.places = StoreDigest.place(position, id: id)
        }
        return sums
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

/// The assignment of positions to inserted objects of one adapter.
///
/// Positions have gaps. When a gap is used up, the rows after it are renumbered: first 64, then more and more, until
/// the gaps are large enough for many insertions. On average an insertion renumbers O(log n) rows, in the caller's
/// transaction.
struct OrderKeys {
    /// The position of the first object of a new list, in the middle of the range.
    static let middle: Int64 = 1 << 61
    /// The distance of neighbours in a new list.
    static let gap: Int64 = 1 << 30
    /// The minimum distance of renumbered rows.
    private static let room: Int64 = 1 << 10
    /// The range of positions.
    private static let bounds: (lowest: Int64, highest: Int64) = (1, 1 << 62)

    let database: SQLiteDatabase
    let adapter: Int64
    /// What renumbered rows added to the digest of the list's places.
    private(set) var addedPlaces: UInt64 = 0

    init(database: SQLiteDatabase, adapter: Int64) { (self.database, self.adapter) = (database, adapter) }

    /// Returns a free position directly after an object, or before all objects for nil. Without a free position, other
    /// objects get new ones first.
    mutating func makePosition(after id: [UInt8]?) throws(SQLiteFailure) -> Int64 {
        if let position = try freePosition(after: id) { return position }
        try makeRoom(after: try storedPosition(of: id))
        guard let position = try freePosition(after: id) else {
            throw SQLiteFailure(code: 0, message: "the positions of the list's objects are exhausted")
        }
        return position
    }

    /// Returns the position of an object; for nil, a position before all objects.
    private func storedPosition(of id: [UInt8]?) throws(SQLiteFailure) -> Int64 {
        guard let id else { return Self.bounds.lowest - 1 }
        let found = try database.number(
            "SELECT position FROM object WHERE adapter = ? AND id = ?", .number(adapter), .blob(id))
        guard let found else { throw SQLiteFailure(code: 0, message: "the predecessor of a new object is not stored") }
        return found
    }

    private func freePosition(after id: [UInt8]?) throws(SQLiteFailure) -> Int64? {
        let before = try storedPosition(of: id)
        let after = try database.number(
            "SELECT min(position) FROM object WHERE adapter = ? AND position > ?", .number(adapter), .number(before))
        switch (id, after) {
        case (nil, nil): return Self.middle
        case (nil, let after?):
            let position = after > Self.gap ? after - Self.gap : after / 2
            return position >= Self.bounds.lowest && position < after ? position : nil
        case (_, nil): return before <= Self.bounds.highest - Self.gap ? before + Self.gap : nil
        case (_, let after?): return after - before > 1 ? before + (after - before) / 2 : nil
        }
    }

    private mutating func makeRoom(after position: Int64) throws(SQLiteFailure) {
        var count: Int64 = 64
        while true {
            // The first row that keeps its position; if there is none, all positions up to the highest are available.
            let next = try database.number(
                "SELECT position FROM object WHERE adapter = ? AND position > ? ORDER BY position LIMIT 1 OFFSET ?",
                .number(adapter), .number(position), .number(count))
            let end = next ?? Self.bounds.highest
            if (end - position) / (count + 1) >= Self.room {
                return try spreadRows(after: position, before: next, count: count)
            }
            if next == nil { return try renumberAll() }
            count *= 4
        }
    }

    private mutating func spreadRows(after position: Int64, before next: Int64?, count: Int64) throws(SQLiteFailure) {
        let end = next ?? Self.bounds.highest
        try renumber(after: position, before: end, step: min(Self.gap, (end - position) / (count + 1)), from: position)
    }

    private mutating func renumberAll() throws(SQLiteFailure) {
        let count = try database.number("SELECT count(*) FROM object WHERE adapter = ?", .number(adapter)) ?? 0
        let step = min(Self.gap, Self.middle / (count + 2))
        try renumber(after: Self.bounds.lowest - 1, before: .max, step: step, from: Self.middle / 2)
    }

    /// Assigns new positions to the rows of a range. A new position may still be used by another row, so the rows
    /// first get negative positions, and then the final ones.
    private mutating func renumber(after: Int64, before: Int64, step: Int64, from start: Int64) throws(SQLiteFailure) {
        var moved: [(old: Int64, id: [UInt8])] = []
        let rows = try database.statement(
            "SELECT position, id FROM object WHERE adapter = ? AND position > ? AND position < ? ORDER BY position",
            .number(adapter), .number(after), .number(before))
        while try database.step(rows) {
            if let position = rows.number(0) { moved.append((position, rows.bytes(1))) }
        }
        var position = start
        for (old, id) in moved {
            position += step
            addedPlaces &+= StoreDigest.place(position, id: id.span) &- StoreDigest.place(old, id: id.span)
            try database.run(
                "UPDATE object SET position = ? WHERE adapter = ? AND position = ?", .number(-position),
                .number(adapter), .number(old))
        }
        try database.run("UPDATE object SET position = -position WHERE adapter = ? AND position < 0", .number(adapter))
    }
}

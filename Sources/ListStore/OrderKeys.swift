// SPDX-License-Identifier: Apache-2.0

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

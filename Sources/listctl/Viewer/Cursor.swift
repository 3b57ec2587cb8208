// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The row and the item on which keys act. It makes no calls.
///
/// The cursor is on an item and follows the item on the screen. When the item leaves the screen, the cursor stays on
/// its row.
struct Cursor: Equatable {
    typealias Rows = [[Picture.Shown]]

    /// The index of the cursor's row on the screen.
    private(set) var row = 0
    /// The index of the cursor's item among the items of its row.
    private(set) var column = 0
    /// The place of the cursor's item; nil when the screen is empty.
    private(set) var place: Place?

    /// Follows the cursor's item to its row in another picture. If the item has left, the cursor moves to the item on
    /// its row or the nearest row with items. A cursor without an item moves to the first item.
    mutating func update(in rows: Rows) {
        if place == nil, let first = rows.firstIndex(where: { $0.contains { $0.kind == "cell" } }) {
            move(toRow: first, in: rows)
        } else if let place, let (row, column) = Self.find(place, in: rows) {
            (self.row, self.column) = (row, column)
        } else {
            move(toRowNear: row, in: rows)
        }
    }

    /// Moves to a place. Returns whether the place is on the screen.
    mutating func go(to place: Place, in rows: Rows) -> Bool {
        guard let (row, column) = Self.find(place, in: rows) else { return false }
        (self.row, self.column, self.place) = (row, column, place)
        return true
    }

    /// Moves the cursor to a place that is not on the screen yet.
    mutating func setPlace(_ place: Place) { self.place = place }

    /// Moves to the next row with items, down or up. Returns whether there is such a row.
    mutating func move(by step: Int, in rows: Rows) -> Bool {
        var next = row + step
        while rows.indices.contains(next) {
            if !rows[next].isEmpty {
                move(toRow: next, in: rows)
                return true
            }
            next += step
        }
        return false
    }

    /// Moves to the next item of the row. Returns whether there is such an item.
    mutating func moveSideways(by step: Int, in rows: Rows) -> Bool {
        guard rows.indices.contains(row), rows[row].indices.contains(column + step) else { return false }
        column += step
        place = Place(of: rows[row][column])
        return true
    }

    /// Moves to the row, or to the nearest row with items.
    mutating func move(toRowNear wanted: Int, in rows: Rows) {
        let filled = rows.indices.filter { !rows[$0].isEmpty }
        guard let nearest = filled.min(by: { abs($0 - wanted) < abs($1 - wanted) }) else {
            (row, column, place) = (0, 0, nil)
            return
        }
        move(toRow: nearest, in: rows)
    }

    /// Moves to the item at a position of the screen. Returns whether the cursor was there already; nil when there is
    /// no item.
    mutating func move(toRow row: Int, x: Double, in rows: Rows) -> Bool? {
        guard rows.indices.contains(row), !rows[row].isEmpty else { return nil }
        let before = (self.row, column)
        move(toRow: row, in: rows)
        column = rows[row].lastIndex { $0.frame.x <= x } ?? 0
        place = Place(of: rows[row][column])
        return before == (self.row, column)
    }

    /// Returns the item under the cursor.
    func item(in rows: Rows) -> Picture.Shown? {
        rows.indices.contains(row) && rows[row].indices.contains(column) ? rows[row][column] : nil
    }

    private mutating func move(toRow row: Int, in rows: Rows) {
        self.row = row
        column = min(column, rows[row].count - 1)
        place = Place(of: rows[row][column])
    }

    private static func find(_ place: Place, in rows: Rows) -> (row: Int, column: Int)? {
        for (row, items) in rows.enumerated() {
            if let column = items.firstIndex(where: place.matches) { return (row, column) }
        }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The row, and the item in it, that keys act on. Makes no calls.
///
/// It is on an item and follows it on the screen. When the item leaves, the cursor stays on its row.
struct Cursor: Equatable {
    typealias Rows = [[Picture.Shown]]

    /// The row of the list on the screen.
    private(set) var row = 0
    /// Which of several items beside each other.
    private(set) var column = 0
    /// The place under it; nil when the screen is empty.
    private(set) var place: Place?

    /// Follows its item in another picture; without it, uses the item on its row or next to it, at first the first
    /// item.
    mutating func settle(in rows: Rows) {
        if place == nil, let first = rows.firstIndex(where: { $0.contains { $0.kind == "cell" } }) {
            stand(on: first, in: rows)
        } else if let place, let (row, column) = Self.find(place, in: rows) {
            (self.row, self.column) = (row, column)
        } else {
            stand(onOrNear: row, in: rows)
        }
    }

    /// Moves to a place; returns whether the screen has it.
    mutating func go(to place: Place, in rows: Rows) -> Bool {
        guard let (row, column) = Self.find(place, in: rows) else { return false }
        (self.row, self.column, self.place) = (row, column, place)
        return true
    }

    /// Sets a place that the screen does not show yet.
    mutating func aim(at place: Place) { self.place = place }

    /// Moves to the next row with items, down or up; returns whether there is one.
    mutating func move(by step: Int, in rows: Rows) -> Bool {
        var next = row + step
        while rows.indices.contains(next) {
            if !rows[next].isEmpty {
                stand(on: next, in: rows)
                return true
            }
            next += step
        }
        return false
    }

    /// Moves to the next item of the row; returns whether there is one.
    mutating func moveSideways(by step: Int, in rows: Rows) -> Bool {
        guard rows.indices.contains(row), rows[row].indices.contains(column + step) else { return false }
        column += step
        place = Place(of: rows[row][column])
        return true
    }

    /// Moves to the nearest row with items.
    mutating func stand(onOrNear wanted: Int, in rows: Rows) {
        let filled = rows.indices.filter { !rows[$0].isEmpty }
        guard let nearest = filled.min(by: { abs($0 - wanted) < abs($1 - wanted) }) else {
            (row, column, place) = (0, 0, nil)
            return
        }
        stand(on: nearest, in: rows)
    }

    /// Moves to the item at a position of the screen; returns whether it was there already, nil when there is none.
    mutating func point(row: Int, x: Double, in rows: Rows) -> Bool? {
        guard rows.indices.contains(row), !rows[row].isEmpty else { return nil }
        let before = (self.row, column)
        stand(on: row, in: rows)
        column = rows[row].lastIndex { $0.frame.x <= x } ?? 0
        place = Place(of: rows[row][column])
        return before == (self.row, column)
    }

    /// The item under it.
    func item(in rows: Rows) -> Picture.Shown? {
        rows.indices.contains(row) && rows[row].indices.contains(column) ? rows[row][column] : nil
    }

    private mutating func stand(on row: Int, in rows: Rows) {
        self.row = row
        column = min(column, rows[row].count - 1)
        place = Place(of: rows[row][column])
    }

    private static func find(_ place: Place, in rows: Rows) -> (row: Int, column: Int)? {
        for (row, items) in rows.enumerated() {
            if let column = items.firstIndex(where: place.isPlace) { return (row, column) }
        }
        return nil
    }
}

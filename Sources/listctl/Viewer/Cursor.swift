// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The row, and the item in it, that keys act on. Pure.
///
/// It stands on an item and follows it wherever it goes on the screen. When the item leaves, the cursor stays on its row.
struct Cursor: Equatable {
    typealias Rows = [[Picture.Shown]]

    /// The row of the list on the screen.
    private(set) var row = 0
    /// What of several items beside each other.
    private(set) var column = 0
    /// What stands there; nil when the screen has nothing.
    private(set) var place: Place?

    /// Follows its item in another picture, else takes what stands on its row or next to it; at first, the first item.
    mutating func settle(in rows: Rows) {
        if place == nil, let first = rows.firstIndex(where: { $0.contains { $0.kind == "cell" } }) {
            stand(on: first, in: rows)
        } else if let place, let (row, column) = Self.find(place, in: rows) {
            (self.row, self.column) = (row, column)
        } else {
            stand(onOrNear: row, in: rows)
        }
    }

    /// Goes to something; whether the screen has it.
    mutating func go(to place: Place, in rows: Rows) -> Bool {
        guard let (row, column) = Self.find(place, in: rows) else { return false }
        (self.row, self.column, self.place) = (row, column, place)
        return true
    }

    /// Stands on something from now on, which the screen does not show yet.
    mutating func aim(at place: Place) { self.place = place }

    /// To the next row with items, down or up; whether there is one.
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

    /// To the next item of the row; whether there is one.
    mutating func moveSideways(by step: Int, in rows: Rows) -> Bool {
        guard rows.indices.contains(row), rows[row].indices.contains(column + step) else { return false }
        column += step
        place = Place(of: rows[row][column])
        return true
    }

    /// To a row with items, as near as can be.
    mutating func stand(onOrNear wanted: Int, in rows: Rows) {
        let filled = rows.indices.filter { !rows[$0].isEmpty }
        guard let nearest = filled.min(by: { abs($0 - wanted) < abs($1 - wanted) }) else {
            (row, column, place) = (0, 0, nil)
            return
        }
        stand(on: nearest, in: rows)
    }

    /// To the item at a place of the screen; whether it stood there already, nil when there is nothing.
    mutating func point(row: Int, x: Double, in rows: Rows) -> Bool? {
        guard rows.indices.contains(row), !rows[row].isEmpty else { return nil }
        let before = (self.row, column)
        stand(on: row, in: rows)
        column = rows[row].lastIndex { $0.frame.x <= x } ?? 0
        place = Place(of: rows[row][column])
        return before == (self.row, column)
    }

    /// What stands there.
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

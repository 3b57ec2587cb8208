// SPDX-License-Identifier: Apache-2.0

/// The division of the terminal: a line above the list, margins beside it, a line below. Makes no calls.
struct ScreenFrame: Equatable {
    let columns: Int
    let rows: Int
    /// Whether there is a note to show above the last line, if there is room.
    let hasNote: Bool

    init(columns: Int, rows: Int, hasNote: Bool = false) {
        (self.columns, self.rows, self.hasNote) = (max(1, columns), max(1, rows), hasNote)
    }

    /// Whether there is room for more than the list and the last line.
    var headingRows: Int { rows >= 4 ? 1 : 0 }
    var noteRows: Int { hasNote && rows >= 8 ? 1 : 0 }
    /// Rows for the list, at least one.
    var listRows: Int { max(1, rows - 1 - headingRows - noteRows) }
    var hasMargins: Bool { columns >= 20 }
    /// The column of items' marks.
    var leftMargin: Int { hasMargins ? 2 : 0 }
    /// The column of the scroll bar, after a blank.
    var rightMargin: Int { hasMargins ? 2 : 0 }
    var listColumns: Int { columns - leftMargin - rightMargin }
}

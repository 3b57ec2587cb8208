// SPDX-License-Identifier: Apache-2.0

/// The division of the terminal: a heading above the list, margins beside the list, a note and the status line below.
/// It makes no calls.
struct ScreenFrame: Equatable {
    let columns: Int
    let rows: Int
    /// Whether there is a note, which is shown above the status line if there is room.
    let hasNote: Bool

    init(columns: Int, rows: Int, hasNote: Bool = false) {
        (self.columns, self.rows, self.hasNote) = (max(1, columns), max(1, rows), hasNote)
    }

    /// The number of rows for the heading: 1 if there is room for more than the list and the status line.
    var headingRows: Int { rows >= 4 ? 1 : 0 }
    var noteRows: Int { hasNote && rows >= 8 ? 1 : 0 }
    /// The number of rows for the list, at least one.
    var listRows: Int { max(1, rows - 1 - headingRows - noteRows) }
    var hasMargins: Bool { columns >= 20 }
    /// The width of the margin with the marks of selected items.
    var leftMargin: Int { hasMargins ? 2 : 0 }
    /// The width of the margin with a blank and the scroll bar.
    var rightMargin: Int { hasMargins ? 2 : 0 }
    var listColumns: Int { columns - leftMargin - rightMargin }
}

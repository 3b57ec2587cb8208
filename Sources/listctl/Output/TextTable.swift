// SPDX-License-Identifier: Apache-2.0

/// The format of a table: rows of cells in aligned columns.
struct TextTable {
    /// The title and format of one column.
    struct Column {
        let title: String
        var isNumber = false
        /// Returns the style of a cell by its text.
        var role: @Sendable (String) -> TextStyle.Role = { _ in .plain }
    }

    private let columns: [Column]
    /// The widths of the columns that fit on the terminal.
    private let widths: [Int]
    private let style: TextStyle

    /// Creates a table whose columns are as wide as the given rows need.
    ///
    /// A wider cell in another row is cut on a terminal; elsewhere, it shifts the cells that follow. Columns at the end
    /// that do not fit on the terminal are left out.
    ///
    /// - Parameter widest: the maximum width of a column on a terminal.
    init(_ columns: [Column], for rows: [[String]], style: TextStyle, widest: Int = .max) {
        self.columns = columns
        self.style = style
        let needed = columns.indices.map { column in
            let cells = [columns[column].title] + rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }
            return min(widest, cells.map { DisplayText.columns(of: $0) }.max() ?? 0)
        }
        widths = style.columns.map { Self.widths(needed, of: columns, fittingInto: $0) } ?? needed
    }

    /// The number of shown columns.
    var count: Int { widths.count }

    /// The number of blanks between two columns.
    private static let gap = 2
    /// The minimum width of a text column that is cut; a shorter part of a text would be useless.
    private static let narrowest = 8

    /// Returns the widths of the columns that fit into `room` columns of the terminal. The last one may be narrower
    /// than needed if it is a text; a number is never cut.
    private static func widths(_ needed: [Int], of columns: [Column], fittingInto room: Int) -> [Int] {
        var (widths, room) = ([Int](), room)
        for (column, width) in zip(columns, needed) {
            if width > room {
                let isCut = widths.isEmpty || (!column.isNumber && room >= narrowest)
                return isCut ? widths + [room] : widths
            }
            widths.append(width)
            room -= width + gap
        }
        return widths
    }

    /// The line of titles, all in the style of headings.
    var heading: String { style.painted(line(columns.map(\.title)) { _, _ in .plain }, .heading) }

    /// Returns the line of a row. Control characters in the cells must have been replaced already.
    func line(_ cells: [String]) -> String { line(cells) { columns[$0].role($1) } }

    private func line(_ cells: [String], role: (Int, String) -> TextStyle.Role) -> String {
        var line = ""
        for (column, (cell, width)) in zip(cells, widths).enumerated() {
            let used = DisplayText.columns(of: cell)
            let shown = style.columns == nil ? max(used, width) : width
            let padding = columns[column].isNumber ? String(repeating: " ", count: max(0, shown - used)) : ""
            line += padding + style.painted(DisplayText.fitted(cell, to: shown - padding.count), role(column, cell))
            if column < widths.count - 1 { line += String(repeating: " ", count: Self.gap) }
        }
        return line.trimmingTrailingBlanks
    }
}

extension Output {
    /// Writes a table to standard output. Control characters in the cells are replaced.
    static func writeTable(_ columns: [TextTable.Column], _ rows: [[String]], _ style: TextStyle) {
        let rows = rows.map { row in row.map { DisplayText.sanitized($0) } }
        let table = TextTable(columns, for: rows, style: style)
        writeLine(table.heading)
        for row in rows { writeLine(table.line(row)) }
    }
}

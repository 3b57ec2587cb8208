// SPDX-License-Identifier: Apache-2.0

/// Rows of cells with their columns aligned.
struct TextTable {
    /// One column.
    struct Column {
        let title: String
        var isNumber = false
        /// The style of a cell.
        var role: @Sendable (String) -> TextStyle.Role = { _ in .plain }
    }

    private let columns: [Column]
    /// The widths of the columns that fit.
    private let widths: [Int]
    private let style: TextStyle

    /// A table as wide as a sample of its rows needs; longer cells of other rows are cut, or push later ones. Columns
    /// at the end that do not fit on the terminal are left out.
    ///
    /// - Parameter widest: the maximum columns of one cell on a terminal.
    init(_ columns: [Column], for rows: [[String]], style: TextStyle, widest: Int = .max) {
        self.columns = columns
        self.style = style
        let needed = columns.indices.map { column in
            let cells = [columns[column].title] + rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }
            return min(widest, cells.map { DisplayText.columns(of: $0) }.max() ?? 0)
        }
        widths = style.columns.map { Self.fitting(needed, columns, into: $0) } ?? needed
    }

    /// The number of shown columns.
    var count: Int { widths.count }

    /// Between two columns.
    private static let gap = 2
    /// A shorter part of a text would be useless.
    private static let narrowest = 8

    /// The widths of the columns that fit: in the last one a text may be cut, a number is whole.
    private static func fitting(_ needed: [Int], _ columns: [Column], into room: Int) -> [Int] {
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

    /// The titles, in one style from the first to the last.
    var heading: String { style.painted(line(columns.map(\.title)) { _, _ in .plain }, .heading) }

    /// A row, whose cells must be escaped already.
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
    /// Prints a table, with control characters in its cells escaped.
    static func table(_ columns: [TextTable.Column], _ rows: [[String]], _ style: TextStyle) {
        let rows = rows.map { row in row.map { DisplayText.harmless($0) } }
        let table = TextTable(columns, for: rows, style: style)
        line(table.heading)
        for row in rows { line(table.line(row)) }
    }
}

/// Rows of cells with their columns aligned.
struct TextTable {
    /// One column.
    struct Column {
        let title: String
        var isNumber = false
        /// The look of a cell.
        var role: @Sendable (String) -> TextStyle.Role = { _ in .plain }
    }

    private let columns: [Column]
    private let widths: [Int]
    private let style: TextStyle

    /// A table as wide as some of its rows need; the cells of others may be cut, or push those behind them.
    ///
    /// - Parameter widest: how many columns of the terminal one cell takes at most.
    init(_ columns: [Column], for rows: [[String]], style: TextStyle, widest: Int = .max) {
        self.columns = columns
        self.style = style
        widths = columns.indices.map { column in
            let cells = [columns[column].title] + rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }
            return min(widest, cells.map { DisplayText.columns(of: $0) }.max() ?? 0)
        }
    }

    /// The titles.
    var heading: String { line(columns.map(\.title)) { _, _ in .heading } }

    /// A row, whose cells must be harmless already.
    func line(_ cells: [String]) -> String { line(cells) { columns[$0].role($1) } }

    private func line(_ cells: [String], role: (Int, String) -> TextStyle.Role) -> String {
        var room = style.columns ?? .max
        var line = ""
        for (column, cell) in cells.enumerated() where room > 0 {
            let isLast = column == cells.count - 1
            let used = DisplayText.columns(of: cell)
            let width =
                isLast && !columns[column].isNumber
                ? used : style.columns == nil ? max(used, widths[column]) : widths[column]
            let shown = min(width, room)
            let padding = columns[column].isNumber ? String(repeating: " ", count: max(0, shown - used)) : ""
            line += padding + style.painted(DisplayText.fitted(cell, to: shown - padding.count), role(column, cell))
            guard !isLast else { break }
            line += "  "
            room = room == .max ? room : room - shown - 2
        }
        return line.trimmingTrailingBlanks
    }
}

extension Output {
    /// Prints a table; what cells quote of others is made harmless.
    static func table(_ columns: [TextTable.Column], _ rows: [[String]], _ style: TextStyle) {
        let rows = rows.map { row in row.map { DisplayText.harmless($0) } }
        let table = TextTable(columns, for: rows, style: style)
        line(table.heading)
        for row in rows { line(table.line(row)) }
    }
}

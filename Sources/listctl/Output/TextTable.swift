// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The format of a table: rows of cells in aligned columns.
struct TextTable {
    /// The title and format of one column.
    struct Column {
        let title: String
        var isNumber = false
        /// Returns the style of a cell by its text.
        var role: @Sendable (String) -> TextStyle.TextRole = { _ in .plain }
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

    private func line(_ cells: [String], role: (Int, String) -> TextStyle.TextRole) -> String {
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

/// A table with a row for each object or item, and a column for each field, as many as fit.
///
/// The first rows determine the columns and their widths. A later value that is wider is truncated on a terminal, and
/// written whole to any other output.
struct ContentTable {
    /// One row: the texts of the leading columns, and the fields.
    struct ContentRow {
        let leading: [String]
        let content: Content
    }

    /// The number of rows that determine the columns; they are read before the first row is written.
    static let sampleSize = 1000
    /// The maximum width of a column on a terminal, in columns and as a divisor of the terminal's width.
    private static let (maximumWidth, maximumShare) = (40, 2)

    private let fields: [String]
    private let table: TextTable
    private let texts: FieldTexts
    /// The names of the fields that do not fit on the terminal.
    let hiddenFields: [String]

    /// - Parameters:
    ///   - leading: the columns before those of the fields.
    ///   - isWhole: whether the sample is the whole list. Then, on a terminal, fields that repeat a leading column are
    ///     left out.
    ///   - chosen: the names of the fields to show. `nil` shows all fields except those that only serve drawing: first
    ///     those that name or explain an object, then those with a hint, then the rest.
    init(
        leading: [TextTable.Column], sample rows: some Collection<ContentRow>, isWhole: Bool = false, chosen: [String]?,
        texts: FieldTexts, style: TextStyle
    ) {
        self.texts = texts
        let cells = rows.map { Self.cells(of: $0.content, texts) }
        let isTerse = chosen == nil && isWhole && style.columns != nil
        let fields = (chosen ?? Self.fields(of: rows, texts)).filter { name in
            !isTerse || !Self.repeatsLeadingColumn(cells.map { $0[Array(name.utf8)] }, of: rows)
        }
        let columns =
            leading
            + fields.map { name in
                let isNumber = texts.isRightAligned(name) ?? Self.isNumeric(field: name, in: rows)
                return TextTable.Column(title: DisplayText.sanitized(name.uppercased()), isNumber: isNumber)
            }
        let sampled = zip(rows, cells).map { row, cells in
            row.leading + fields.map { DisplayText.sanitized(cells[Array($0.utf8)] ?? "", columns: 200) }
        }
        let widest = style.columns.map { min(Self.maximumWidth, max(8, $0 / Self.maximumShare)) }
        table = TextTable(columns, for: sampled, style: style, widest: widest ?? .max)
        let shown = max(0, table.count - leading.count)
        self.fields = Array(fields.prefix(shown))
        hiddenFields = Array(fields.dropFirst(shown))
    }

    var heading: String { table.heading }

    func line(_ row: ContentRow) -> String {
        let cells = Self.cells(of: row.content, texts)
        let all = row.leading + fields.map { cells[Array($0.utf8)] ?? "" }
        return table.line(all.map { DisplayText.sanitized($0) })
    }

    /// Returns the text of each field, by the bytes of its name. Strings cannot be the keys, because Swift takes
    /// canonically equivalent names for equal.
    private static func cells(of content: Content, _ texts: FieldTexts) -> [[UInt8]: String] {
        Dictionary(texts.texts(of: content).map { (Array($0.name.utf8), $0.text) }) { $1 }
    }

    /// Returns the names of the fields to show, in the order of their columns.
    private static func fields(of rows: some Collection<ContentRow>, _ texts: FieldTexts) -> [String] {
        var (seen, fields) = (Set<[UInt8]>(), [String]())
        for row in rows {
            for (name, _) in texts.texts(of: row.content) where seen.insert(Array(name.utf8)).inserted {
                fields.append(name)
            }
        }
        let isDrawing: (String) -> Bool = { name in
            ItemText.layoutKeys.contains(String(name.prefix { $0 != "." }))
        }
        let shown = fields.filter { !isDrawing($0) }
        let named = (ItemText.titleKeys + ItemText.explanationKeys).filter { shown.contains($0) }
        let hinted = shown.filter { !named.contains($0) && texts.rank(of: $0) != nil }
            .sorted { (texts.rank(of: $0) ?? 0, $0) < (texts.rank(of: $1) ?? 0, $1) }
        let first = named + hinted
        return first + shown.filter { !first.contains($0) }
    }

    /// Whether there is a leading column whose text equals the text of a field in every row.
    ///
    /// - Parameter texts: the text of the field in each row; nil in a row that lacks the field.
    private static func repeatsLeadingColumn(_ texts: [String?], of rows: some Collection<ContentRow>) -> Bool {
        guard let first = rows.first else { return false }
        return first.leading.indices.contains { column in zip(texts, rows).allSatisfy { $0 == $1.leading[column] } }
    }

    /// Whether every value of a field is a number, and at least one row has the field.
    private static func isNumeric(field name: String, in rows: some Collection<ContentRow>) -> Bool {
        var some = false
        for case let value? in rows.lazy.map({ $0.content[name] }) {
            switch value.unwrapped {
            case .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: some = true
            case .boolean, .string, .objectPath, .signature, .fileDescriptor, .array, .dictionary, .structure, .variant:
                return false
            }
        }
        return some
    }
}

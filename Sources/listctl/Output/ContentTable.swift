// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Objects or items as rows with a column for each field, as many as fit.
///
/// The first rows determine the fields and their widths; longer values later are cut on a terminal, and written whole
/// elsewhere.
struct ContentTable {
    /// One row: the texts of the leading columns, and the fields.
    struct Row {
        let leading: [String]
        let content: Content
    }

    /// The number of rows that are read before the first is written.
    static let sample = 1000
    /// The maximum width of a column on a terminal, and its maximum share of the line.
    private static let (widest, share) = (40, 2)

    private let fields: [String]
    private let table: TextTable
    private let texts: FieldTexts
    /// The names of the fields that do not fit.
    let hidden: [String]

    /// - Parameters:
    ///   - leading: the columns before the fields.
    ///   - isWhole: whether the sample is the whole list: then columns that repeat others are left out on a terminal.
    ///   - chosen: the names of the fields to show; `nil` = what there is, those first that name an object and that have
    ///     a hint, without those that say how to draw it.
    init(
        leading: [TextTable.Column], sample rows: some Collection<Row>, isWhole: Bool = false, chosen: [String]?,
        texts: FieldTexts, style: TextStyle
    ) {
        self.texts = texts
        let cells = rows.map { Self.cells(of: $0.content, texts) }
        let isTerse = chosen == nil && isWhole && style.columns != nil
        let fields = (chosen ?? Self.fields(of: rows, texts)).filter { name in
            !isTerse || !Self.isSaid(cells.map { $0[Array(name.utf8)] }, by: rows)
        }
        let columns =
            leading
            + fields.map { name in
                let isNumber = texts.isRightAligned(name) ?? Self.isNumber(name, in: rows)
                return TextTable.Column(title: DisplayText.harmless(name.uppercased()), isNumber: isNumber)
            }
        let sampled = zip(rows, cells).map { row, cells in
            row.leading + fields.map { DisplayText.harmless(cells[Array($0.utf8)] ?? "", columns: 200) }
        }
        let widest = style.columns.map { min(Self.widest, max(8, $0 / Self.share)) }
        table = TextTable(columns, for: sampled, style: style, widest: widest ?? .max)
        let shown = max(0, table.count - leading.count)
        self.fields = Array(fields.prefix(shown))
        hidden = Array(fields.dropFirst(shown))
    }

    var heading: String { table.heading }

    func line(_ row: Row) -> String {
        let cells = Self.cells(of: row.content, texts)
        let all = row.leading + fields.map { cells[Array($0.utf8)] ?? "" }
        return table.line(all.map { DisplayText.harmless($0) })
    }

    /// The texts by the bytes of their names, since canonically equivalent names are equal in Swift.
    private static func cells(of content: Content, _ texts: FieldTexts) -> [[UInt8]: String] {
        Dictionary(texts.texts(of: content).map { (Array($0.name.utf8), $0.text) }) { $1 }
    }

    private static func fields(of rows: some Collection<Row>, _ texts: FieldTexts) -> [String] {
        var (seen, fields) = (Set<[UInt8]>(), [String]())
        for row in rows {
            for (name, _) in texts.texts(of: row.content) where seen.insert(Array(name.utf8)).inserted {
                fields.append(name)
            }
        }
        let isDrawing: (String) -> Bool = { name in
            ItemText.drawing.contains(String(name.prefix { $0 != "." }))
        }
        let shown = fields.filter { !isDrawing($0) }
        let named = (ItemText.titles + ItemText.explanations).filter { shown.contains($0) }
        let hinted = shown.filter { !named.contains($0) && texts.rank(of: $0) != nil }
            .sorted { (texts.rank(of: $0) ?? 0, $0) < (texts.rank(of: $1) ?? 0, $1) }
        let first = named + hinted
        return first + shown.filter { !first.contains($0) }
    }

    /// Whether a field equals one of the leading columns in each object.
    private static func isSaid(_ texts: [String?], by rows: some Collection<Row>) -> Bool {
        guard let first = rows.first else { return false }
        return first.leading.indices.contains { column in zip(texts, rows).allSatisfy { $0 == $1.leading[column] } }
    }

    private static func isNumber(_ name: String, in rows: some Collection<Row>) -> Bool {
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

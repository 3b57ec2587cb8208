import DBus
import ListClient

/// Objects or items as rows with a column for each field, as many as fit.
///
/// The first rows tell which fields there are and how wide they get; what comes later is cut on a terminal, and written
/// whole elsewhere.
struct ContentTable {
    /// One row: what stands in the leading columns, and the fields.
    struct Row {
        let leading: [String]
        let content: Content
    }

    /// How many rows are looked at before the first is written.
    static let sample = 1000
    /// How wide a column gets on a terminal when others follow it.
    private static let widest = 40

    private let fields: [String]
    private let table: TextTable
    private let texts: FieldTexts
    /// The names of the fields for which there is no room.
    let hidden: [String]

    /// - Parameters:
    ///   - leading: the columns in front of the fields.
    ///   - chosen: the names of the fields to show; `nil` = what there is, those first that name an object, without
    ///     those that say how to draw it.
    init(
        leading: [TextTable.Column], sample rows: some Collection<Row>, chosen: [String]?, texts: FieldTexts,
        style: TextStyle
    ) {
        self.texts = texts
        let cells = rows.map { Self.cells(of: $0.content, texts) }
        let fields = chosen ?? Self.fields(of: rows, texts)
        let isNumber = fields.map { name in Self.isNumber(name, in: rows) }
        let columns =
            leading
            + zip(fields, isNumber).map { TextTable.Column(title: DisplayText.harmless($0.uppercased()), isNumber: $1) }
        let sampled = zip(rows, cells).map { row, cells in
            row.leading + fields.map { DisplayText.harmless(cells[Array($0.utf8)] ?? "", columns: 200) }
        }
        let widest = style.columns == nil ? Int.max : Self.widest
        let shown = chosen == nil ? Self.fitting(columns, sampled, leading.count, widest, style.columns) : columns.count
        self.fields = Array(fields.prefix(shown - leading.count))
        hidden = Array(fields.dropFirst(shown - leading.count))
        table = TextTable(
            Array(columns.prefix(shown)), for: sampled.map { Array($0.prefix(shown)) }, style: style, widest: widest)
    }

    var heading: String { table.heading }

    func line(_ row: Row) -> String {
        let cells = Self.cells(of: row.content, texts)
        let all = row.leading + fields.map { cells[Array($0.utf8)] ?? "" }
        return table.line(all.map { DisplayText.harmless($0) })
    }

    /// The texts by the bytes of their names: Swift takes é and e with an accent for the same name.
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
        let first = (ItemText.titles + ItemText.explanations).filter { shown.contains($0) }
        return first + shown.filter { !first.contains($0) }
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

    /// How many columns fit into a line; the leading ones and the first field always do.
    private static func fitting(
        _ columns: [TextTable.Column], _ rows: [[String]], _ leading: Int, _ widest: Int, _ room: Int?
    ) -> Int {
        guard var room else { return columns.count }
        for (place, column) in columns.enumerated() {
            let cells = rows.map { DisplayText.columns(of: $0[place]) }.max() ?? 0
            let width = min(widest, max(DisplayText.columns(of: column.title), cells))
            // The last one that has room for a few characters is cut.
            if place > leading, room < min(width, 8) { return place }
            room -= width + 2
        }
        return columns.count
    }
}

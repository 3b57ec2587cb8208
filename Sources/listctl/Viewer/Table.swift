// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The columns with the fields of a list's items, beside the column with their titles. It makes no calls.
///
/// The items on the screen determine the columns and their widths. A column never becomes narrower while the user
/// scrolls.
struct Table: Equatable {
    struct Column: Equatable {
        let key: String
        let hint: FieldHint?
        var width: Int
        var isRightAligned: Bool
    }

    private(set) var columns: [Column] = []
    private let encoding: TextEncoding
    /// The width of the longest title.
    private var title = 0

    /// The width of the title column if there is room. It is wider only when titles need that, because columns that are
    /// far apart are hard to read on a wide terminal.
    private static let roomForTitles = 56
    /// The maximum width to which a title is measured.
    private static let maximumTitleColumns = 400
    /// The maximum width of a column without a hint.
    fileprivate static let maximumWidth = 28
    /// The number of blanks between two columns.
    static let gap = 2
    /// The maximum number of fields without a hint that become columns, as an item may have thousands.
    private static let maximumFields = 24

    init(in encoding: TextEncoding) { self.encoding = encoding }

    /// Adds columns for the fields of the items on the screen, and widens columns where needed.
    mutating func widenColumns(for items: [Picture.Shown], hints: [String: FieldHint]) {
        let cells = items.filter { $0.kind == "cell" && !$0.objectID.isEmpty }
        for cell in cells {
            let text = ItemText.title(of: cell.content, objectID: cell.objectID, columns: Self.maximumTitleColumns)
            title = max(title, DisplayText.columns(of: text))
        }
        let keys = Self.keys(of: cells, hints)
        columns = columns.filter { column in
            column.hint == hints[column.key] && (keys.contains(column.key) || column.hint != nil || cells.isEmpty)
        }
        for key in keys where !columns.contains(where: { $0.key == key }) {
            let hint = hints[key]
            let heading = Self.heading(of: key, in: encoding).columns
            columns.append(Column(key: key, hint: hint, width: heading, isRightAligned: hint?.isRightAligned ?? true))
        }
        columns.sort { Self.rank($0) < Self.rank($1) }
        for index in columns.indices { columns[index].widen(for: cells, in: encoding) }
    }

    /// Returns the columns that fit beside the titles, and the width of the title column.
    func columns(fittingInto width: Int) -> (columns: [Column], titleWidth: Int) {
        let least = max(12, width * 2 / 5)
        var (room, count) = (width, 0)
        for column in columns {
            let needed = column.width + Self.gap
            guard room - needed >= least else { break }
            (room, count) = (room - needed, count + 1)
        }
        return (Array(columns.prefix(count)), min(room, max(Self.roomForTitles, title)))
    }

    /// Returns the heading of a column.
    static func heading(of key: String, in encoding: TextEncoding) -> PrintableText {
        let words = key.split { $0 == "-" || $0 == "_" }.joined(separator: " ")
        return PrintableText(words.uppercased(), in: encoding, columns: maximumWidth)
    }

    /// Returns the text of an item in a column.
    static func text(of item: Picture.Shown, in column: Column, _ encoding: TextEncoding) -> PrintableText {
        let value = item.content[column.key]
        let text = value.flatMap { column.hint?.text(of: $0) ?? ItemText.plain($0) } ?? ""
        return PrintableText(text, in: encoding, columns: maximumWidth + 1)
    }

    /// Returns the fields that become columns: those with hints, then the others. The other fields of an item that
    /// has a description for people are left out.
    private static func keys(of cells: [Picture.Shown], _ hints: [String: FieldHint]) -> [String] {
        var hinted: [String] = []
        var others: [String] = []
        for cell in cells {
            let title = ItemText.titleKeys.first { cell.content[$0].flatMap(ItemText.plain)?.isEmpty == false }
            let isExplained = ItemText.explanationKeys.contains { cell.content[$0].flatMap(ItemText.plain) != nil }
            for key in cell.content.keys.prefix(256) where key != title {
                if hints[key] != nil {
                    if !hinted.contains(key) { hinted.append(key) }
                } else if !isExplained, others.count < maximumFields, !others.contains(key),
                    !ItemText.layoutKeys.contains(key)
                {
                    if cell.content[key].flatMap(ItemText.plain) != nil { others.append(key) }
                }
            }
        }
        return hinted + others
    }

    private static func rank(_ column: Column) -> (Int, String) {
        (column.hint?.rank ?? .max, column.key)
    }
}

extension Table.Column {
    fileprivate mutating func widen(for cells: [Picture.Shown], in encoding: TextEncoding) {
        for cell in cells {
            guard let value = cell.content[key] else { continue }
            if hint == nil, !value.isNumber { isRightAligned = false }
            let text = Table.text(of: cell, in: self, encoding)
            width = max(width, min(text.columns, Table.maximumWidth))
        }
    }
}

extension DBusValue {
    fileprivate var isNumber: Bool {
        switch unwrapped {
        case .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: true
        case .boolean, .string, .objectPath, .signature, .fileDescriptor, .array, .dictionary, .structure, .variant:
            false
        }
    }
}

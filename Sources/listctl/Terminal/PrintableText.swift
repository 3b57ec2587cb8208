// SPDX-License-Identifier: Apache-2.0

/// Text that may be written to a terminal unchanged: printable characters only, each with a known number of columns.
///
/// All text of the viewer goes through this type, its own too. ncurses gets the same widths.
struct PrintableText: Sendable, Equatable {
    /// One character with its marks.
    struct Cell: Sendable, Equatable {
        let character: Character
        let columns: Int
    }

    private(set) var cells: [Cell]

    /// The maximum number of marks on one character: a cell of ncurses holds no more.
    private static let mostMarks = 4

    /// Makes any text printable (see ``DisplayText/harmless(_:columns:)``).
    ///
    /// Characters of which terminals differ in width are removed, too: selectors of emoji presentation, and joiners
    /// between emoji.
    ///
    /// - Parameter limit: the columns that are needed; the rest of a longer text is left out without reading it.
    init(_ text: String, in encoding: TextEncoding, columns limit: Int = .max) {
        let harmless = DisplayText.harmless(text, columns: limit)
        var kept = String.UnicodeScalarView()
        var marks = 0
        var followsEmoji = false
        for scalar in harmless.unicodeScalars {
            if scalar.value == 0xFE0F || (followsEmoji && scalar.value == 0x200D) { continue }
            followsEmoji = scalar.value > 0x2000 && scalar.properties.isEmoji
            let isMark = scalar.value > 0x2FF && DisplayText.columns(of: Character(scalar)) == 0
            marks = isMark ? marks + 1 : 0
            if marks <= Self.mostMarks { kept.append(scalar) }
        }
        cells = []
        for character in String(kept) {
            let columns = DisplayText.columns(of: character)
            if encoding == .unicode || character.isASCII {
                // A mark without a base character takes a column of its own.
                cells.append(Cell(character: columns > 0 ? character : "·", columns: max(1, columns)))
            } else {
                for _ in 0..<max(1, columns) { cells.append(Cell(character: Self.ascii(character), columns: 1)) }
            }
        }
    }

    private init(cells: [Cell]) { self.cells = cells }

    /// So many blanks.
    static func blank(_ columns: Int) -> PrintableText {
        PrintableText(cells: Array(repeating: Cell(character: " ", columns: 1), count: max(0, columns)))
    }

    /// The number of its columns.
    var columns: Int { cells.reduce(0) { $0 + $1.columns } }

    /// The characters.
    var text: String { String(cells.map(\.character)) }

    /// The text in exactly `width` columns: cut, with a mark at the end, or filled up with blanks.
    ///
    /// - Parameter isRightAligned: whether the blanks come first.
    func fitted(to width: Int, alignedRight isRightAligned: Bool = false, in encoding: TextEncoding) -> PrintableText {
        guard width > 0 else { return Self(cells: []) }
        let total = columns
        if total <= width {
            let blanks = Self.blank(width - total).cells
            return Self(cells: isRightAligned ? blanks + cells : cells + blanks)
        }
        var result: [Cell] = []
        var used = 0
        for cell in cells {
            if used + cell.columns > width - 1 { break }
            result.append(cell)
            used += cell.columns
        }
        result.append(Cell(character: encoding == .unicode ? "…" : "~", columns: 1))
        return Self(cells: result + Self.blank(width - 1 - used).cells)
    }

    /// The text from a column on; a character that is cut in two becomes a blank.
    func dropping(_ columns: Int) -> PrintableText {
        var used = 0
        var rest = cells[...]
        while used < columns, let cell = rest.popFirst() { used += cell.columns }
        return Self(cells: Self.blank(used - columns).cells + rest)
    }

    /// The text without characters that take so many columns, or more.
    func narrower(than columns: Int) -> PrintableText { Self(cells: cells.filter { $0.columns < columns }) }

    /// Joins texts.
    static func + (a: PrintableText, b: PrintableText) -> PrintableText { PrintableText(cells: a.cells + b.cells) }

    /// A part of it, by the indices of ``cells``.
    subscript(range: Range<Int>) -> PrintableText { PrintableText(cells: Array(cells[range])) }

    /// The text in ASCII characters of the same width; attribute sequences stay.
    static func asciiOnly(_ text: String) -> String {
        var result = ""
        for character in text {
            if character.isASCII {
                result.append(character)
            } else {
                for _ in 0..<max(1, DisplayText.columns(of: character)) { result.append(ascii(character)) }
            }
        }
        return result
    }

    /// The nearest ASCII character.
    private static func ascii(_ character: Character) -> Character {
        switch character {
        case "…": return "~"
        case "·", "•", "●": return "*"
        case "→", "›", "▶": return ">"
        case "←", "‹": return "<"
        case "↑": return "^"
        case "↓": return "v"
        case "│", "┃": return "|"
        case "─", "━", "–", "—", "−": return "-"
        case "█", "▐": return "#"
        case "▒", "░", "┊": return ":"
        case "“", "”", "„": return "\""
        case "‘", "’": return "'"
        default: return latinLetter(of: character) ?? "?"
        }
    }

    /// The base letter of an accented one, from its Unicode name: “LATIN SMALL LETTER E WITH ACUTE”.
    private static func latinLetter(of character: Character) -> Character? {
        let words = character.unicodeScalars.first?.properties.name?.split(separator: " ") ?? []
        guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[4] == "WITH", words[3].count == 1 else {
            return nil
        }
        return Character(words[1] == "SMALL" ? words[3].lowercased() : String(words[3]))
    }
}

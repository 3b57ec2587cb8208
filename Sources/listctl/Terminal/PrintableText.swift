// SPDX-License-Identifier: Apache-2.0

/// Text that is safe to write to a terminal: printable characters only, each with a known number of columns.
///
/// All text of the viewer goes through this type, also the viewer's own. ncurses calculates the same widths.
struct PrintableText: Sendable, Equatable {
    /// One character with its combining marks.
    struct Cell: Sendable, Equatable {
        let character: Character
        let columns: Int
    }

    private(set) var cells: [Cell]

    /// The maximum number of combining marks on one character; a cell of ncurses holds no more.
    private static let maximumMarks = 4

    /// Creates printable text from any text (see ``DisplayText/sanitized(_:columns:)``).
    ///
    /// It also removes the characters whose effect on the width differs between terminals: selectors of emoji
    /// presentation, and joiners between emoji.
    ///
    /// - Parameter limit: the number of columns that the caller needs. The rest of a longer text is not read.
    init(_ text: String, in encoding: TextEncoding, columns limit: Int = .max) {
        let sanitized = DisplayText.sanitized(text, columns: limit)
        var kept = String.UnicodeScalarView()
        var marks = 0
        var followsEmoji = false
        for scalar in sanitized.unicodeScalars {
            if scalar.value == 0xFE0F || (followsEmoji && scalar.value == 0x200D) { continue }
            followsEmoji = scalar.value > 0x2000 && scalar.properties.isEmoji
            let isMark = scalar.value > 0x2FF && DisplayText.columns(of: Character(scalar)) == 0
            marks = isMark ? marks + 1 : 0
            if marks <= Self.maximumMarks { kept.append(scalar) }
        }
        cells = []
        for character in String(kept) {
            let columns = DisplayText.columns(of: character)
            if encoding == .unicode || character.isASCII {
                // A mark without a base character becomes “·”, which takes a column.
                cells.append(Cell(character: columns > 0 ? character : "·", columns: max(1, columns)))
            } else {
                for _ in 0..<max(1, columns) { cells.append(Cell(character: Self.ascii(character), columns: 1)) }
            }
        }
    }

    private init(cells: [Cell]) { self.cells = cells }

    /// Returns a text of the given number of blanks.
    static func blank(_ columns: Int) -> PrintableText {
        PrintableText(cells: Array(repeating: Cell(character: " ", columns: 1), count: max(0, columns)))
    }

    /// The number of columns of the text.
    var columns: Int { cells.reduce(0) { $0 + $1.columns } }

    /// The characters as a string.
    var text: String { String(cells.map(\.character)) }

    /// Returns the text in exactly `width` columns: cut, with `…` or `~` at the end, or padded with blanks.
    ///
    /// - Parameter isRightAligned: whether the blanks come before the text.
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

    /// Returns the text without its first columns. A wide character of which half is removed becomes a blank.
    func dropping(_ columns: Int) -> PrintableText {
        var used = 0
        var rest = cells[...]
        while used < columns, let cell = rest.popFirst() { used += cell.columns }
        return Self(cells: Self.blank(used - columns).cells + rest)
    }

    /// Returns the text without the characters that take the given number of columns or more.
    func keepingCharacters(narrowerThan columns: Int) -> PrintableText {
        Self(cells: cells.filter { $0.columns < columns })
    }

    /// Joins texts.
    static func + (a: PrintableText, b: PrintableText) -> PrintableText { PrintableText(cells: a.cells + b.cells) }

    /// Returns the part of the text at the given indices of ``cells``.
    subscript(range: Range<Int>) -> PrintableText { PrintableText(cells: Array(cells[range])) }

    /// Returns the text in ASCII characters of the same width. Escape sequences for attributes stay.
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

    /// Returns the ASCII character that looks most like the given one; `?` when none does.
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

    /// Returns the base letter of a letter with an accent, by the Unicode name, such as “LATIN SMALL LETTER E WITH
    /// ACUTE”.
    private static func latinLetter(of character: Character) -> Character? {
        let words = character.unicodeScalars.first?.properties.name?.split(separator: " ") ?? []
        guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[4] == "WITH", words[3].count == 1 else {
            return nil
        }
        return Character(words[1] == "SMALL" ? words[3].lowercased() : String(words[3]))
    }
}

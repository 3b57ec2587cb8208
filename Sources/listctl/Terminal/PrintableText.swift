// SPDX-License-Identifier: Apache-2.0

import CTerminal

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

    static func blank(_ columns: Int) -> PrintableText {
        PrintableText(cells: Array(repeating: Cell(character: " ", columns: 1), count: max(0, columns)))
    }

    /// The number of columns of the text.
    var columns: Int { cells.reduce(0) { $0 + $1.columns } }

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

/// The set of characters that the terminal can show.
enum TextEncoding: Sendable, Equatable {
    case unicode
    case ascii

    /// Derives the encoding from the user's locale, which is the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    ///
    /// Only the locale's name is read. The C library is not asked, because the locale of a terminal at the other end of
    /// ssh is often not installed on this machine.
    init(environment: [String: String]) {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        let charset = name.prefix { $0 != "@" }.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        self = charset == "utf-8" || charset == "utf8" ? .unicode : .ascii
    }
}

/// Functions that make text safe for a terminal line: text from elsewhere must neither control the terminal nor break
/// the alignment of columns.
enum DisplayText {
    /// Returns the maximum number of columns that a terminal needs for a character: 0 for a combining character, 2 for
    /// a wide one.
    ///
    /// Some terminals draw a sequence of joined emoji as one picture, others draw each part. A character with an emoji
    /// selector is two columns wide on terminals that support the selector. The maximum is safe: a line that is too
    /// short does no harm, but one that is too long would wrap.
    static func columns(of character: Character) -> Int {
        var columns = 0
        var isPicture = false
        for scalar in character.unicodeScalars {
            columns += max(0, Int(listd_columns(scalar.value)))
            isPicture = isPicture || scalar == "\u{FE0F}"
        }
        return isPicture ? max(2, columns) : columns
    }

    /// Returns the maximum number of columns of a text.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns the text with `·` for each control character, and without directional overrides and other format
    /// characters. Joiners and non-joiners stay, as scripts and emoji need them.
    ///
    /// A character that the C library does not know yet becomes `·` too, as its width on a terminal is unknown.
    ///
    /// - Parameter limit: the number of columns after which the text is cut, so that a line does not read a megabyte.
    static func sanitized(_ text: String, columns limit: Int = .max) -> String {
        var result = ""
        var used = 0
        for scalar in text.unicodeScalars {
            guard used <= limit else { break }
            guard let scalar = sanitized(scalar) else { continue }
            result.unicodeScalars.append(scalar)
            used += max(0, Int(listd_columns(scalar.value)))
        }
        return result
    }

    /// Whether a scalar controls a terminal or the direction of the text around it. These are control characters, line
    /// and paragraph separators, and format characters except joiners and non-joiners.
    static func controlsTerminal(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
        default: return false
        }
    }

    /// Returns what replaces a scalar: itself, `·`, or nil when it is removed.
    private static func sanitized(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let category = scalar.properties.generalCategory
        if controlsTerminal(scalar) { return category == .format ? nil : "·" }
        let isKnown = category != .privateUse && category != .unassigned && listd_columns(scalar.value) >= 0
        return isKnown ? scalar : "·"
    }

    /// Returns the text in exactly `width` columns: cut, with `…` at the end, or padded with blanks.
    static func fitted(_ text: String, to width: Int) -> String {
        guard width > 0 else { return "" }
        let total = columns(of: text)
        if total <= width { return text + String(repeating: " ", count: width - total) }
        var result = ""
        var used = 0
        for character in text {
            let needed = columns(of: character)
            if used + needed > width - 1 { break }
            result.append(character)
            used += needed
        }
        return result + "…" + String(repeating: " ", count: width - 1 - used)
    }
}

extension String {
    /// The text without blanks at its end.
    var trimmingTrailingBlanks: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension PrintableText {
    /// Returns the first `maximumCount` lines of the text, each at most `width` columns wide.
    ///
    /// Lines are broken at blanks if possible. Characters that are wider than a line are left out.
    func wrapped(to width: Int, maximumCount: Int) -> [PrintableText] {
        var lines: [PrintableText] = []
        let text = keepingCharacters(narrowerThan: width + 1)
        let cells = text.cells
        var first = 0
        while first < cells.count, lines.count < maximumCount {
            var (end, used, blank) = (first, 0, Int?.none)
            while end < cells.count, used + cells[end].columns <= width {
                if cells[end].character == " " { blank = end }
                used += cells[end].columns
                end += 1
            }
            if end < cells.count, cells[end].character != " ", let blank, blank > first { end = blank }
            lines.append(text[first..<end])
            first = end
            while first < cells.count, cells[first].character == " " { first += 1 }
        }
        return lines
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The style of a part of a line on the viewer's screen.
struct Style: Sendable, Equatable {
    /// The meaning of the text, which `CursesStyle` maps to attributes and a colour.
    enum ScreenRole: Sendable, Equatable {
        case plain
        /// Less important than the text around it.
        case dim
        /// The line of headings above the list.
        case heading
        /// The status line, which is the last line.
        case status
        /// The name of a key in the status line.
        case key
        /// An error.
        case warning
        /// The row of the cursor.
        case cursor
        /// A match of the search.
        case hit
        /// A match of the search in the row of the cursor.
        case hitAtCursor
        /// A colour that tells kinds of items apart.
        case accent(Accent)
    }

    /// The colours that tell kinds of items apart.
    enum Accent: Int, Sendable, CaseIterable {
        case blue, green, cyan, magenta, yellow, red
    }

    var role = ScreenRole.plain
    var isBold = false

    static let plain = Style()
    static func role(_ role: ScreenRole, bold isBold: Bool = false) -> Style { Style(role: role, isBold: isBold) }
}

/// A line of a screen: printable parts with their styles, side by side.
struct StyledLine: Sendable, Equatable {
    /// A text in one style.
    struct StyledText: Sendable, Equatable {
        var text: PrintableText
        var style: Style
    }

    private(set) var parts: [StyledText] = []
    private(set) var columns = 0

    /// Appends a part.
    mutating func append(_ text: PrintableText, _ style: Style = .plain) {
        guard !text.cells.isEmpty else { return }
        columns += text.columns
        if let last = parts.last, last.style == style {
            parts[parts.count - 1].text = last.text + text
        } else {
            parts.append(StyledText(text: text, style: style))
        }
    }

    /// Appends the parts of another line.
    mutating func append(_ line: StyledLine) {
        for part in line.parts { append(part.text, part.style) }
    }

    /// Appends blanks up to a column.
    mutating func pad(to column: Int, _ style: Style = .plain) {
        append(.blank(column - columns), style)
    }

    var text: String { parts.map(\.text.text).joined() }

    /// Returns the line with each part's style replaced by what `change` returns for it.
    func restyled(_ change: (Style) -> Style) -> StyledLine {
        var result = StyledLine()
        for part in parts { result.append(part.text, change(part.style)) }
        return result
    }
}

/// All lines of a terminal at one moment.
struct TerminalScreen: Sendable, Equatable {
    var columns: Int
    /// The lines from top to bottom; each is as wide as the terminal.
    var lines: [StyledLine]
    /// The column of the text cursor in the last line; nil while no text is being typed.
    var caret: Int?
    /// Whether the whole screen is written again, not only what differs from the previous screen.
    var redrawsEverything = false
}

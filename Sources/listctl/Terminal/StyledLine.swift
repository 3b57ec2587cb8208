// SPDX-License-Identifier: Apache-2.0

/// The style of a part of a line.
struct Style: Sendable, Equatable {
    /// Its meaning; the terminal maps it to a colour.
    enum Role: Sendable, Equatable {
        case plain
        /// Less important than the text around it.
        case dim
        /// The line above the list.
        case heading
        /// The last line.
        case status
        /// A key that can be pressed, named in the last line.
        case key
        /// An error.
        case warning
        /// The row of the cursor.
        case cursor
        /// A text that was searched for.
        case hit
        /// The same, in the row of the cursor.
        case hitAtCursor
        /// One of the colours for kinds of items.
        case accent(Accent)
    }

    /// A colour for a kind of items.
    enum Accent: Int, Sendable, CaseIterable {
        case blue, green, cyan, magenta, yellow, red
    }

    var role = Role.plain
    var isBold = false

    static let plain = Style()
    static func role(_ role: Role, bold isBold: Bool = false) -> Style { Style(role: role, isBold: isBold) }
}

/// A line of a screen: printable parts with their styles, side by side.
struct StyledLine: Sendable, Equatable {
    struct Part: Sendable, Equatable {
        var text: PrintableText
        var style: Style
    }

    private(set) var parts: [Part] = []
    private(set) var columns = 0

    /// Adds a part at the end.
    mutating func append(_ text: PrintableText, _ style: Style = .plain) {
        guard !text.cells.isEmpty else { return }
        columns += text.columns
        if let last = parts.last, last.style == style {
            parts[parts.count - 1].text = last.text + text
        } else {
            parts.append(Part(text: text, style: style))
        }
    }

    /// Adds the parts of another line.
    mutating func append(_ line: StyledLine) {
        for part in line.parts { append(part.text, part.style) }
    }

    /// Adds blanks up to a column.
    mutating func pad(to column: Int, _ style: Style = .plain) {
        append(.blank(column - columns), style)
    }

    /// The characters.
    var text: String { parts.map(\.text.text).joined() }

    /// The same line with one style for every part.
    func restyled(_ change: (Style) -> Style) -> StyledLine {
        var result = StyledLine()
        for part in parts { result.append(part.text, change(part.style)) }
        return result
    }
}

/// All lines of a terminal at one moment.
struct TerminalScreen: Sendable, Equatable {
    var columns: Int
    /// From top to bottom; each is as wide as the terminal.
    var lines: [StyledLine]
    /// The position of the text input, if any.
    var caret: Int?
    /// Whether to redraw everything, whatever the terminal seems to show.
    var isFresh = false
}

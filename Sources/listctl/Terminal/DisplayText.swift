// SPDX-License-Identifier: Apache-2.0

import CTerminal

/// Makes text safe for a terminal line: foreign bytes must neither control the terminal nor break the columns.
enum DisplayText {
    /// The maximum number of columns of a character: 0 for combining ones, 2 for wide ones.
    ///
    /// Terminals that render joined emoji as one take fewer columns, others draw each part; a character with an emoji
    /// selector is two columns wide on terminals that support that. A line that is too short does no harm, one that is
    /// too long would.
    static func columns(of character: Character) -> Int {
        var columns = 0
        var isPicture = false
        for scalar in character.unicodeScalars {
            columns += max(0, Int(listd_columns(scalar.value)))
            isPicture = isPicture || scalar == "\u{FE0F}"
        }
        return isPicture ? max(2, columns) : columns
    }

    /// The number of columns of a text.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text without control characters, which are shown as `·`, and without directional overrides and other format
    /// characters; joiners and non-joiners stay, as scripts and emoji need them.
    ///
    /// A character newer than the C library becomes `·` too, as its width on a terminal is unknown.
    ///
    /// - Parameter limit: a text of more columns is cut there, so that a megabyte is not read for a line.
    static func harmless(_ text: String, columns limit: Int = .max) -> String {
        var result = ""
        var used = 0
        for scalar in text.unicodeScalars {
            guard used <= limit else { break }
            guard let scalar = harmless(scalar) else { continue }
            result.unicodeScalars.append(scalar)
            used += max(0, Int(listd_columns(scalar.value)))
        }
        return result
    }

    /// Whether a scalar controls a terminal, or the direction of the text around it: controls, line separators, and
    /// format characters except joiners and non-joiners.
    static func steers(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
        default: return false
        }
    }

    /// The replacement of a scalar; nil when it is removed.
    private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let category = scalar.properties.generalCategory
        if steers(scalar) { return category == .format ? nil : "·" }
        let isKnown = category != .privateUse && category != .unassigned && listd_columns(scalar.value) >= 0
        return isKnown ? scalar : "·"
    }

    /// The text cut or padded with blanks to exactly `width` columns; a cut text ends in `…`.
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

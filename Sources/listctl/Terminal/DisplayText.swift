// SPDX-License-Identifier: Apache-2.0

import CTerminal

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

// SPDX-License-Identifier: Apache-2.0

import CTerminal

/// Text made fit for a terminal line: other people's bytes must neither steer the terminal nor break the columns.
enum DisplayText {
    /// How many columns a character takes at most: 0 for combining ones, 2 for wide ones.
    ///
    /// Terminals that join what a joiner joins take fewer, others draw each part; a picture of a text is two columns wide
    /// where a terminal heeds the selector for it. A line that is too short does no harm, one that is too long would.
    static func columns(of character: Character) -> Int {
        var columns = 0
        var isPicture = false
        for scalar in character.unicodeScalars {
            columns += max(0, Int(listd_columns(scalar.value)))
            isPicture = isPicture || scalar == "\u{FE0F}"
        }
        return isPicture ? max(2, columns) : columns
    }

    /// How many columns a text takes.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text without control characters, which are shown as `·`, and with directional overrides and other marks that
    /// steer taken out; joiners and non-joiners stay, without which scripts and pictures cannot be read.
    ///
    /// A character newer than the C library is a `·` too: nobody knows how many columns a terminal gives it.
    ///
    /// - Parameter limit: when the text takes more columns than that, what follows is left out: a megabyte need not be
    ///   looked at for a line.
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

    /// Whether a scalar steers a terminal, or the direction of the text around it: controls, separators of lines, and
    /// format characters but for joiners and non-joiners.
    static func steers(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
        default: return false
        }
    }

    /// What stands for a scalar; nil when nothing does.
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

import CTerminal

/// Text made fit for a terminal line: other people's bytes must neither steer the terminal nor break the columns.
enum DisplayText {
    /// How many columns a character takes: 0 for combining ones, 2 for wide ones.
    static func columns(of character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars {
            widest = max(widest, Int(listd_columns(scalar.value)))
        }
        return widest
    }

    /// How many columns a text takes.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text without control characters, which are shown as `·`, and with directional overrides taken out.
    static func harmless(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: result.append("·")
            case .format: continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
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

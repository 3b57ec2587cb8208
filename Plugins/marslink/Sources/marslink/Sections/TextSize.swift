// SPDX-License-Identifier: Apache-2.0

/// Estimates the height of a text without knowing the font: all characters have one width, and lines break between
/// words.
///
/// A viewer that knows its font reports measured sizes instead.
enum TextSize {
    private static let letterWidth = 7.5
    private static let lineHeight = 19.0
    private static let padding = 16.0

    /// Returns the height of a text in a row of the given width, including padding.
    static func height(of text: String, width: Double) -> Double {
        let characters = ((width - 2 * padding) / letterWidth).rounded(.down)
        return Double(lineCount(of: text, charactersPerLine: Int(exactly: max(1, characters)) ?? 1)) * lineHeight
            + padding
    }

    /// Returns the number of lines of a text. A word that is longer than a line is broken.
    static func lineCount(of text: String, charactersPerLine: Int) -> Int {
        var lines = 1
        var used = 0
        for word in text.split(separator: " ") {
            var count = word.count
            if used > 0 {
                if used + 1 + count <= charactersPerLine {
                    used += 1 + count
                    continue
                }
                lines += 1
            }
            while count > charactersPerLine {
                count -= charactersPerLine
                lines += 1
            }
            used = count
        }
        return lines
    }
}

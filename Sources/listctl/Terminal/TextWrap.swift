// SPDX-License-Identifier: Apache-2.0

/// Line breaking of printable text.
enum TextWrap {
    /// Returns the first `maximumCount` lines of the text, each at most `width` columns wide.
    ///
    /// Lines are broken at blanks if possible. Characters that are wider than a line are left out.
    static func lines(_ text: PrintableText, width: Int, maximumCount: Int) -> [PrintableText] {
        var lines: [PrintableText] = []
        let text = text.keepingCharacters(narrowerThan: width + 1)
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

// SPDX-License-Identifier: Apache-2.0

/// Breaks a text into lines.
enum TextWrap {
    /// Lines of at most `width` columns, broken at blanks if possible; at most `most` of them, without characters wider
    /// than a line.
    static func lines(_ text: PrintableText, width: Int, most: Int) -> [PrintableText] {
        var lines: [PrintableText] = []
        let text = text.narrower(than: width + 1)
        let cells = text.cells
        var first = 0
        while first < cells.count, lines.count < most {
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

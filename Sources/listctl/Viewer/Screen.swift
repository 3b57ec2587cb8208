// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The output of a list as plain lines of text, without a terminal. It makes no calls.
enum Screen {
    /// Returns a line for each row of the browser, as wide as its screen.
    static func lines(_ browser: Browser) -> [String] {
        let blank = String(repeating: " ", count: browser.columns)
        var lines = [String](repeating: blank, count: browser.rowCount)
        for (row, items) in browser.rows.enumerated() where !items.isEmpty {
            lines[row] = text(of: items, columns: browser.columns)
        }
        return lines
    }

    /// Returns the line of a row, with each item at its column. A point equals a column, because the viewport's width
    /// in points is the terminal's width in columns.
    private static func text(of items: [Picture.Shown], columns: Int) -> String {
        var text = ""
        for item in items {
            let first = max(Int(item.frame.x), DisplayText.columns(of: text))
            let width = min(Int(item.frame.width.rounded(.up)), columns - first)
            guard width > 0 else { continue }
            text = DisplayText.fitted(text, to: first) + ItemText.line(item, width: width)
        }
        return DisplayText.fitted(text, to: columns)
    }
}

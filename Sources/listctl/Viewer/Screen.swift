// SPDX-License-Identifier: Apache-2.0

import ListClient

/// A list as plain lines of text, without a terminal. Makes no calls.
enum Screen {
    /// All rows of the list, each as wide as the screen.
    static func lines(_ browser: Browser) -> [String] {
        let blank = String(repeating: " ", count: browser.columns)
        var lines = [String](repeating: blank, count: browser.rowCount)
        for (row, items) in browser.rows.enumerated() where !items.isEmpty {
            lines[row] = text(of: items, columns: browser.columns)
        }
        return lines
    }

    /// The items of one row, each from its column on: a point is a column, as the viewport is as wide as the terminal.
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

// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The last line: the text input, a message, or the keys; and the cursor's position. Makes no calls.
enum StatusLine {
    /// Keys by their importance where there is little room.
    private static let keys = [
        ("q", "quit"), ("?", "help"), ("/", "find"), ("&", "only hits"), ("Enter", "select"), ("n N", "next, previous"),
        ("Space b", "page"), ("g G", "ends"),
    ]

    static func line(of state: ViewerState) -> StyledLine {
        let width = state.frame.columns
        var line = StyledLine()
        switch state.mode {
        case .finding(let text): return prompt("/", text, state)
        case .filtering(let text): return prompt("&", text, state)
        case .browsing, .help: break
        }
        let place = PrintableText(place(of: state) + " ", in: state.encoding)
        // A message that replaces the list is not repeated here.
        let isShown = state.notices.message.isEmpty && !state.notices.isSilent && !state.browser.hasItems
        let matter = isShown && state.mode == .browsing ? "" : state.notices.matter
        if !matter.isEmpty {
            let text = PrintableText(" " + matter, in: state.encoding, columns: width)
            // An error has priority over other messages.
            let hasRoom = text.columns + 2 + place.columns <= width
            let room = hasRoom ? width - place.columns : width
            line.append(text.fitted(to: room, in: state.encoding), .role(.status, bold: state.notices.isWrong))
        } else {
            line = hints(in: width - place.columns - 1, state)
        }
        if line.columns + place.columns <= width {
            line.pad(to: width - place.columns, .role(.status))
            line.append(place, .role(.status))
        }
        line.pad(to: width, .role(.status))
        return line
    }

    private static func prompt(_ mark: String, _ text: String, _ state: ViewerState) -> StyledLine {
        var line = StyledLine()
        let width = state.frame.columns
        var typed = PrintableText(mark + text, in: state.encoding)
        // Of a long text the end is shown, where the user types.
        if typed.columns >= width { typed = typed.dropping(typed.columns - width + 1) }
        line.append(typed, .role(.plain, bold: true))
        let room = width - typed.columns - 3
        let advice = mark == "/" ? "Enter stays, Esc goes back" : "Enter keeps it, Esc shows all"
        let message = state.notices.matter
        let matter = PrintableText(message.isEmpty ? advice : message, in: state.encoding, columns: max(0, room))
        if room >= (message.isEmpty ? matter.columns : 12) {
            let shown = matter.fitted(to: min(room, matter.columns), in: state.encoding)
            line.pad(to: width - shown.columns - 1)
            line.append(shown, .role(.dim))
        }
        line.pad(to: width)
        return line
    }

    /// As many whole keys as fit.
    private static func hints(in width: Int, _ state: ViewerState) -> StyledLine {
        var line = StyledLine()
        var keys = Self.keys
        if !state.filter.isEmpty {
            keys = [("q", "quit"), ("?", "help"), ("Esc", "show all"), ("Enter", "go to"), ("&", "filter")]
        }
        if case .help(let first) = state.mode {
            let isMore = first + state.frame.listRows < HelpPage.rows.count
            keys = [("q", "back")] + (isMore ? [("Space", "more")] : [])
        }
        for (key, word) in keys {
            let key = PrintableText(" " + key, in: state.encoding)
            let word = PrintableText(" " + word + " ", in: state.encoding)
            guard line.columns + key.columns + word.columns <= width else { break }
            line.append(key, .role(.key))
            line.append(word, .role(.status))
        }
        return line
    }

    /// The cursor's position, and the size of the list.
    private static func place(of state: ViewerState) -> String {
        let (browser, wide) = (state.browser, state.frame.columns >= 60)
        guard state.hasContents, !state.isHelping else { return "" }
        var parts: [String] = []
        if let range = state.facts.workingRange, state.frame.columns >= 110, !range.isEmpty {
            parts.append("prepared \(range.lowerBound + 1)–\(range.upperBound)")
        }
        if wide { parts.append("revision \(browser.picture.revision)") }
        if let total = state.facts.objects, let item = browser.current, !item.objectID.isEmpty {
            parts.append("\(grouped(Int(item.section) + 1)) of \(grouped(total))")
        }
        parts.append("\(share(browser)) %")
        return parts.joined(separator: "  ")
    }

    /// The part of the content up to the end of the screen, in percent.
    private static func share(_ browser: Browser) -> Int {
        let (layout, height) = (browser.layout, browser.picture.height)
        let next = layout.index(at: browser.scroller.top) + browser.rowCount
        let bottom = next < layout.rows.count ? layout.rows[next].y : height
        return height > 0 ? Int((100 * min(max(0, bottom), height) / height).rounded(.down)) : 100
    }

    private static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The status line, with the text input, a message or the keys on the left, and the cursor's position on the right. It
/// makes no calls.
enum StatusLine {
    /// The keys and their effects, the most important first. The last ones are left out when there is little room.
    private static let keys = [
        ("q", "quit"), ("?", "help"), ("/", "find"), ("&", "only hits"), ("Enter", "select"), ("a", "actions"),
        ("n N", "next, previous"),
        ("Space b", "page"), ("g G", "ends"),
    ]

    static func line(of state: ViewerState) -> StyledLine {
        let width = state.frame.columns
        var line = StyledLine()
        switch state.mode {
        case .finding(let text): return prompt("/", text, state)
        case .filtering(let text): return prompt("&", text, state)
        case .acting(let actions): return choice(of: actions, state)
        case .browsing, .help: break
        }
        let place = PrintableText(positionText(of: state) + " ", in: state.encoding)
        // The condition is not repeated here while it is shown in place of the list.
        let isShown = state.notices.message.isEmpty && !state.notices.isSilent && !state.browser.hasItems
        let notice = isShown && state.mode == .browsing ? "" : state.notices.text
        if !notice.isEmpty {
            let text = PrintableText(" " + notice, in: state.encoding, columns: width)
            // A message has priority over the position.
            let hasRoom = text.columns + 2 + place.columns <= width
            let room = hasRoom ? width - place.columns : width
            line.append(text.fitted(to: room, in: state.encoding), .role(.status, bold: state.notices.isError))
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
        // A long text is cut at its start, because the user types at its end.
        if typed.columns >= width { typed = typed.dropping(typed.columns - width + 1) }
        line.append(typed, .role(.plain, bold: true))
        let room = width - typed.columns - 3
        let advice = mark == "/" ? "Enter stays, Esc goes back" : "Enter keeps it, Esc shows all"
        let message = state.notices.text
        let notice = PrintableText(message.isEmpty ? advice : message, in: state.encoding, columns: max(0, room))
        if room >= (message.isEmpty ? notice.columns : 12) {
            let shown = notice.fitted(to: min(room, notice.columns), in: state.encoding)
            line.pad(to: width - shown.columns - 1)
            line.append(shown, .role(.dim))
        }
        line.pad(to: width)
        return line
    }

    /// Returns the numbered actions of a row.
    private static func choice(of actions: [String], _ state: ViewerState) -> StyledLine {
        var line = StyledLine()
        let width = state.frame.columns
        for (number, action) in actions.enumerated() {
            let key = PrintableText(" \(number + 1)", in: state.encoding)
            let room = width - line.columns - key.columns
            let word = PrintableText(" \(action) ", in: state.encoding, columns: max(0, room))
            guard room > 2 else { break }
            line.append(key, .role(.key))
            line.append(word.fitted(to: min(room, word.columns), in: state.encoding), .role(.status))
        }
        line.pad(to: width, .role(.status))
        return line
    }

    /// Returns as many keys with their effects as fit.
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

    /// Returns the position of the cursor, and the size of the list.
    private static func positionText(of state: ViewerState) -> String {
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
        parts.append("\(scrolledPercentage(of: browser)) %")
        return parts.joined(separator: "  ")
    }

    /// Returns the part of the content above the end of the screen, in percent.
    private static func scrolledPercentage(of browser: Browser) -> Int {
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

import ListClient

/// The viewer's state as lines of text: what a terminal shows. Pure.
enum Screen {
    /// One line with how it is drawn.
    struct Line: Equatable {
        enum Style: Equatable { case plain, header, footer, status }
        var text: String
        var style: Style
    }

    /// All rows of the screen, each as wide as the terminal.
    ///
    /// The last is the status line. Where there is one row only it is the list's, unless a search is being typed or
    /// there is something to say instead.
    static func lines(_ state: ViewerState, title: String) -> [Line] {
        let blank = Line(text: String(repeating: " ", count: state.columns), style: .plain)
        var lines = [Line](repeating: blank, count: state.listRows)
        for (row, items) in items(of: state).enumerated() where !items.isEmpty {
            lines[row] = Line(text: text(of: items, columns: state.columns), style: style(of: items))
        }
        let status = Line(text: status(state, title: title), style: .status)
        guard state.rows == 1 else { return lines + [status] }
        return state.prompt != .status || state.hasNews || lines == [blank] ? [status] : lines
    }

    /// The items on each row of the list, top to bottom.
    static func items(of state: ViewerState) -> [[Picture.Shown]] {
        state.layout.screen(from: state.scroller.top, rows: state.listRows)
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

    /// The bytes that draw the lines on a terminal, top to bottom.
    ///
    /// What is there is erased before a line is written: behind a line as wide as the terminal the cursor still stands on
    /// the last column, and erasing would take that away.
    static func rendered(_ lines: [Line]) -> String {
        var text = "\u{1B}[H"
        for (index, line) in lines.enumerated() {
            let style =
                switch line.style {
                case .plain: "\u{1B}[0m"
                case .header: "\u{1B}[0;1m"
                case .footer: "\u{1B}[0;2m"
                case .status: "\u{1B}[0;7m"
                }
            let isLast = index == lines.count - 1
            text += (isLast ? "\u{1B}[J" : "\u{1B}[K") + style + line.text + "\u{1B}[0m"
            if !isLast { text += "\r\n" }
        }
        return text
    }

    private static func style(of items: [Picture.Shown]) -> Line.Style {
        switch items.first?.kind {
        case "header": .header
        case "footer": .footer
        default: .plain
        }
    }

    /// What is the matter comes first; the hint is there while there is room.
    private static func status(_ state: ViewerState, title: String) -> String {
        if case .search(let text) = state.prompt {
            return DisplayText.fitted("/" + DisplayText.harmless(text), to: state.columns)
        }
        let left = " \(DisplayText.harmless(title))  revision \(state.picture.revision)  \(share(state)) %  "
        let matter = DisplayText.harmless(state.matter)
        let right = matter.isEmpty ? "arrows, PgUp, PgDn, Home, End, / find, q quit " : matter + " "
        let room = state.columns - DisplayText.columns(of: right)
        if matter.isEmpty, room < DisplayText.columns(of: left) { return DisplayText.fitted(left, to: state.columns) }
        let fitting = DisplayText.fitted(left, to: room)
        return fitting + DisplayText.fitted(right, to: state.columns - max(0, room))
    }

    /// How much of the content ends with the screen, in percent.
    private static func share(_ state: ViewerState) -> Int {
        let (layout, height) = (state.layout, state.picture.height)
        let next = layout.index(at: state.scroller.top) + state.listRows
        let bottom = next < layout.rows.count ? layout.rows[next].y : height
        return height > 0 ? Int((100 * min(max(0, bottom), height) / height).rounded(.down)) : 100
    }
}

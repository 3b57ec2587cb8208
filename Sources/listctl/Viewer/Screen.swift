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
    static func lines(_ state: ViewerState, title: String) -> [Line] {
        let blank = Line(text: String(repeating: " ", count: state.columns), style: .plain)
        var lines = [Line](repeating: blank, count: state.listRows)
        for (row, items) in rows(of: state) {
            lines[row] = Line(text: text(of: items, columns: state.columns), style: style(of: items))
        }
        return lines + [Line(text: status(state, title: title), style: .status)]
    }

    /// Which items stand on which row.
    ///
    /// Items that start at one height share a row. A row stands for so many points, yet nothing is drawn over something
    /// else: what is lower than the item above it gets a row of its own, and what no longer fits is left out.
    private static func rows(of state: ViewerState) -> [(row: Int, items: [Picture.Shown])] {
        var rows: [(row: Int, items: [Picture.Shown])] = []
        var height: Double?
        for item in state.picture.inReadingOrder where item.frame.isDrawable {
            let place = ((item.frame.y - state.picture.offset.y) / state.pointsPerRow).rounded()
            if item.frame.y == height, !rows.isEmpty {
                rows[rows.count - 1].items.append(item)
                continue
            }
            guard place >= 0, place < Double(state.listRows) else { continue }
            let row = max(Int(place), (rows.last?.row ?? -1) + 1)
            guard row < state.listRows else { break }
            height = item.frame.y
            rows.append((row, [item]))
        }
        return rows
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
            text += style + line.text + "\u{1B}[0m\u{1B}[K"
            if index < lines.count - 1 { text += "\r\n" }
        }
        return text + "\u{1B}[J"
    }

    private static func style(of items: [Picture.Shown]) -> Line.Style {
        switch items.first?.kind {
        case "header": .header
        case "footer": .footer
        default: .plain
        }
    }

    private static func status(_ state: ViewerState, title: String) -> String {
        if case .search(let text) = state.prompt { return DisplayText.fitted("/" + text, to: state.columns) }
        let height = state.picture.contentSize.height
        let bottom = min(height, state.top + state.viewportHeight)
        let share = Int(exactly: (100 * bottom / height).rounded(.down)) ?? 100
        let left = " \(DisplayText.harmless(title))  revision \(state.picture.revision)  \(share) %"
        let right = state.message.isEmpty ? "arrows, PgUp, PgDn, Home, End, / find, q quit " : state.message + " "
        let room = state.columns - DisplayText.columns(of: left)
        guard room > DisplayText.columns(of: right) else { return DisplayText.fitted(left, to: state.columns) }
        return DisplayText.fitted(left, to: state.columns - DisplayText.columns(of: right)) + right
    }
}

extension Frame {
    /// Whether its place can be counted in columns and rows.
    fileprivate var isDrawable: Bool {
        let limit = 1e12
        return abs(x) < limit && abs(y) < limit && abs(width) < limit && width > 0
    }
}

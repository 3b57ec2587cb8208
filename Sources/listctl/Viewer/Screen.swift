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
        var rows = [Line](
            repeating: Line(text: String(repeating: " ", count: state.columns), style: .plain), count: state.listRows)
        for item in state.picture.inReadingOrder.sorted(by: { $0.z < $1.z }) {
            guard let row = row(of: item, state), rows.indices.contains(row) else { continue }
            rows[row] = Line(text: ItemText.line(item, width: state.columns), style: style(of: item))
        }
        return rows + [Line(text: status(state, title: title), style: .status)]
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

    private static func row(of item: Picture.Shown, _ state: ViewerState) -> Int? {
        let row = ((item.frame.y - state.picture.offset.y) / state.pointsPerRow).rounded(.down)
        return row >= 0 && row < Double(state.listRows) ? Int(row) : nil
    }

    private static func style(of item: Picture.Shown) -> Line.Style {
        switch item.kind {
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

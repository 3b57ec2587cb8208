// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The drawing of the viewer's state as a screen. It makes no calls.
struct ViewerScreen {
    private let state: ViewerState
    private let frame: ScreenFrame
    private let encoding: TextEncoding
    private let highlight: Highlight?

    private init(_ state: ViewerState) {
        self.state = state
        (frame, encoding) = (state.frame, state.encoding)
        highlight = Highlight(state.marked, in: state.encoding)
    }

    /// Returns the screen of a state.
    static func screen(of state: ViewerState) -> TerminalScreen {
        let painter = ViewerScreen(state)
        return TerminalScreen(columns: state.frame.columns, lines: painter.lines(), caret: painter.caret)
    }

    private func lines() -> [StyledLine] {
        let status = StatusLine.line(of: state)
        guard frame.rows > 1 else {
            let isTyping = state.mode != .browsing
            let body = body()
            return [isTyping || state.notices.hasPriority || body.allSatisfy(\.isBlank) ? status : body[0]]
        }
        return (frame.headingRows > 0 ? [heading()] : []) + body() + (frame.noteRows > 0 ? [note()] : []) + [status]
    }

    private func note() -> StyledLine {
        var line = StyledLine()
        line.append(fitted(" " + state.note, to: frame.columns), .role(.accent(.cyan)))
        return line
    }

    /// The column after the typed text; nil while no text is being typed.
    private var caret: Int? {
        switch state.mode {
        case .finding(let text), .filtering(let text):
            min(frame.columns - 1, 1 + PrintableText(text, in: encoding).columns)
        case .browsing, .help, .acting: nil
        }
    }

    private func printable(_ text: String, columns: Int = .max) -> PrintableText {
        PrintableText(text, in: encoding, columns: columns)
    }

    private func fitted(_ text: String, to width: Int) -> PrintableText {
        printable(text, columns: width).fitted(to: width, in: encoding)
    }

    // MARK: - The line above the list

    private func heading() -> StyledLine {
        let style = Style.role(.heading)
        var line = StyledLine()
        line.pad(to: frame.leftMargin, style)
        if case .help = state.mode {
            line.append(fitted("Keys", to: frame.columns - line.columns), style)
            return line
        }
        let (columns, titleWidth) = state.table.columns(fittingInto: frame.listColumns)
        let name = state.filter.isEmpty ? state.title : "\(state.title) & \(state.filter)"
        line.append(fitted(name, to: titleWidth), style)
        for column in columns {
            line.append(.blank(Table.gap), style)
            let text = Table.heading(of: column.key, in: encoding)
            line.append(text.fitted(to: column.width, alignedRight: column.isRightAligned, in: encoding), style)
        }
        line.pad(to: frame.columns, style)
        return line
    }

    // MARK: - The list

    private func body() -> [StyledLine] {
        if case .help(let first) = state.mode { return help(from: first) }
        let rows = state.browser.rows
        guard state.browser.hasItems else { return emptyBody() }
        let marks = scrollMarks()
        return (0..<frame.listRows).map { row in
            line(of: row < rows.count ? rows[row] : [], isCurrent: row == state.browser.cursor.row, mark: marks[row])
        }
    }

    private func line(of items: [Picture.Shown], isCurrent: Bool, mark: ScrollBar.Mark) -> StyledLine {
        var line = StyledLine()
        let isWhole = items.count == 1 && Int(items[0].frame.x) <= 0
        if frame.hasMargins {
            let isSelected = items.contains(where: state.facts.isSelected)
            if isSelected { line.append(printable("● "), .role(.accent(.green), bold: true)) }
            line.pad(to: frame.leftMargin)
        }
        if isWhole, let item = items.first {
            line.append(row(of: item))
        } else {
            for (place, item) in items.enumerated() {
                let first = max(frame.leftMargin + Int(item.frame.x), line.columns)
                let room = frame.leftMargin + frame.listColumns - first
                let width = min(Int(item.frame.width.rounded(.up)), room)
                guard width > 0 else { continue }
                line.pad(to: first)
                let cell = self.cell(of: item, width: width)
                let isHere = isCurrent && place == state.browser.cursor.column
                line.append(isHere ? cell.restyled(Self.underCursor) : cell)
            }
        }
        line.pad(to: frame.columns - frame.rightMargin)
        if isCurrent, isWhole { line = line.restyled(Self.underCursor) }
        if let highlight { line = highlight.marked(line) }
        line.append(scrollMark(mark))
        return line
    }

    private static func underCursor(_ style: Style) -> Style { .role(.cursor, bold: style.isBold) }

    /// Returns the row of an item that takes the whole width: its title and columns, or a header with a rule after it.
    private func row(of item: Picture.Shown) -> StyledLine {
        guard item.kind == "cell", !item.objectID.isEmpty else { return rule(of: item) }
        var line = StyledLine()
        let (columns, width) = state.table.columns(fittingInto: frame.listColumns)
        guard !columns.isEmpty else { return cell(of: item, width: frame.listColumns) }
        line.append(title(of: item, width: width), ReuseColor.style(of: item.reuseIdentifier))
        for column in columns {
            line.append(.blank(Table.gap))
            let text = Table.text(of: item, in: column, encoding)
            line.append(text.fitted(to: column.width, alignedRight: column.isRightAligned, in: encoding))
        }
        return line
    }

    private func title(of item: Picture.Shown, width: Int) -> PrintableText {
        let text = ItemText.title(of: item.content, objectID: item.objectID, columns: width + state.pan + 1)
        return printable(text, columns: width + state.pan + 1).dropping(state.pan).fitted(to: width, in: encoding)
    }

    /// The width beyond which the details of an item do not move further to the right.
    private static let maximumCellWidth = 120

    /// Returns the title of an item with the details on the right.
    private func cell(of item: Picture.Shown, width: Int) -> StyledLine {
        var line = StyledLine()
        let whole = printable(
            ItemText.title(of: item.content, objectID: item.objectID, columns: width + state.pan + 1),
            columns: width + state.pan + 1
        ).dropping(state.pan)
        // On a wide terminal, the details do not move further to the right, so that they stay near the title.
        let near = max(whole.columns, min(width, Self.maximumCellWidth) - Table.gap)
        let room = width - whole.columns - Table.gap
        let details = printable(ItemText.details(of: item.content, columns: max(0, room)), columns: max(0, room))
        let shown = room >= 8 ? min(room, details.columns) : 0
        let style = ReuseColor.style(of: item.reuseIdentifier)
        let first = min(width - shown, max(whole.columns + Table.gap, near - shown + Table.gap))
        line.append(whole.fitted(to: shown > 0 ? first : width, in: encoding), style)
        line.append(details.fitted(to: shown, in: encoding), .role(.dim))
        line.pad(to: width)
        return line
    }

    private func rule(of item: Picture.Shown) -> StyledLine {
        var line = StyledLine()
        let text = printable(
            ItemText.title(of: item.content, objectID: item.objectID, columns: frame.listColumns),
            columns: frame.listColumns)
        line.append(text.fitted(to: min(text.columns, frame.listColumns), in: encoding), .role(.plain, bold: true))
        let rest = frame.listColumns - line.columns - 1
        if rest > 0, item.kind != "cell" {
            line.append(.blank(1))
            line.append(printable(String(repeating: "─", count: rest)), .role(.dim))
        }
        return line
    }

    // MARK: - The margin at the right

    private func scrollMarks() -> [ScrollBar.Mark] {
        let (scroller, height) = (state.browser.scroller, state.browser.picture.height)
        guard height > 0, frame.hasMargins else { return Array(repeating: .none, count: frame.listRows) }
        let top = min(1, max(0, scroller.top / height))
        let bottom = min(1, max(top, (scroller.top + scroller.size.height) / height))
        return ScrollBar.marks(rows: frame.listRows, visible: top...bottom, workingRange: workingRange)
    }

    /// The working range as fractions of the list, assuming that all sections have the same height.
    private var workingRange: ClosedRange<Double>? {
        guard let range = state.facts.workingRange, let total = state.facts.objects, total > 0 else { return nil }
        let first = min(1, Double(range.lowerBound) / Double(total))
        return first...min(1, max(first, Double(range.upperBound) / Double(total)))
    }

    private func scrollMark(_ mark: ScrollBar.Mark) -> StyledLine {
        var line = StyledLine()
        guard frame.hasMargins else { return line }
        line.append(.blank(1))
        switch mark {
        case .none: line.append(.blank(1))
        case .track: line.append(printable("│"), .role(.dim))
        case .workingRange: line.append(printable("▒"), .role(.dim))
        case .thumb: line.append(printable("▐"))
        }
        return line
    }

    // MARK: - In place of the list

    /// Returns the lines that say why there is no item to show.
    private func emptyBody() -> [StyledLine] {
        let (text, style): (String, Style) =
            if !state.notices.condition.isEmpty {
                (state.notices.condition, .role(.warning))
            } else if !state.hasContents {
                ("", .plain)
            } else if state.filter.isEmpty {
                (state.emptyText, .role(.dim))
            } else {
                ("nothing contains “\(state.filter)”", .role(.dim))
            }
        let wrapped = TextWrap.lines(
            printable(text, columns: 4096), width: max(1, frame.columns - 4), maximumCount: frame.listRows)
        let first = max(0, (frame.listRows - wrapped.count) / 2)
        return (0..<frame.listRows).map { row in
            var line = StyledLine()
            if wrapped.indices.contains(row - first) {
                let text = wrapped[row - first]
                line.pad(to: max(0, (frame.columns - text.columns) / 2))
                line.append(text, style)
            }
            line.pad(to: frame.columns)
            return line
        }
    }

    private func help(from first: Int) -> [StyledLine] {
        let width = HelpPage.rows.map { printable($0.keys).columns }.max() ?? 0
        return (0..<frame.listRows).map { row in
            var line = StyledLine()
            line.pad(to: frame.leftMargin)
            if HelpPage.rows.indices.contains(first + row) {
                let (keys, meaning) = HelpPage.rows[first + row]
                if keys.isEmpty {
                    line.append(fitted(meaning, to: frame.listColumns), .role(.plain, bold: true))
                } else {
                    let indent = min(2, frame.listColumns)
                    line.append(.blank(indent))
                    let room = frame.listColumns - indent
                    line.append(fitted(keys, to: min(width, room)), .role(.accent(.cyan), bold: true))
                    line.append(.blank(min(2, max(0, room - width))))
                    line.append(fitted(meaning, to: max(0, room - width - 2)))
                }
            }
            line.pad(to: frame.columns)
            return line
        }
    }
}

extension StyledLine {
    fileprivate var isBlank: Bool { parts.allSatisfy { $0.text.cells.allSatisfy { $0.character == " " } } }
}

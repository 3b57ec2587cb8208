// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The drawing of the viewer's state as a screen. It makes no calls.
struct ViewerScreen {
    private let state: ViewerState
    private let frame: ScreenFrame
    private let encoding: TextEncoding
    /// The characters to mark, in lower case.
    private let marked: [String]

    private init(_ state: ViewerState) {
        self.state = state
        (frame, encoding) = (state.frame, state.encoding)
        marked = PrintableText(state.marked, in: state.encoding).cells.map { $0.character.lowercased() }
    }

    /// Returns the screen of a state.
    static func screen(of state: ViewerState) -> TerminalScreen {
        let painter = ViewerScreen(state)
        return TerminalScreen(columns: state.frame.columns, lines: painter.lines(), caret: painter.caret)
    }

    private func lines() -> [StyledLine] {
        let status = statusLine()
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
            line.append(.blank(FieldColumns.gap), style)
            let text = FieldColumns.heading(of: column.key, in: encoding)
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
        line = line.marking(marked)
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
        line.append(title(of: item, width: width), .ofItems(reusedAs: item.reuseIdentifier))
        for column in columns {
            line.append(.blank(FieldColumns.gap))
            let text = FieldColumns.text(of: item, in: column, encoding)
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
        let near = max(whole.columns, min(width, Self.maximumCellWidth) - FieldColumns.gap)
        let room = width - whole.columns - FieldColumns.gap
        let details = printable(ItemText.details(of: item.content, columns: max(0, room)), columns: max(0, room))
        let shown = room >= 8 ? min(room, details.columns) : 0
        let style = Style.ofItems(reusedAs: item.reuseIdentifier)
        let first = min(width - shown, max(whole.columns + FieldColumns.gap, near - shown + FieldColumns.gap))
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
        let wrapped = printable(text, columns: 4096).wrapped(
            to: max(1, frame.columns - 4), maximumCount: frame.listRows)
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
        let width = Self.helpRows.map { printable($0.keys).columns }.max() ?? 0
        return (0..<frame.listRows).map { row in
            var line = StyledLine()
            line.pad(to: frame.leftMargin)
            if Self.helpRows.indices.contains(first + row) {
                let (keys, meaning) = Self.helpRows[first + row]
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

/// The division of the terminal: a heading above the list, margins beside the list, a note and the status line below.
/// It makes no calls.
struct ScreenFrame: Equatable {
    let columns: Int
    let rows: Int
    /// Whether there is a note, which is shown above the status line if there is room.
    let hasNote: Bool

    init(columns: Int, rows: Int, hasNote: Bool = false) {
        (self.columns, self.rows, self.hasNote) = (max(1, columns), max(1, rows), hasNote)
    }

    /// The number of rows for the heading: 1 if there is room for more than the list and the status line.
    var headingRows: Int { rows >= 4 ? 1 : 0 }
    var noteRows: Int { hasNote && rows >= 8 ? 1 : 0 }
    /// The number of rows for the list, at least one.
    var listRows: Int { max(1, rows - 1 - headingRows - noteRows) }
    var hasMargins: Bool { columns >= 20 }
    /// The width of the margin with the marks of selected items.
    var leftMargin: Int { hasMargins ? 2 : 0 }
    /// The width of the margin with a blank and the scroll bar.
    var rightMargin: Int { hasMargins ? 2 : 0 }
    var listColumns: Int { columns - leftMargin - rightMargin }
}

// The status line, with the text input, a message or the keys on the left, and the cursor's position on the right.
extension ViewerScreen {
    /// The keys and their effects, the most important first. The last ones are left out when there is little room.
    private static let statusKeys = [
        ("q", "quit"), ("?", "help"), ("/", "find"), ("&", "only hits"), ("Enter", "select"), ("a", "actions"),
        ("n N", "next, previous"),
        ("Space b", "page"), ("g G", "ends"),
    ]

    private func statusLine() -> StyledLine {
        let width = frame.columns
        var line = StyledLine()
        switch state.mode {
        case .finding(let text): return prompt("/", text)
        case .filtering(let text): return prompt("&", text)
        case .acting(let actions): return choice(of: actions)
        case .browsing, .help: break
        }
        let place = printable(positionText + " ")
        // The condition is not repeated here while it is shown in place of the list.
        let isShown = state.notices.message.isEmpty && !state.notices.isSilent && !state.browser.hasItems
        let notice = isShown && state.mode == .browsing ? "" : state.notices.text
        if !notice.isEmpty {
            let text = printable(" " + notice, columns: width)
            // A message has priority over the position.
            let hasRoom = text.columns + 2 + place.columns <= width
            let room = hasRoom ? width - place.columns : width
            line.append(text.fitted(to: room, in: encoding), .role(.status, bold: state.notices.isError))
        } else {
            line = hints(in: width - place.columns - 1)
        }
        if line.columns + place.columns <= width {
            line.pad(to: width - place.columns, .role(.status))
            line.append(place, .role(.status))
        }
        line.pad(to: width, .role(.status))
        return line
    }

    private func prompt(_ mark: String, _ text: String) -> StyledLine {
        var line = StyledLine()
        let width = frame.columns
        var typed = printable(mark + text)
        // A long text is cut at its start, because the user types at its end.
        if typed.columns >= width { typed = typed.dropping(typed.columns - width + 1) }
        line.append(typed, .role(.plain, bold: true))
        let room = width - typed.columns - 3
        let advice = mark == "/" ? "Enter stays, Esc goes back" : "Enter keeps it, Esc shows all"
        let message = state.notices.text
        let notice = printable(message.isEmpty ? advice : message, columns: max(0, room))
        if room >= (message.isEmpty ? notice.columns : 12) {
            let shown = notice.fitted(to: min(room, notice.columns), in: encoding)
            line.pad(to: width - shown.columns - 1)
            line.append(shown, .role(.dim))
        }
        line.pad(to: width)
        return line
    }

    /// Returns the numbered actions of a row.
    private func choice(of actions: [String]) -> StyledLine {
        var line = StyledLine()
        let width = frame.columns
        for (number, action) in actions.enumerated() {
            let key = printable(" \(number + 1)")
            let room = width - line.columns - key.columns
            let word = printable(" \(action) ", columns: max(0, room))
            guard room > 2 else { break }
            line.append(key, .role(.key))
            line.append(word.fitted(to: min(room, word.columns), in: encoding), .role(.status))
        }
        line.pad(to: width, .role(.status))
        return line
    }

    /// Returns as many keys with their effects as fit.
    private func hints(in width: Int) -> StyledLine {
        var line = StyledLine()
        var keys = Self.statusKeys
        if !state.filter.isEmpty {
            keys = [("q", "quit"), ("?", "help"), ("Esc", "show all"), ("Enter", "go to"), ("&", "filter")]
        }
        if case .help(let first) = state.mode {
            let isMore = first + frame.listRows < Self.helpRows.count
            keys = [("q", "back")] + (isMore ? [("Space", "more")] : [])
        }
        for (key, word) in keys {
            let key = printable(" " + key)
            let word = printable(" " + word + " ")
            guard line.columns + key.columns + word.columns <= width else { break }
            line.append(key, .role(.key))
            line.append(word, .role(.status))
        }
        return line
    }

    /// Returns the position of the cursor, and the size of the list.
    private var positionText: String {
        let (browser, wide) = (state.browser, frame.columns >= 60)
        guard state.hasContents, !state.isHelping else { return "" }
        var parts: [String] = []
        if let range = state.facts.workingRange, frame.columns >= 110, !range.isEmpty {
            parts.append("prepared \(range.lowerBound + 1)–\(range.upperBound)")
        }
        if wide { parts.append("revision \(browser.picture.revision)") }
        if let total = state.facts.objects, let item = browser.current, !item.objectID.isEmpty {
            parts.append("\(Self.grouped(Int(item.section) + 1)) of \(Self.grouped(total))")
        }
        parts.append("\(Self.scrolledPercentage(of: browser)) %")
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

/// The scroll bar in the right margin, which shows the visible part of the list and the working range. It makes no
/// calls.
enum ScrollBar {
    enum Mark: Equatable { case none, track, workingRange, thumb }

    /// Returns the mark on each row; all marks are `none` when the whole list is on the screen.
    ///
    /// - Parameters:
    ///   - visible: the visible part of the content, as fractions from 0 to 1.
    ///   - workingRange: the working range as fractions from 0 to 1; nil while unknown.
    static func marks(rows: Int, visible: ClosedRange<Double>, workingRange: ClosedRange<Double>?) -> [Mark] {
        guard rows > 0, visible.lowerBound > 0 || visible.upperBound < 1 else {
            return Array(repeating: .none, count: max(0, rows))
        }
        var marks = [Mark](repeating: .track, count: rows)
        if let workingRange { for row in range(workingRange, in: rows) { marks[row] = .workingRange } }
        for row in range(visible, in: rows) { marks[row] = .thumb }
        return marks
    }

    /// Returns the fraction of the list, from 0 to 1, to which a click on a row of the scroll bar scrolls.
    static func fraction(ofRow row: Int, rows: Int) -> Double {
        rows > 1 ? min(1, max(0, Double(row) / Double(rows - 1))) : 0
    }

    private static func range(_ part: ClosedRange<Double>, in rows: Int) -> Range<Int> {
        let first = min(rows - 1, max(0, Int((part.lowerBound * Double(rows)).rounded(.down))))
        let end = min(rows, max(first + 1, Int((part.upperBound * Double(rows)).rounded())))
        // The thumb touches an end of the scroll bar only if the screen shows that end of the list.
        if part.lowerBound > 0, first == 0, rows > 2, end < rows { return 1..<max(2, end) }
        if part.upperBound < 1, end == rows, rows > 2, first > 0 { return min(first, rows - 2)..<(rows - 1) }
        return first..<end
    }
}

extension StyledLine {
    /// Returns the line with all hits of a text marked, except hits that extend over two parts of the line.
    ///
    /// - Parameter wanted: the characters of the text in lower case.
    fileprivate func marking(_ wanted: [String]) -> StyledLine {
        guard !wanted.isEmpty else { return self }
        var result = StyledLine()
        for part in parts {
            let cells = part.text.cells
            var done = 0
            for hit in Self.hits(of: wanted, in: cells.map { $0.character.lowercased() }) {
                result.append(part.text[done..<hit], part.style)
                done = hit + wanted.count
                let role: Style.ScreenRole = part.style.role == .cursor ? .hitAtCursor : .hit
                result.append(part.text[hit..<done], .role(role))
            }
            result.append(part.text[done..<cells.count], part.style)
        }
        return result
    }

    /// Returns the positions at which hits start. Hits do not overlap.
    private static func hits(of wanted: [String], in characters: [String]) -> [Int] {
        guard characters.count >= wanted.count else { return [] }
        var (hits, place) = ([Int](), 0)
        while place + wanted.count <= characters.count {
            if characters[place..<(place + wanted.count)].elementsEqual(wanted) {
                hits.append(place)
                place += wanted.count
            } else {
                place += 1
            }
        }
        return hits
    }
}

extension Style {
    /// Returns the style of items with a reuse identifier.
    ///
    /// Kinds of files have the colours of ls(1). Identifiers that begin with a word for an error are red, for a warning
    /// yellow. The colour of any other identifier depends on its hash.
    static func ofItems(reusedAs identifier: String) -> Style {
        let word = identifier.lowercased()
        switch word {
        case "", "single", "file", "item", "default", "cell": return .plain
        case "directory", "folder": return .role(.accent(.blue), bold: true)
        case "link", "symlink": return .role(.accent(.cyan))
        case "socket": return .role(.accent(.magenta))
        case "pipe", "device": return .role(.accent(.yellow))
        default: break
        }
        if word.hasPrefix("err") || word.hasPrefix("crit") || word.hasPrefix("fail") { return .role(.accent(.red)) }
        if word.hasPrefix("warn") { return .role(.accent(.yellow)) }
        let quiet: [Style.Accent] = [.cyan, .green, .magenta, .blue]
        // FNV-1a, because Swift's own hash differs in each run.
        let hash = identifier.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return .role(.accent(quiet[Int(hash % UInt32(quiet.count))]))
    }
}

extension ViewerScreen {
    /// The help page that the key `?` shows: the keys and their effects, short enough for 40 columns. A row without
    /// keys is a heading.
    static let helpRows: [(keys: String, meaning: String)] = [
        ("", "Moving"),
        ("↑ ↓  k j", "a row up, down"),
        ("← →  h l", "beside; long titles"),
        ("Space PgDn", "a screen down"),
        ("b  PgUp", "a screen up"),
        ("g  Home", "the beginning"),
        ("G  End", "the end"),
        ("", "Finding"),
        ("/", "find as you type"),
        ("n  N", "next, previous"),
        ("&", "show only hits"),
        ("Esc", "show everything"),
        ("", "Doing"),
        ("Enter", "select; go to a hit"),
        ("a  1…9", "actions of a row; do"),
        ("Ctrl-L", "draw anew"),
        ("q  Ctrl-C", "quit"),
        ("", "The mouse"),
        ("click", "cursor; again: Enter"),
        ("wheel", "three rows"),
        ("", "In the margins"),
        ("●", "selected"),
        ("▐", "on the screen"),
        ("▒", "working range"),
    ]
}

/// The columns with the fields of a list's items, beside the column with their titles. It makes no calls.
///
/// The items on the screen determine the columns and their widths. A column never becomes narrower while the user
/// scrolls.
struct FieldColumns: Equatable {
    struct FieldColumn: Equatable {
        let key: String
        let hint: FieldHint?
        var width: Int
        var isRightAligned: Bool
    }

    private(set) var columns: [FieldColumn] = []
    private let encoding: TextEncoding
    /// The width of the longest title.
    private var title = 0

    /// The width of the title column if there is room. It is wider only when titles need that, because columns that are
    /// far apart are hard to read on a wide terminal.
    private static let roomForTitles = 56
    /// The maximum width to which a title is measured.
    private static let maximumTitleColumns = 400
    /// The maximum width of a column without a hint.
    fileprivate static let maximumWidth = 28
    /// The number of blanks between two columns.
    static let gap = 2
    /// The maximum number of fields without a hint that become columns, as an item may have thousands.
    private static let maximumFields = 24

    init(in encoding: TextEncoding) { self.encoding = encoding }

    /// Adds columns for the fields of the items on the screen, and widens columns where needed.
    mutating func widenColumns(for items: [Picture.Shown], hints: [String: FieldHint]) {
        let cells = items.filter { $0.kind == "cell" && !$0.objectID.isEmpty }
        for cell in cells {
            let text = ItemText.title(of: cell.content, objectID: cell.objectID, columns: Self.maximumTitleColumns)
            title = max(title, DisplayText.columns(of: text))
        }
        let keys = Self.keys(of: cells, hints)
        columns = columns.filter { column in
            column.hint == hints[column.key] && (keys.contains(column.key) || column.hint != nil || cells.isEmpty)
        }
        for key in keys where !columns.contains(where: { $0.key == key }) {
            let hint = hints[key]
            let heading = Self.heading(of: key, in: encoding).columns
            columns.append(
                FieldColumn(key: key, hint: hint, width: heading, isRightAligned: hint?.isRightAligned ?? true))
        }
        columns.sort { Self.rank($0) < Self.rank($1) }
        for index in columns.indices { columns[index].widen(for: cells, in: encoding) }
    }

    /// Returns the columns that fit beside the titles, and the width of the title column.
    func columns(fittingInto width: Int) -> (columns: [FieldColumn], titleWidth: Int) {
        let least = max(12, width * 2 / 5)
        var (room, count) = (width, 0)
        for column in columns {
            let needed = column.width + Self.gap
            guard room - needed >= least else { break }
            (room, count) = (room - needed, count + 1)
        }
        return (Array(columns.prefix(count)), min(room, max(Self.roomForTitles, title)))
    }

    /// Returns the heading of a column.
    static func heading(of key: String, in encoding: TextEncoding) -> PrintableText {
        let words = key.split { $0 == "-" || $0 == "_" }.joined(separator: " ")
        return PrintableText(words.uppercased(), in: encoding, columns: maximumWidth)
    }

    /// Returns the text of an item in a column.
    static func text(of item: Picture.Shown, in column: FieldColumn, _ encoding: TextEncoding) -> PrintableText {
        let value = item.content[column.key]
        let text = value.flatMap { column.hint?.text(of: $0) ?? ItemText.plain($0) } ?? ""
        return PrintableText(text, in: encoding, columns: maximumWidth + 1)
    }

    /// Returns the fields that become columns: those with hints, then the others. The other fields of an item that
    /// has a description for people are left out.
    private static func keys(of cells: [Picture.Shown], _ hints: [String: FieldHint]) -> [String] {
        var hinted: [String] = []
        var others: [String] = []
        for cell in cells {
            let title = ItemText.titleKeys.first { cell.content[$0].flatMap(ItemText.plain)?.isEmpty == false }
            let isExplained = ItemText.explanationKeys.contains { cell.content[$0].flatMap(ItemText.plain) != nil }
            for key in cell.content.keys.prefix(256) where key != title {
                if hints[key] != nil {
                    if !hinted.contains(key) { hinted.append(key) }
                } else if !isExplained, others.count < maximumFields, !others.contains(key),
                    !ItemText.layoutKeys.contains(key)
                {
                    if cell.content[key].flatMap(ItemText.plain) != nil { others.append(key) }
                }
            }
        }
        return hinted + others
    }

    private static func rank(_ column: FieldColumn) -> (Int, String) {
        (column.hint?.rank ?? .max, column.key)
    }
}

extension FieldColumns.FieldColumn {
    fileprivate mutating func widen(for cells: [Picture.Shown], in encoding: TextEncoding) {
        for cell in cells {
            guard let value = cell.content[key] else { continue }
            if hint == nil, !value.isNumber { isRightAligned = false }
            let text = FieldColumns.text(of: cell, in: self, encoding)
            width = max(width, min(text.columns, FieldColumns.maximumWidth))
        }
    }
}

extension DBusValue {
    fileprivate var isNumber: Bool {
        switch unwrapped {
        case .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: true
        case .boolean, .string, .objectPath, .signature, .fileDescriptor, .array, .dictionary, .structure, .variant:
            false
        }
    }
}

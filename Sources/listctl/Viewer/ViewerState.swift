// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// An effect of an event: a call to listd, or a request to the terminal.
enum ViewerEffect: Equatable {
    case draw
    /// Writes the whole screen again, not only what differs from the previous screen.
    case redraw
    /// Requests this viewport. ``Browser/handleAnswer()`` is called when its picture has arrived.
    case setViewport(y: Double, width: Double, height: Double)
    case scrollTo(Place)
    case find(Search.Query)
    case select(Place, Bool)
    /// Invokes an action on an item.
    case invoke(String, Place)
    /// Filters by a text; an empty text shows the whole list.
    case filter(String)
    case quit
}

/// The state of the full-screen viewer. It handles events and returns effects, which `Viewer` carries out. It makes no
/// calls itself.
struct ViewerState {
    /// An event of the terminal, the daemon or the list.
    enum Input {
        case terminal(TerminalInput)
        case resized(columns: Int, rows: Int)
        /// A new view is open. It has no picture yet.
        case opened
        /// There is no view any more, with the reason.
        case closed(String, keepingPicture: Bool)
        case shown(Picture)
        /// The picture of the last requested viewport has arrived.
        case answered
        /// A call to the view timed out, as listd may be stopped or busy. The call is repeated until listd answers or
        /// ends.
        case unanswered
        /// listd has not answered for a while.
        case silent
        /// listd has refused a call to the view.
        case refused(String)
        /// The error of the list; empty when the list has no error.
        case condition(String)
        case facts(ListFacts)
        case found(Search.Query, Search.Hit?)
        /// listd refused the filter, with the reason.
        case filterRefused(String)
        case message(String)
    }

    /// The mode of the viewer, which determines the effects of keys.
    enum Mode: Equatable {
        case browsing
        case help(firstRow: Int)
        case finding(String)
        case filtering(String)
        /// The actions of the row under the cursor are shown, numbered from 1.
        case acting([String])
    }

    let title: String
    /// The text above the status line, which never changes; empty for no text.
    let note: String
    /// The text that is shown in place of a list without objects.
    let emptyText: String
    let encoding: TextEncoding
    private(set) var frame: ScreenFrame
    private(set) var mode = Mode.browsing
    /// Whether the help page is shown in place of the list.
    var isHelping: Bool { if case .help = mode { true } else { false } }
    private(set) var browser: Browser
    private(set) var notices = Notices()
    private(set) var facts = ListFacts()
    private(set) var table: FieldColumns
    /// The text that is marked wherever it occurs.
    private(set) var marked = ""
    /// The text of the filter; empty when the whole list is shown.
    private(set) var filter = ""
    /// The number of columns by which titles are scrolled to the left.
    private(set) var pan = 0
    /// Whether a complete picture of the screen has arrived from the current view.
    private(set) var hasContents = false
    private var lastQuery: Search.Query?
    private var lastHit: (hit: Search.Hit, query: Search.Query)?
    /// The cursor's place and position when the user began to type a text.
    private var typingOrigin: (place: Place?, position: Search.Position?) = (nil, nil)
    /// The place to which the cursor moves in the next view.
    private var placeToRestore: Place?

    init(
        title: String, columns: Int, rows: Int, encoding: TextEncoding = .unicode, note: String = "",
        emptyText: String = "this list is empty", marked: String = ""
    ) {
        (self.title, self.encoding, self.note) = (title, encoding, note)
        (self.emptyText, self.marked) = (emptyText, marked)
        frame = ScreenFrame(columns: columns, rows: rows, hasNote: !note.isEmpty)
        browser = Browser(columns: frame.listColumns, rows: frame.listRows)
        table = FieldColumns(in: encoding)
    }

    /// Handles an event; returns the effects to carry out.
    mutating func handle(_ input: Input) -> [ViewerEffect] {
        switch input {
        case .terminal(let input): return handle(input)
        case .resized(let columns, let rows):
            frame = ScreenFrame(columns: columns, rows: rows, hasNote: !note.isEmpty)
            return adaptColumns(browser.resize(columns: frame.listColumns, rows: frame.listRows))
        case .opened: return handleOpening()
        case .closed(let condition, let keepingPicture):
            notices.isSilent = false
            notices.condition = condition
            hasContents = hasContents && keepingPicture
            return adaptColumns(browser.stop(keepingPicture: keepingPicture))
        case .shown(let picture):
            notices.isSilent = false
            return adaptColumns(browser.show(picture))
        case .answered:
            notices.isSilent = false
            let requests = browser.handleAnswer()
            hasContents = hasContents || browser.hasArrived
            return adaptColumns(requests)
        case .unanswered:
            notices.isSilent = true
            return adaptColumns(browser.handleTimeout())
        case .silent:
            notices.isSilent = true
            return [.draw]
        case .refused(let text):
            notices.message = text
            return adaptColumns(browser.handleFailure())
        case .condition(let text):
            notices.condition = text
            return [.draw]
        case .facts(let facts):
            self.facts = facts
            widenColumns()
            return [.draw]
        case .found(let query, let hit): return goToHit(hit, for: query)
        case .filterRefused(let text):
            // The mode stays, so that letters which the user still types do not act as commands.
            (filter, marked) = ("", "")
            notices.message = text
            return [.draw]
        case .message(let text):
            notices.message = text
            return [.draw]
        }
    }

    private mutating func handleOpening() -> [ViewerEffect] {
        notices.isSilent = false
        notices.condition = ""
        (hasContents, lastHit, table, facts, pan) = (false, nil, FieldColumns(in: encoding), ListFacts(), 0)
        defer { placeToRestore = nil }
        return adaptColumns(browser.start(at: placeToRestore, fromTop: !filter.isEmpty))
    }

    /// Adapts the columns to what the browser shows now, and returns the browser's effects.
    private mutating func adaptColumns(_ effects: [ViewerEffect]) -> [ViewerEffect] {
        widenColumns()
        return effects
    }

    private mutating func widenColumns() {
        table.widenColumns(for: browser.rows.lazy.flatMap { $0 }, hints: facts.hints)
    }

    // MARK: - Keys and the mouse

    /// The number of rows by which a notch of the wheel scrolls.
    private static let wheelRows = 3
    /// The number of columns by which a step to the side scrolls the titles.
    private static let panColumns = 8
    private static let maximumPan = 1 << 16

    private mutating func handle(_ input: TerminalInput) -> [ViewerEffect] {
        switch (input, mode) {
        case (.hungUp, _): return [.quit]
        case (.key(.redraw), _): return [.redraw]
        case (.key(let key), .browsing): return press(key)
        case (.key(let key), .help(let row)): return readHelp(key, from: row)
        case (.key(let key), .finding(let text)): return type(key, into: text) { .finding($0) }
        case (.key(let key), .filtering(let text)): return type(key, into: text) { .filtering($0) }
        case (.key(let key), .acting(let actions)): return chooseAction(key, of: actions)
        case (.wheel(let notches), .help(let row)): return showHelp(from: row + notches * Self.wheelRows)
        case (.wheel(let notches), _): return step(.scroll(rows: notches * Self.wheelRows))
        case (.click, .help), (.click, .acting):
            mode = .browsing
            return [.draw]
        case (.click(let column, let row), _): return click(column: column, row: row)
        }
    }

    private mutating func press(_ key: Key) -> [ViewerEffect] {
        let hadMessage = !notices.message.isEmpty
        notices.message = ""
        switch key {
        case .up, .character("k"): return step(.rows(-1))
        case .down, .character("j"): return step(.rows(1))
        case .pageUp, .character("b"): return step(.pages(-1))
        case .pageDown, .character(" "): return step(.pages(1))
        case .home, .character("g"): return step(.home)
        case .end, .character("G"): return step(.end)
        case .left, .character("h"): return moveSideways(by: -1)
        case .right, .character("l"): return moveSideways(by: 1)
        case .enter: return activate()
        case .character("?"): return showHelp(from: 0)
        case .character("/"): return beginTyping(.finding(""))
        case .character("&"): return beginFiltering()
        case .character("a"): return showActions()
        case .character("n"): return findAgain(backwards: false)
        case .character("N"): return findAgain(backwards: true)
        case .character("q"), .interrupt: return [.quit]
        case .escape:
            if !hadMessage, !filter.isEmpty { return endFilter() }
            marked = ""
            return [.draw]
        case .backspace, .redraw, .deleteLine, .character: return [.draw]
        }
    }

    private mutating func step(_ step: Browser.Movement) -> [ViewerEffect] {
        lastHit = nil
        return adaptColumns(browser.step(step))
    }

    private mutating func moveSideways(by step: Int) -> [ViewerEffect] {
        lastHit = nil
        if !browser.moveSideways(by: step) { pan = min(max(0, pan + step * Self.panColumns), Self.maximumPan) }
        return [.draw]
    }

    private mutating func click(column: Int, row: Int) -> [ViewerEffect] {
        notices.message = ""
        let line = row - frame.headingRows
        guard line >= 0, line < frame.listRows else { return [.draw] }
        if frame.hasMargins, column == frame.columns - 1 {
            return step(.fraction(ScrollBar.fraction(ofRow: line, rows: frame.listRows)))
        }
        lastHit = nil
        let isAgain = browser.moveCursor(toColumn: max(0, column - frame.leftMargin), row: line)
        return isAgain == true && mode == .browsing ? activate() : [.draw]
    }

    /// Selects or deselects the item under the cursor. In a filtered list, it shows the item in the whole list instead.
    private mutating func activate() -> [ViewerEffect] {
        guard let item = browser.current, let place = Place(of: item) else { return [.draw] }
        if !filter.isEmpty {
            placeToRestore = place
            return endFilter()
        }
        guard case .item = place.part else {
            notices.message = "a \(item.kind) cannot be selected"
            return [.draw]
        }
        return [.select(place, !facts.isSelected(item)), .draw]
    }

    // MARK: - Actions

    /// Shows the actions that the item under the cursor names.
    private mutating func showActions() -> [ViewerEffect] {
        let actions = browser.current.map { ItemText.actions(of: $0.content) } ?? []
        if actions.isEmpty {
            notices.message = "this row names no actions"
        } else {
            mode = .acting(Array(actions.prefix(9)))
        }
        return [.draw]
    }

    /// Invokes the action with the number of a key, or the first one with Enter. Any other key goes back.
    private mutating func chooseAction(_ key: Key, of actions: [String]) -> [ViewerEffect] {
        mode = .browsing
        let number: Int? =
            switch key {
            case .enter: 1
            case .character(let digit): digit.wholeNumberValue
            case .interrupt, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .escape, .backspace, .redraw,
                .deleteLine:
                nil
            }
        guard let number, (1...actions.count).contains(number), let item = browser.current, let place = Place(of: item)
        else { return [.draw] }
        return [.invoke(actions[number - 1], place), .draw]
    }

    // MARK: - Help

    private mutating func readHelp(_ key: Key, from row: Int) -> [ViewerEffect] {
        switch key {
        case .down, .character("j"), .enter: return showHelp(from: row + 1)
        case .up, .character("k"): return showHelp(from: row - 1)
        case .pageDown, .character(" "): return showHelp(from: row + frame.listRows)
        case .pageUp, .character("b"): return showHelp(from: row - frame.listRows)
        case .interrupt: return [.quit]
        case .left, .right, .home, .end, .escape, .backspace, .redraw, .deleteLine, .character:
            mode = .browsing
            return [.draw]
        }
    }

    private mutating func showHelp(from row: Int) -> [ViewerEffect] {
        mode = .help(firstRow: min(max(0, row), max(0, ViewerScreen.helpRows.count - frame.listRows)))
        return [.draw]
    }

    // MARK: - Finding and filtering

    private mutating func beginTyping(_ mode: Mode) -> [ViewerEffect] {
        typingOrigin = (browser.cursor.place, position)
        self.mode = mode
        return [.draw]
    }

    /// Begins typing a filter. If a search is marked, its text is the filter's first text.
    private mutating func beginFiltering() -> [ViewerEffect] {
        guard filter.isEmpty, let text = lastQuery?.text, text == marked else { return beginTyping(.filtering("")) }
        _ = beginTyping(.filtering(text))
        return applyTyped(.filtering(text))
    }

    private mutating func type(_ key: Key, into text: String, makeMode: (String) -> Mode) -> [ViewerEffect] {
        switch key {
        case .character(let character): return applyTyped(makeMode(text + String(character)))
        case .backspace: return text.isEmpty ? cancelTyping() : applyTyped(makeMode(String(text.dropLast())))
        case .deleteLine: return applyTyped(makeMode(""))
        case .escape, .interrupt: return cancelTyping()
        case .enter:
            defer { mode = .browsing }
            guard case .finding = mode, !text.isEmpty else { return [.draw] }
            // The cursor is at the hit already, and the next key may move it from there.
            if let lastHit, lastHit.query == lastQuery, lastHit.query.text == text {
                setMessage(of: lastHit.hit, for: lastHit.query)
                return [.draw]
            }
            return find(text, from: typingOrigin.position, includesStart: true, isThorough: true) + [.draw]
        case .up: return step(.rows(-1))
        case .down: return step(.rows(1))
        case .pageUp: return step(.pages(-1))
        case .pageDown: return step(.pages(1))
        case .left, .right, .home, .end, .redraw: return [.draw]
        }
    }

    private mutating func applyTyped(_ newMode: Mode) -> [ViewerEffect] {
        mode = newMode
        switch newMode {
        case .finding(let text):
            guard !text.isEmpty else {
                marked = ""
                return returnToOrigin()
            }
            return find(text, from: typingOrigin.position, includesStart: true, isThorough: false) + [.draw]
        case .filtering(let text):
            (filter, marked) = (text, text)
            placeToRestore = text.isEmpty ? typingOrigin.place : nil
            // After a change of the text, the cursor moves to the first hit instead of following its item.
            browser.moveCursorToFirst()
            return [.filter(text), .draw]
        case .browsing, .help, .acting: return [.draw]
        }
    }

    private mutating func cancelTyping() -> [ViewerEffect] {
        defer { mode = .browsing }
        guard case .filtering = mode else {
            marked = ""
            return returnToOrigin()
        }
        if !filter.isEmpty { placeToRestore = typingOrigin.place }
        return endFilter()
    }

    private mutating func endFilter() -> [ViewerEffect] {
        marked = ""
        guard !filter.isEmpty else { return [.draw] }
        filter = ""
        return [.filter(""), .draw]
    }

    /// Moves the cursor back to its place before the user began to type.
    private mutating func returnToOrigin() -> [ViewerEffect] {
        guard let place = typingOrigin.place else { return [.draw] }
        return adaptColumns(browser.goTo(place))
    }

    /// The position of the last hit, which the screen may still be moving to; without a hit, that of the cursor.
    private var position: Search.Position? {
        lastHit?.hit.position ?? browser.current.flatMap { Search.Position(of: $0) }
    }

    private mutating func find(
        _ text: String, from start: Search.Position?, includesStart: Bool, isBackwards: Bool = false, isThorough: Bool
    ) -> [ViewerEffect] {
        marked = text
        let query = Search.Query(
            text: text, start: start, includesStart: includesStart, isBackwards: isBackwards, isThorough: isThorough)
        lastQuery = query
        if isThorough { notices.message = "searching: \(text)" }
        return [.find(query)]
    }

    private mutating func findAgain(backwards: Bool) -> [ViewerEffect] {
        guard let text = lastQuery?.text else {
            notices.message = "type / and a text first"
            return [.draw]
        }
        let position = position
        return find(text, from: position, includesStart: false, isBackwards: backwards, isThorough: true) + [.draw]
    }

    /// Moves the cursor to the result of a search. Headers and footers on the screen are searched here, and may come
    /// before the hit in the items.
    private mutating func goToHit(_ hit: Search.Hit?, for query: Search.Query) -> [ViewerEffect] {
        guard query == lastQuery else { return [] }
        notices.isSilent = false
        let shown = Search.headersAndFooters(with: query.text, in: browser.picture)
        guard let hit = Search.first(of: shown + (hit.map { [$0] } ?? []), for: query) else {
            notices.message = "not found: \(query.text)"
            return [.draw]
        }
        if query.isThorough { setMessage(of: hit, for: query) } else { notices.message = "" }
        lastHit = (hit, query)
        return adaptColumns(browser.goTo(Place(objectID: hit.objectID, part: hit.position.part)))
    }

    private mutating func setMessage(of hit: Search.Hit, for query: Search.Query) {
        // On a single row, the hit is more useful than the message.
        guard frame.rows > 1 else { return notices.message = "" }
        let hasWrapped = query.start.map { query.isBackwards ? hit.position > $0 : hit.position < $0 } ?? false
        let turn = query.isBackwards ? " (from the end again)" : " (from the beginning again)"
        notices.message = "/\(query.text)" + (hasWrapped ? turn : "")
    }
}

/// The messages for the status line. It makes no calls.
struct Notices: Equatable {
    /// The last message. The next key removes it.
    var message = ""
    /// The reason why the picture may differ from the list, which is shown until it no longer applies.
    var condition = ""
    /// Whether listd has not answered for longer than a user expects.
    var isSilent = false

    /// The text that is shown in place of the keys; empty when there is no message.
    var text: String { isSilent ? "listd does not answer" : message.isEmpty ? condition : message }
    /// Whether the text replaces the list on a terminal with a single row.
    var hasPriority: Bool { isSilent || !message.isEmpty }
    /// Whether the text is an error.
    var isError: Bool { isSilent || (message.isEmpty && !condition.isEmpty) }
}

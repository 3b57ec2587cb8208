// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The state of the full-screen viewer: events go in, requests to the shell come out. Makes no calls itself.
struct ViewerState {
    /// An event.
    enum Input {
        case terminal(TerminalInput)
        case resized(columns: Int, rows: Int)
        /// A new view is open, and has no picture yet.
        case opened
        /// There is no view; the condition has the reason.
        case closed(String, keepingPicture: Bool)
        case shown(Picture)
        /// The picture is that of the last viewport.
        case answered
        /// An answer was given up; listd may be stopped or busy, and is asked again until it answers or is gone.
        case unanswered
        /// listd has not answered for a while.
        case silent
        /// listd has refused a call to the view.
        case refused(String)
        /// The error of the list; empty when there is none.
        case condition(String)
        case facts(ListFacts)
        case found(Search.Query, Search.Hit?)
        /// The filter was refused.
        case filterRefused(String)
        case message(String)
    }

    /// A request to the shell.
    enum Effect: Equatable {
        case draw
        /// Draws all of the screen, whatever the terminal seems to show.
        case redraw
        case setViewport(y: Double, width: Double, height: Double)
        case scrollTo(Place)
        case find(Search.Query)
        case select(Place, Bool)
        /// Filters by a text; an empty text shows the whole list.
        case filter(String)
        case quit
    }

    /// What keys do at the moment.
    enum Mode: Equatable {
        case browsing
        case help(firstRow: Int)
        case finding(String)
        case filtering(String)
    }

    let title: String
    /// A text above the last line that stays; empty when there is none.
    let note: String
    /// The text in place of a list without objects.
    let emptyText: String
    let encoding: TextEncoding
    private(set) var frame: ScreenFrame
    private(set) var mode = Mode.browsing
    /// Whether the keys are shown in place of the list.
    var isHelping: Bool { if case .help = mode { true } else { false } }
    private(set) var browser: Browser
    private(set) var notices = Notices()
    private(set) var facts = ListFacts()
    private(set) var table: Table
    /// The text that is marked where it occurs.
    private(set) var marked = ""
    /// The filter's text; empty when all of the list is shown.
    private(set) var filter = ""
    /// The number of columns that are left out at the start of the titles.
    private(set) var pan = 0
    /// Whether the picture is complete for this screen.
    private(set) var hasContents = false
    private var lastQuery: Search.Query?
    private var lastHit: Search.Hit?
    /// The cursor's place when the user began to type a text.
    private var origin: (place: Place?, position: Search.Position?) = (nil, nil)
    /// The cursor's place for the next view.
    private var returning: Place?

    init(
        title: String, columns: Int, rows: Int, encoding: TextEncoding = .unicode, note: String = "",
        emptyText: String = "this list is empty", marked: String = ""
    ) {
        (self.title, self.encoding, self.note) = (title, encoding, note)
        (self.emptyText, self.marked) = (emptyText, marked)
        frame = ScreenFrame(columns: columns, rows: rows, hasNote: !note.isEmpty)
        browser = Browser(columns: frame.listColumns, rows: frame.listRows)
        table = Table(in: encoding)
    }

    /// Handles an event.
    mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .terminal(let input): return handle(input)
        case .resized(let columns, let rows):
            frame = ScreenFrame(columns: columns, rows: rows, hasNote: !note.isEmpty)
            return perform(browser.resize(columns: frame.listColumns, rows: frame.listRows))
        case .opened: return opened()
        case .closed(let condition, let keepingPicture):
            notices.setSilent(false)
            notices.setCondition(condition)
            hasContents = hasContents && keepingPicture
            return perform(browser.stop(keepingPicture: keepingPicture))
        case .shown(let picture):
            notices.setSilent(false)
            return perform(browser.show(picture))
        case .answered:
            notices.setSilent(false)
            let requests = browser.answered()
            hasContents = hasContents || browser.hasArrived
            return perform(requests)
        case .unanswered:
            notices.setSilent(true)
            return perform(browser.unanswered())
        case .silent:
            notices.setSilent(true)
            return [.draw]
        case .refused(let text):
            notices.say(text)
            return perform(browser.failed())
        case .condition(let text):
            notices.setCondition(text)
            return [.draw]
        case .facts(let facts):
            self.facts = facts
            fit()
            return [.draw]
        case .found(let query, let hit): return found(hit, for: query)
        case .filterRefused(let text):
            // While a text is typed, its letters are no commands.
            (filter, marked) = ("", "")
            notices.say(text)
            return [.draw]
        case .message(let text):
            notices.say(text)
            return [.draw]
        }
    }

    private mutating func opened() -> [Effect] {
        notices.setSilent(false)
        notices.setCondition("")
        (hasContents, lastHit, table, facts, pan) = (false, nil, Table(in: encoding), ListFacts(), 0)
        defer { returning = nil }
        return perform(browser.start(at: returning, fromTop: !filter.isEmpty))
    }

    private mutating func perform(_ requests: [Browser.Effect]) -> [Effect] {
        fit()
        return requests.map { request in
            switch request {
            case .draw: .draw
            case .setViewport(let y, let width, let height): .setViewport(y: y, width: width, height: height)
            case .scrollTo(let place): .scrollTo(place)
            }
        }
    }

    private mutating func fit() { table.fit(browser.rows.lazy.flatMap { $0 }, facts.hints) }

    // MARK: - Keys and the mouse

    /// The number of rows for a notch of the wheel.
    private static let wheelRows = 3
    /// The number of columns for a step to the side.
    private static let panColumns = 8
    private static let widestPan = 1 << 16

    private mutating func handle(_ input: TerminalInput) -> [Effect] {
        switch (input, mode) {
        case (.hungUp, _): return [.quit]
        case (.key(.redraw), _): return [.redraw]
        case (.key(let key), .browsing): return press(key)
        case (.key(let key), .help(let row)): return readHelp(key, from: row)
        case (.key(let key), .finding(let text)): return type(key, into: text) { .finding($0) }
        case (.key(let key), .filtering(let text)): return type(key, into: text) { .filtering($0) }
        case (.wheel(let notches), .help(let row)): return showHelp(from: row + notches * Self.wheelRows)
        case (.wheel(let notches), _): return step(.scroll(rows: notches * Self.wheelRows))
        case (.click, .help):
            mode = .browsing
            return [.draw]
        case (.click(let column, let row), _): return click(column: column, row: row)
        }
    }

    private mutating func press(_ key: Key) -> [Effect] {
        let hadMessage = !notices.message.isEmpty
        notices.say("")
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

    private mutating func step(_ step: Browser.Step) -> [Effect] {
        lastHit = nil
        return perform(browser.step(step))
    }

    private mutating func moveSideways(by step: Int) -> [Effect] {
        lastHit = nil
        if !browser.moveSideways(by: step) { pan = min(max(0, pan + step * Self.panColumns), Self.widestPan) }
        return [.draw]
    }

    private mutating func click(column: Int, row: Int) -> [Effect] {
        notices.say("")
        let line = row - frame.headingRows
        guard line >= 0, line < frame.listRows else { return [.draw] }
        if frame.hasMargins, column == frame.columns - 1 {
            return step(.share(ScrollBar.share(ofRow: line, rows: frame.listRows)))
        }
        lastHit = nil
        let isAgain = browser.point(column: max(0, column - frame.leftMargin), row: line)
        return isAgain == true && mode == .browsing ? activate() : [.draw]
    }

    /// Selects the item under the cursor; in a filter, shows it in the whole list.
    private mutating func activate() -> [Effect] {
        guard let item = browser.current, let place = Place(of: item) else { return [.draw] }
        if !filter.isEmpty {
            returning = place
            return endFilter()
        }
        guard case .item = place.part else {
            notices.say("a \(item.kind) cannot be selected")
            return [.draw]
        }
        return [.select(place, !facts.isSelected(item)), .draw]
    }

    // MARK: - Help

    private mutating func readHelp(_ key: Key, from row: Int) -> [Effect] {
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

    private mutating func showHelp(from row: Int) -> [Effect] {
        mode = .help(firstRow: min(max(0, row), max(0, HelpPage.rows.count - frame.listRows)))
        return [.draw]
    }

    // MARK: - Finding and filtering

    private mutating func beginTyping(_ mode: Mode) -> [Effect] {
        origin = (browser.cursor.place, position)
        self.mode = mode
        return [.draw]
    }

    /// The user wants to see the hits of the last search alone.
    private mutating func beginFiltering() -> [Effect] {
        guard filter.isEmpty, let text = lastQuery?.text, text == marked else { return beginTyping(.filtering("")) }
        _ = beginTyping(.filtering(text))
        return typed(.filtering(text))
    }

    private mutating func type(_ key: Key, into text: String, _ make: (String) -> Mode) -> [Effect] {
        switch key {
        case .character(let character): return typed(make(text + String(character)))
        case .backspace: return text.isEmpty ? leaveTyping() : typed(make(String(text.dropLast())))
        case .deleteLine: return typed(make(""))
        case .escape, .interrupt: return leaveTyping()
        case .enter:
            defer { mode = .browsing }
            guard case .finding = mode, !text.isEmpty else { return [.draw] }
            return find(text, from: origin.position, includesStart: true, isThorough: true) + [.draw]
        case .up: return step(.rows(-1))
        case .down: return step(.rows(1))
        case .pageUp: return step(.pages(-1))
        case .pageDown: return step(.pages(1))
        case .left, .right, .home, .end, .redraw: return [.draw]
        }
    }

    private mutating func typed(_ new: Mode) -> [Effect] {
        mode = new
        switch new {
        case .finding(let text):
            guard !text.isEmpty else {
                marked = ""
                return goBack()
            }
            return find(text, from: origin.position, includesStart: true, isThorough: false) + [.draw]
        case .filtering(let text):
            (filter, marked) = (text, text)
            returning = text.isEmpty ? origin.place : nil
            // After a change of the text the cursor goes to the first hit, and leaves its item.
            browser.pointAtFirst()
            return [.filter(text), .draw]
        case .browsing, .help: return [.draw]
        }
    }

    private mutating func leaveTyping() -> [Effect] {
        defer { mode = .browsing }
        guard case .filtering = mode else {
            marked = ""
            return goBack()
        }
        if !filter.isEmpty { returning = origin.place }
        return endFilter()
    }

    private mutating func endFilter() -> [Effect] {
        marked = ""
        guard !filter.isEmpty else { return [.draw] }
        filter = ""
        return [.filter(""), .draw]
    }

    /// Moves the cursor back to its former place.
    private mutating func goBack() -> [Effect] {
        guard let place = origin.place else { return [.draw] }
        return perform(browser.goTo(place))
    }

    /// The cursor's place in the list, or the last hit while the screen moves there.
    private var position: Search.Position? {
        lastHit?.position ?? browser.current.flatMap { Search.Position(of: $0) }
    }

    private mutating func find(
        _ text: String, from start: Search.Position?, includesStart: Bool, isBackwards: Bool = false, isThorough: Bool
    ) -> [Effect] {
        marked = text
        let query = Search.Query(
            text: text, start: start, includesStart: includesStart, isBackwards: isBackwards, isThorough: isThorough)
        lastQuery = query
        if isThorough { notices.say("searching: \(text)") }
        return [.find(query)]
    }

    private mutating func findAgain(backwards: Bool) -> [Effect] {
        guard let text = lastQuery?.text else {
            notices.say("type / and a text first")
            return [.draw]
        }
        let position = position
        return find(text, from: position, includesStart: false, isBackwards: backwards, isThorough: true) + [.draw]
    }

    /// The hit of a search in the items of the list, if any; headers and footers on the screen are searched here.
    private mutating func found(_ hit: Search.Hit?, for query: Search.Query) -> [Effect] {
        guard query == lastQuery else { return [] }
        notices.setSilent(false)
        let shown = Search.headersAndFooters(with: query.text, in: browser.picture)
        guard let hit = Search.first(of: shown + (hit.map { [$0] } ?? []), for: query) else {
            notices.say("not found: \(query.text)")
            return [.draw]
        }
        // On a single row the hit is more useful than the header.
        let hasTurned = query.start.map { query.isBackwards ? hit.position > $0 : hit.position < $0 } ?? false
        let turn = query.isBackwards ? " (from the end again)" : " (from the beginning again)"
        notices.say(frame.rows == 1 || !query.isThorough ? "" : "/\(query.text)" + (hasTurned ? turn : ""))
        lastHit = hit
        return perform(browser.goTo(Place(objectID: hit.objectID, part: hit.position.part)))
    }
}

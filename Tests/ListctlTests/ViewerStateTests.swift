// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import Testing

@testable import listctl

/// - Parameter actions: the names of the actions of the first item.
private func picture(
    heights: [Double], from first: Int = 0, of total: Int = 100, sequence: UInt64 = 1, actions: [String] = []
) -> Picture {
    var y = Double(first) * 44
    var shown: [Picture.Shown] = []
    for (index, height) in heights.enumerated() {
        var fields: [String: DBusValue] = [
            "title": .string("row \(first + index)"), "size": .string("1 kB"),
        ]
        if index == 0, !actions.isEmpty {
            fields["actions"] = .array(element: "s", actions.map { DBusValue.string($0) })
        }
        shown.append(
            Picture.Shown(
                slot: UInt32(index), objectID: "o\(first + index)", section: UInt32(first + index), item: 0,
                kind: "cell",
                reuseIdentifier: "r", frame: Frame(x: 0, y: y, width: 80, height: height), z: 0,
                content: Content(fields)))
        y += height
    }
    return Picture(
        sequence: sequence, revision: 3, contentSize: Extent(width: 80, height: Double(total) * 44),
        offset: Position(x: 0, y: Double(first) * 44), shown: shown)
}

@Suite("ViewerState: the state of listctl's viewer")
struct ViewerStateTests {
    init() {
        // listctl does the same, because the locale decides which characters are printable.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
    }

    /// Returns a viewer with ten rows of a list, 40 columns wide.
    private func viewer(rows: Int = 12) -> ViewerState {
        var state = ViewerState(title: "files", columns: 44, rows: rows)
        _ = state.handle(.opened)
        _ = state.handle(.shown(picture(heights: Array(repeating: 44, count: rows))))
        _ = state.handle(.answered)
        return state
    }

    @Test(
        "the view is opened → the requested viewport is as high as the rows between the first and the last line"
    )
    func start() {
        var state = ViewerState(title: "files", columns: 44, rows: 12)
        #expect(state.handle(.opened) == [.setViewport(y: 0, width: 40, height: 440), .draw])
    }

    @Test("the first cells are 20 points high → a row has 20 points from then on")
    func measures() {
        var state = ViewerState(title: "files", columns: 44, rows: 12)
        _ = state.handle(.opened)
        _ = state.handle(.shown(picture(heights: [20, 20, 20, 44])))
        #expect(state.handle(.answered) == [.setViewport(y: 0, width: 40, height: 200), .draw])
        #expect(state.browser.scroller.size.pointsPerRow == 20)
    }

    @Test("the terminal is resized while an answer is pending → the viewport is requested again with the new size")
    func resizes() {
        var state = viewer()
        #expect(state.press(.pageDown) == [.setViewport(y: 440, width: 40, height: 440)])
        #expect(state.handle(.resized(columns: 54, rows: 7)) == [.draw])
        #expect(state.handle(.answered) == [.setViewport(y: 440, width: 50, height: 220)])
        #expect(state.handle(.answered) == [.draw])
        #expect(state.browser.scroller.top == 440)
    }

    @Test("the terminal is resized → a new viewport is requested, and the current picture is drawn immediately")
    func resizesAtRest() {
        var state = viewer()
        #expect(
            state.handle(.resized(columns: 54, rows: 22)) == [.setViewport(y: 0, width: 50, height: 880), .draw])
        #expect(state.handle(.answered) == [.draw])
    }

    @Test(
        "the user scrolls up at the top of the list → the screen is only redrawn", arguments: [Key.up, .pageUp, .home])
    func top(key: Key) {
        var state = viewer()
        #expect(state.press(key) == [.draw])
    }

    @Test("a call fails because the view no longer exists → scrolling works again, and no call waits forever")
    func failures() {
        var state = viewer()
        _ = state.press(.pageDown)
        #expect(state.press(.down) == [])
        #expect(state.handle(.refused("refused")) == [.draw])
        #expect(state.notices.message == "refused")
        #expect(state.press(.pageDown) == [.setViewport(y: 440, width: 40, height: 440)])
        #expect(state.handle(.closed("waiting", keepingPicture: false)) == [.draw])
        #expect(state.browser.picture.shown.isEmpty)
        _ = state.press(.character("x"))
        #expect(state.notices.condition == "waiting")
        #expect(state.handle(.opened) == [.setViewport(y: 0, width: 40, height: 440), .draw])
        #expect(state.notices.condition.isEmpty)
    }

    @Test("a filter is typed while the cursor is further down → the cursor moves to the first hit")
    func filterBeginsAtTheTop() {
        for opensBetween in [false, true] {
            var state = viewer()
            _ = state.press(.down)
            _ = state.press(.down)
            #expect(state.browser.cursor.row == 2)
            _ = state.type("&r")
            if opensBetween {
                _ = state.handle(.opened)
                _ = state.handle(.shown(picture(heights: Array(repeating: 44, count: 8))))
                _ = state.handle(.answered)
            }
            #expect(state.browser.cursor.row == 0)
            _ = state.press(.character("o"))
            #expect(state.browser.cursor.row == 0)
        }
    }

    @Test(
        "the user types /, a text and Enter → the viewer scrolls to the hit; the key n → it searches for the next hit")
    func search() throws {
        var state = viewer()
        _ = state.type("/row")
        let effects = state.press(.enter)
        let query = try #require(effects.query)
        let start = Search.Position(section: 0, part: .item(0))
        #expect(effects == [.find(Search.Query(text: "row", start: start, includesStart: true)), .draw])
        let hit = Search.Hit(objectID: "o70", position: Search.Position(section: 70, part: .item(2)))
        #expect(state.handle(.found(query, hit)) == [.scrollTo(Place(objectID: "o70", part: .item(2))), .draw])
        let next = Search.Query(text: "row", start: hit.position)
        #expect(state.press(.character("n")) == [.find(next), .draw])
        #expect(state.handle(.found(next, nil)) == [.draw])
        #expect(state.notices.message == "not found: row")
    }

    @Test(
        "the hit is in the picture but not on the screen → the new viewport has some rows above the hit")
    func searchNearby() throws {
        var state = viewer()
        _ = state.type("/row 11")
        let query = try #require(state.press(.enter).query)
        let hit = Search.Hit(objectID: "o11", position: Search.Position(section: 11, part: .item(0)))
        #expect(state.handle(.found(query, hit)) == [.setViewport(y: 8 * 44, width: 40, height: 440), .draw])
        _ = state.handle(.shown(picture(heights: Array(repeating: 44, count: 12), from: 8, sequence: 2)))
        #expect(state.handle(.answered) == [.draw])
        #expect(state.browser.scroller.top == 8 * 44)
        #expect(state.browser.current?.objectID == "o11")
        #expect(state.browser.cursor.row == 3)
    }

    @Test("Enter, Space or a letter is typed into a search text → it is part of the text, without another effect")
    func typing() {
        var state = viewer()
        _ = state.press(.pageDown)
        _ = state.type("/q ?")
        #expect(state.mode == .finding("q ?"))
        _ = state.press(.backspace)
        #expect(state.mode == .finding("q "))
        _ = state.press(.deleteLine)
        #expect(state.mode == .finding(""))
        _ = state.press(.backspace)
        #expect(state.mode == .browsing)
        #expect(state.press(.character("q")) == [.quit])
    }

    @Test("the user types & and a text → the list is filtered; Enter on a hit → the whole list is shown at the hit")
    func filter() {
        var state = viewer()
        #expect(state.type("&r") == [.filter("r"), .draw])
        #expect(state.type("o") == [.filter("ro"), .draw])
        _ = state.press(.enter)
        #expect(state.mode == .browsing)
        _ = state.handle(.opened)
        _ = state.handle(.shown(picture(heights: [44, 44, 44], from: 0, of: 3)))
        _ = state.handle(.answered)
        #expect(state.lines[0].contains("files & ro"))
        _ = state.press(.down)
        #expect(state.press(.enter) == [.filter(""), .draw])
        let place = Place(objectID: "o1", part: .item(0))
        #expect(state.handle(.opened) == [.setViewport(y: 0, width: 40, height: 440), .scrollTo(place), .draw, .draw])
        #expect(state.filter.isEmpty)
    }

    @Test("& is pressed after a search → the filter starts with the search text, which can be deleted")
    func filterAfterSearch() {
        var state = viewer()
        _ = state.type("/row")
        _ = state.press(.enter)
        #expect(state.press(.character("&")) == [.filter("row"), .draw])
        #expect(state.mode == .filtering("row"))
        #expect(state.press(.deleteLine) == [.filter(""), .draw])
        #expect(state.press(.escape) == [.draw])
        #expect(state.press(.character("&")) == [.draw])
        #expect(state.mode == .filtering(""))
    }

    @Test("the key help → “more” is shown only while there are more keys below")
    func moreHelp() {
        var state = viewer()
        _ = state.press(.character("?"))
        #expect(state.status.contains("Space more"))
        for _ in 0..<50 { _ = state.press(.down) }
        #expect(!state.status.contains("more"))
        var tall = viewer(rows: 40)
        _ = tall.press(.character("?"))
        #expect(!tall.status.contains("more") && tall.status.contains("q back"))
    }

    @Test(
        "a list that is not shown has an error → it is reported once; the shown list has one → it is in the last line")
    func failureOnce() {
        var state = ViewerState(title: "x", columns: 60, rows: 12)
        _ = state.handle(.opened)
        _ = state.handle(.condition("the list has failed"))
        #expect(state.lines.filter { $0.contains("the list has failed") }.count == 1)
        #expect(state.status.contains("q quit"))
        var shown = viewer()
        _ = shown.handle(.condition("the list has failed"))
        #expect(shown.status.contains("the list has failed"))
        _ = shown.press(.character("?"))
        #expect(!shown.status.contains("%"))
    }

    @Test("a filter has no hits → a specific message is shown")
    func emptyFilter() {
        var state = ViewerState(title: "mail & x", columns: 44, rows: 12, emptyText: "nothing contains “x”")
        _ = state.handle(.opened)
        _ = state.handle(.shown(picture(heights: [], of: 0)))
        _ = state.handle(.answered)
        #expect(state.lines.contains { $0.contains("nothing contains “x”") })
    }

    @Test("listd refuses a filter → a message and the whole list are shown, and the typed text remains")
    func refusedFilter() {
        var state = viewer()
        _ = state.type("&r")
        #expect(state.handle(.filterRefused("there is no such source")) == [.draw])
        #expect(state.mode == .filtering("r"))
        #expect(state.type("q") == [.filter("rq"), .draw])
        _ = state.handle(.filterRefused("there is no such source"))
        _ = state.press(.enter)
        #expect(state.filter.isEmpty)
        #expect(state.status.contains("there is no such source"))
    }

    @Test("Enter is pressed → the item under the cursor is selected or deselected, but a header is not")
    func selects() {
        var state = viewer()
        _ = state.press(.down)
        let place = Place(objectID: "o1", part: .item(0))
        #expect(state.press(.enter) == [.select(place, true), .draw])
        var facts = ListFacts()
        facts.setSelection([ListViewClient.SelectedItem(objectID: "o1")])
        _ = state.handle(.facts(facts))
        #expect(state.lines[2].hasPrefix("● row 1"))
        #expect(state.lines[1].hasPrefix("  row 0"))
        #expect(state.press(.enter) == [.select(place, false), .draw])
    }

    @Test(
        "a click on a row → moves the cursor; on the cursor's row → acts like Enter; in the margin → scrolls"
    )
    func clicks() {
        var state = viewer()
        #expect(state.handle(.terminal(.click(column: 9, row: 4))) == [.draw])
        #expect(state.browser.cursor.row == 3)
        let place = Place(objectID: "o3", part: .item(0))
        #expect(state.handle(.terminal(.click(column: 9, row: 4))) == [.select(place, true), .draw])
        let end = 100.0 * 44 - 440
        #expect(
            state.handle(.terminal(.click(column: 43, row: 10))) == [.setViewport(y: end, width: 40, height: 440)])
        for (column, row) in [(0, 0), (3, 11), (99, 99)] {
            #expect(state.handle(.terminal(.click(column: column, row: row))) == [.draw])
        }
    }

    @Test("the mouse wheel turns → the list scrolls by three rows, and the cursor stays on its item")
    func wheel() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = ViewerState(title: "x", columns: 44, rows: 12)
        #expect(list.serve(&state, state.handle(.opened)))
        for _ in 0..<5 { _ = state.press(.down) }
        #expect(list.serve(&state, state.handle(.terminal(.wheel(1)))))
        #expect(state.browser.scroller.top == 3 * 44)
        #expect(state.browser.currentNumber == 5)
        #expect(list.serve(&state, state.handle(.terminal(.wheel(2)))))
        #expect(state.browser.seen.contains(state.browser.currentNumber ?? -1))
    }

    @Test("? is pressed → as many keys as fit are shown; any other key → the list is shown again")
    func help() {
        var state = viewer()
        _ = state.press(.character("?"))
        #expect(state.lines[1].contains("Moving"))
        for _ in 0..<50 { _ = state.press(.down) }
        #expect(state.lines[10].contains("working range"))
        #expect(state.press(.character("q")) == [.draw])
        #expect(state.mode == .browsing)
        #expect(state.lines[1].contains("row 0"))
    }

    @Test("Control-L is pressed → the whole screen is redrawn; the terminal hangs up → the viewer exits")
    func redraws() {
        var state = viewer()
        #expect(state.press(.redraw) == [.redraw])
        #expect(state.handle(.terminal(.hungUp)) == [.quit])
    }

    @Test("the row under the cursor names actions → `a` shows them, a digit runs one; other keys go back; none → told")
    func actions() throws {
        var state = ViewerState(title: "mail", columns: 44, rows: 12)
        _ = state.handle(.opened)
        _ = state.handle(.shown(picture(heights: [44, 44], actions: ["read", "archive"])))
        _ = state.handle(.answered)
        _ = state.handle(.terminal(.key(.character("a"))))
        #expect(state.mode == .acting(["read", "archive"]))
        let status = ViewerScreen.screen(of: state).lines.last?.text ?? ""
        #expect(status.contains("archive"))
        let place = try #require(state.browser.current.flatMap(Place.init(of:)))
        #expect(state.handle(.terminal(.key(.character("2")))).contains(.invoke("archive", place)))
        #expect(state.mode == .browsing)
        _ = state.handle(.terminal(.key(.character("a"))))
        #expect(state.handle(.terminal(.key(.escape))) == [.draw])
        #expect(state.mode == .browsing)
        _ = state.handle(.terminal(.key(.down)))
        _ = state.handle(.terminal(.key(.character("a"))))
        #expect(state.mode == .browsing && state.notices.message.contains("no actions"))
    }
}

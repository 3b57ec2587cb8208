import DBus
import ListClient
import Testing

@testable import listctl

private func picture(heights: [Double], from first: Int = 0, of total: Int = 100, sequence: UInt64 = 1) -> Picture {
    var y = Double(first) * 44
    var shown: [Picture.Shown] = []
    for (index, height) in heights.enumerated() {
        shown.append(
            Picture.Shown(
                slot: UInt32(index), objectID: "o\(first + index)", section: UInt32(first + index), item: 0,
                kind: "cell",
                reuseIdentifier: "r", frame: Frame(x: 0, y: y, width: 80, height: height), z: 0,
                content: ["title": .string("row \(first + index)"), "size": .string("1 kB")]))
        y += height
    }
    return Picture(
        sequence: sequence, revision: 3, contentSize: Extent(width: 80, height: Double(total) * 44),
        offset: Position(x: 0, y: Double(first) * 44), shown: shown)
}

@Suite("ViewerState")
struct ViewerStateTests {
    private func viewer(rows: Int = 11) -> ViewerState {
        var state = ViewerState(columns: 40, rows: rows)
        _ = state.start()
        _ = state.show(picture(heights: Array(repeating: 44, count: rows)))
        _ = state.answered()
        return state
    }

    @Test("opening → a viewport as high as the rows without the status line")
    func start() {
        var state = ViewerState(columns: 40, rows: 11)
        #expect(state.start() == [.setViewport(y: 0, width: 40, height: 440), .draw])
    }

    @Test("the first cells are 20 points high → a row is 20 points from then on")
    func measures() {
        var state = ViewerState(columns: 40, rows: 11)
        _ = state.start()
        _ = state.show(picture(heights: [20, 20, 20, 44]))
        #expect(state.answered() == [.setViewport(y: 0, width: 40, height: 200), .draw])
        #expect(state.scroller.size.pointsPerRow == 20)
    }

    @Test("the terminal gets another size while an answer is awaited → asked again in that size, then drawn")
    func resizes() {
        var state = viewer()
        #expect(state.press(.down) == [.setViewport(y: 44, width: 40, height: 440)])
        #expect(state.resize(columns: 50, rows: 6) == [.draw])
        #expect(state.answered() == [.setViewport(y: 44, width: 50, height: 220)])
        #expect(state.answered() == [.draw])
        #expect(state.scroller.top == 44)
    }

    @Test("the terminal gets another size → asked for in that size, and drawn at once with what there is")
    func resizesAtRest() {
        var state = viewer()
        #expect(state.resize(columns: 50, rows: 21) == [.setViewport(y: 0, width: 50, height: 880), .draw])
        #expect(state.answered() == [.draw])
    }

    @Test("scrolling up at the top → nothing but a redraw", arguments: [Key.up, .pageUp, .home])
    func top(key: Key) {
        var state = viewer()
        #expect(state.press(key) == [.draw])
    }

    @Test("a call fails, the view is gone → steps can be made again, nothing waits for an answer that never comes")
    func failures() {
        var state = viewer()
        _ = state.press(.down)
        #expect(state.press(.down) == [])
        #expect(state.failed("refused") == [.draw])
        #expect(state.message == "refused")
        #expect(state.press(.down) == [.setViewport(y: 44, width: 40, height: 440)])
        #expect(state.stop("waiting", keepingPicture: false) == [.draw])
        #expect(state.picture.shown.isEmpty)
        _ = state.press(.character("x"))
        #expect(state.condition == "waiting")
        #expect(state.start() == [.setViewport(y: 0, width: 40, height: 440), .draw])
        #expect(state.condition.isEmpty)
    }

    @Test("/, a text and Enter → searches, the found item is scrolled to; n goes on behind it")
    func search() {
        var state = viewer()
        _ = state.press(.character("/"))
        for character in "row" { _ = state.press(.character(character)) }
        #expect(state.press(.enter) == [.find(text: "row", after: nil), .draw])
        let hit = Search.Hit(objectID: "o70", position: Search.Position(section: 70, part: .item(2)))
        #expect(state.found(hit) == [.scrollTo(ViewerState.Place(objectID: "o70", part: .item(2))), .draw])
        #expect(state.press(.character("n")) == [.find(text: "row", after: hit.position), .draw])
        #expect(state.found(nil) == [.draw])
        #expect(state.message == "not found: row")
    }

    @Test("what is found is in the picture already → a viewport that starts with it")
    func searchNearby() {
        var state = viewer()
        let hit = Search.Hit(objectID: "o7", position: Search.Position(section: 7, part: .item(0)))
        #expect(state.found(hit) == [.setViewport(y: 7 * 44, width: 40, height: 440), .draw])
        #expect(state.answered() == [.draw])
        #expect(state.scroller.top == 7 * 44)
    }

    @Test("Enter waits in the queue and a search is typed meanwhile → a step is made, the search goes on being typed")
    func queuedEnter() {
        var state = viewer()
        _ = state.press(.down)
        #expect(state.press(.enter) == [])
        for character in "/ro" { _ = state.press(.character(character)) }
        #expect(state.answered() == [.setViewport(y: 88, width: 40, height: 440)])
        #expect(state.prompt == .search("ro"))
        #expect(state.answered() == [.draw])
        #expect(state.scroller.top == 88)
    }

    @Test("a step that waited is made → what was said meanwhile stays")
    func queuedStep() {
        var state = viewer()
        _ = state.press(.down)
        _ = state.press(.down)
        _ = state.say("something")
        _ = state.answered()
        _ = state.answered()
        #expect(state.scroller.top == 88)
        #expect(state.message == "something")
    }

    @Test("Escape in a search → back to the status line; q quits only outside of it")
    func leavesSearch() {
        var state = viewer()
        _ = state.press(.character("/"))
        #expect(state.press(.character("q")) == [.draw])
        #expect(state.prompt == .search("q"))
        _ = state.press(.escape)
        #expect(state.prompt == .status)
        #expect(state.press(.character("q")) == [.quit])
    }

    @Test("a picture → each item on its row, the status line last, every line as wide as the terminal")
    func screen() {
        var state = viewer(rows: 5)
        _ = state.show(picture(heights: [44, 44, 44, 44, 44, 44], from: 2, sequence: 2))
        let lines = Screen.lines(state, title: "files")
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { DisplayText.columns(of: $0.text) == 40 })
        #expect(lines[0].text.hasPrefix("row 2"))
        #expect(lines[0].text.hasSuffix("size 1 kB"))
        #expect(lines[3].text.hasPrefix("row 5"))
        #expect(lines[4].text.contains("files  revision 3  6 %"))
    }

    @Test("something is the matter and the terminal is narrow → the matter is told, not the list's name")
    func narrow() throws {
        var state = ViewerState(columns: 20, rows: 3)
        _ = state.stop("the list is not there", keepingPicture: false)
        let status = try #require(Screen.lines(state, title: "files").last?.text)
        #expect(status == "the list is not the…")
    }

    private func shown(
        _ slot: UInt32, _ kind: String, x: Double = 0, y: Double, width: Double = 40, height: Double
    ) -> Picture.Shown {
        Picture.Shown(
            slot: slot, objectID: "o", section: 0, item: slot, kind: kind, reuseIdentifier: "",
            frame: Frame(x: x, y: y, width: width, height: height), z: 0, content: ["title": .string("t\(slot)")])
    }

    private func screen(_ items: [Picture.Shown], rows: Int) -> [String] {
        var state = viewer(rows: rows)
        _ = state.show(
            Picture(
                sequence: 2, revision: 1, contentSize: Extent(width: 40, height: 400), offset: Position(x: 0, y: 0),
                shown: items))
        return Screen.lines(state, title: "x").dropLast().map { $0.text.trimmingTrailingBlanks }
    }

    @Test("a header lower than a row → the cells below it are not drawn over it")
    func header() {
        let items =
            [shown(0, "header", y: 0, height: 28)]
            + (0..<4).map { index in
                shown(index + 1, "cell", y: 28 + Double(index) * 44, height: 44)
            }
        #expect(screen(items, rows: 6) == ["t0", "t1", "t2", "t3", "t4"])
    }

    @Test("items beside each other → one row, each at its column")
    func columns() {
        let items = [
            shown(0, "cell", y: 0, width: 10, height: 44), shown(1, "cell", x: 10, y: 0, width: 10, height: 44),
            shown(2, "cell", y: 44, width: 10, height: 44),
        ]
        #expect(screen(items, rows: 3) == ["t0        t1", "t2"])
    }

    @Test("content that explains itself → only the explanation beside the title")
    func explanation() {
        let content: Content = [
            "title": .string("a"), "detail": .string("2 kB"), "mime": .string("text/plain"),
        ]
        #expect(ItemText.details(of: content) == "2 kB")
        #expect(ItemText.details(of: ["name": .string("a"), "size": .int64(3)]) == "size 3")
    }

    @Test("a picture with frames that are no numbers → drawn without them", arguments: [Double.nan, .infinity, -1e300])
    func hostileFrames(value: Double) {
        var state = viewer(rows: 3)
        let shown = Picture.Shown(
            slot: 0, objectID: "o", section: 0, item: 0, kind: "cell", reuseIdentifier: "",
            frame: Frame(x: value, y: value, width: value, height: value), z: 0, content: [:])
        _ = state.show(
            Picture(
                sequence: 2, revision: 1, contentSize: Extent(width: value, height: value),
                offset: Position(x: 0, y: 0), shown: [shown]))
        #expect(Screen.lines(state, title: "x").count == 3)
        for key in [Key.end, .up, .pageDown] {
            _ = state.press(key)
            _ = state.answered()
            #expect(Screen.lines(state, title: "x").count == 3)
        }
    }
}

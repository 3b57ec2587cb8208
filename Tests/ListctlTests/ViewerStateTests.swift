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
        _ = state.show(picture(heights: Array(repeating: 44, count: rows)))
        return state
    }

    @Test("opening → a viewport as high as the rows without the status line")
    func start() {
        var state = ViewerState(columns: 40, rows: 11)
        #expect(state.start() == [.setViewport(y: 0, width: 40, height: 440)])
    }

    @Test("the first cells are 20 points high → a row is 20 points from then on")
    func measures() {
        var state = ViewerState(columns: 40, rows: 11)
        let actions = state.show(picture(heights: [20, 20, 20, 44]))
        #expect(actions == [.setViewport(y: 0, width: 40, height: 200), .draw])
        #expect(state.pointsPerRow == 20)
    }

    @Test(
        "a scrolling key → a viewport there, clamped to the content",
        arguments: [
            (Key.down, 44.0), (.pageDown, 440), (.end, 4400 - 440), (.character("j"), 44), (.character("G"), 3960),
        ] as [(Key, Double)])
    func scrolls(key: Key, y: Double) {
        var state = viewer()
        #expect(state.press(key) == [.setViewport(y: y, width: 40, height: 440)])
    }

    @Test("scrolling up at the top → nothing but a redraw", arguments: [Key.up, .pageUp, .home])
    func top(key: Key) {
        var state = viewer()
        #expect(state.press(key) == [.draw])
    }

    @Test("/, a text and Enter → searches, the found object is scrolled to; n goes on behind it")
    func search() {
        var state = viewer()
        _ = state.press(.character("/"))
        for character in "row" { _ = state.press(.character(character)) }
        #expect(state.press(.enter) == [.find(text: "row", afterSection: -1), .draw])
        #expect(state.found(objectID: "o7", section: 7) == [.scrollTo(objectID: "o7"), .draw])
        #expect(state.press(.character("n")) == [.find(text: "row", afterSection: 7), .draw])
        #expect(state.found(objectID: nil, section: 0) == [.draw])
        #expect(state.message == "not found: row")
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

    @Test("content with control characters → nothing that steers the terminal")
    func harmless() {
        #expect(DisplayText.harmless("a\u{1B}[2Jb\nc\u{202E}d") == "a·[2Jb·cd")
        #expect(DisplayText.fitted("abcdef", to: 4) == "abc…")
        #expect(DisplayText.fitted("ab", to: 4) == "ab  ")
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
        #expect(!state.press(.end).isEmpty)
    }
}

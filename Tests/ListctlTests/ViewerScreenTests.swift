// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import TestSupport
import Testing

@testable import listctl

@Suite("The screen of listctl's viewer")
struct ViewerScreenTests {
    init() {
        // The C library copies the name. It knows the width of characters only in a UTF-8 locale.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
    }

    /// Returns a viewer of cells with the given contents, one in each row.
    private func viewer(
        _ contents: [Content], columns: Int = 60, rows: Int = 12, encoding: TextEncoding = .unicode,
        reuse: String = "", facts: ListFacts = ListFacts()
    ) -> ViewerState {
        var state = ViewerState(title: "files", columns: columns, rows: rows, encoding: encoding)
        _ = state.handle(.opened)
        let shown = contents.enumerated().map { index, content in
            Picture.Shown(
                slot: UInt32(index), objectID: "o\(index)", section: UInt32(index), item: 0, kind: "cell",
                reuseIdentifier: reuse, frame: Frame(x: 0, y: Double(index) * 44, width: Double(columns), height: 44),
                z: 0, content: content)
        }
        _ = state.handle(
            .shown(
                Picture(
                    sequence: 1, revision: 7,
                    contentSize: Extent(width: Double(columns), height: Double(contents.count) * 44),
                    offset: Position(x: 0, y: 0), shown: shown)))
        while !state.browser.hasArrived { _ = state.handle(.answered) }
        _ = state.handle(.facts(facts))
        return state
    }

    private func titles(_ count: Int) -> [Content] { (0..<count).map { ["title": .string("t\($0)")] } }

    private let hostile = [
        "\u{1B}]52;c;aGFoYQ==\u{7}", "\u{1B}[2J\u{1B}[H", "\u{9B}31m", "a\nb\r\tc\u{8}\u{7F}", "\u{202E}gnp.exe",
        "\u{2066}x\u{2069}\u{200F}\u{61C}", "\u{1B}", "\u{90}q\u{9C}", "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}",
        "\u{300}", "👨\u{200D}👩\u{200D}👧", "❤\u{FE0F}x", "漢字", "\u{FEFF}\u{AD}z", "\u{E0001}\u{E0041}",
        "\u{2028}p\u{2029}",
        "🇩🇪", "\u{FFFF}", "\u{10FFFD}", "",
    ]

    /// All characters on the screen.
    private func characters(_ state: ViewerState) -> [Character] {
        ViewerScreen.screen(of: state).lines.flatMap { $0.parts.flatMap { $0.text.cells.map(\.character) } }
    }

    @Test(
        "a text is in any position on a terminal of any size → its lines are printable and as wide as the terminal",
        arguments: 1...4)
    func anything(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func text() -> String {
            (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in hostile.randomElement(using: &random) }
                .joined()
        }
        for columns in [1, 2, 19, 20, 40, 61, 300] {
            for rows in [1, 3, 24] {
                let contents = (0..<6).map { _ in
                    Content(["title", "detail", text(), "size", "x"].map { (key: $0, value: .string(text())) })
                }
                var facts = ListFacts()
                facts.objects = 6
                facts.workingRange = 0..<3
                facts.hints = ["size": .bytes]
                for encoding in [TextEncoding.unicode, .ascii] {
                    var state = viewer(
                        contents, columns: columns, rows: rows, encoding: encoding, reuse: text(), facts: facts)
                    for step in 0..<6 {
                        let screen = ViewerScreen.screen(of: state)
                        #expect(screen.lines.count == rows)
                        for line in screen.lines { #expect(line.columns == columns, "\(columns) × \(rows)") }
                        for character in characters(state) {
                            #expect(encoding == .unicode || character.isASCII)
                            for scalar in character.unicodeScalars { #expect(!DisplayText.controlsTerminal(scalar)) }
                        }
                        switch step {
                        case 0: _ = state.type("/" + text())
                        case 1: _ = state.press(.enter)
                        case 2: _ = state.handle(.message(text()))
                        case 3: _ = state.press(.character("?"))
                        case 4:
                            _ = state.press(.escape)
                            _ = state.handle(.closed(text(), keepingPicture: false))
                        default: break
                        }
                    }
                }
            }
        }
    }

    @Test("ids, titles and fields have megabytes of text → the screen is drawn without delay")
    func large() {
        let long = String(repeating: "lorem ipsum ", count: 1 << 17)
        let contents: [Content] = (0..<20).map { _ in
            ["title": .string(long), "a": .string(long), "detail": .string(long)]
        }
        var state = viewer(contents)
        _ = state.handle(.condition(long))
        let time = ContinuousClock().measure { _ = ViewerScreen.screen(of: state) }
        #expect(time < .milliseconds(500))
    }

    @Test("a terminal has one row → it shows the list, the typed search, or a message until the next key")
    func oneRow() {
        var list = FakeList(heights: Array(repeating: 44, count: 5))
        var state = ViewerState(title: "files", columns: 40, rows: 1)
        #expect(list.serve(&state, state.handle(.opened)))
        #expect(state.lines.count == 1)
        #expect(state.lines[0].hasPrefix("  t0") && state.lines[0].hasSuffix(" ▐"))
        #expect(list.serve(&state, state.press(.down)))
        #expect(state.lines[0].hasPrefix("  t1"))
        #expect(list.serve(&state, state.press(.end)))
        #expect(state.lines[0].hasPrefix("  t4"))
        _ = state.type("/x")
        #expect(state.lines.count == 1)
        #expect(state.lines[0].hasPrefix("/x "))
        let query = state.press(.enter).query ?? Search.Query(text: "")
        _ = state.handle(.found(query, nil))
        #expect(state.lines.count == 1)
        #expect(state.lines[0].contains("not found: x"))
        _ = state.press(.character("x"))
        #expect(state.lines[0].hasPrefix("  t4"))
        _ = state.handle(.closed("waiting for listd", keepingPicture: false))
        #expect(state.lines[0].contains("waiting for listd"))
    }

    @Test("fields have hints → their columns are formatted in the order of ls, with blanks for missing values")
    func columns() {
        var facts = ListFacts()
        facts.objects = 2
        facts.hints = ["size": .bytes, "mode": .permissions, "owner-id": .userID, "absent": .percent]
        let contents: [Content] = [
            [
                "title": .string("a"), "size": .uint64(68_600), "mode": .uint32(0o100644), "owner-id": .uint32(0),
                "detail": .string("67 KiB"),
            ],
            ["title": .string("b"), "mode": .uint32(0o40755), "detail": .string("directory")],
        ]
        let lines = viewer(contents, facts: facts).lines
        #expect(lines[0] == "  files                       MODE        OWNER ID    SIZE")
        #expect(lines[1] == "  a                           -rw-r--r--  root      67 KiB")
        #expect(lines[2] == "  b                           drwxr-xr-x")
    }

    @Test(
        "a terminal is narrow → whole columns are omitted from the right, and the title keeps enough space",
        arguments: [20, 40, 60, 300])
    func narrowColumns(columns: Int) {
        let contents: [Content] = [["title": .string("a title of some length"), "b": .int64(1), "c": .string("word")]]
        let lines = viewer(contents, columns: columns).lines
        #expect(lines[1].contains("a title"))
        #expect(lines[0].contains("B"))
        #expect(lines[0].contains("C") == (columns >= 40))
    }

    @Test("a list that is empty, has failed, or is not open yet → its state is shown in the middle of the screen")
    func nothing() {
        #expect(viewer([]).lines[5].trimmingPrefix { $0 == " " } == "this list is empty")
        var state = viewer([])
        _ = state.handle(.condition("the list has failed: /srv/list.jsonl: Permission denied"))
        #expect(
            state.lines[5].trimmingPrefix { $0 == " " } == "the list has failed: /srv/list.jsonl: Permission denied")
        let narrow = state.handle(.resized(columns: 24, rows: 12))
        #expect(narrow.contains(.draw))
        #expect(state.lines[3...8].joined(separator: "|").contains("Permission"))
        #expect(ViewerState(title: "x", columns: 40, rows: 12).lines[1...10].allSatisfy { $0.isEmpty })
    }

    @Test("a search text is set → every occurrence is highlighted without regard to case, also under the cursor")
    func hits() throws {
        var state = viewer([["title": .string("one ONE two")], ["title": .string("none")]])
        _ = state.type("/one")
        let lines = ViewerScreen.screen(of: state).lines
        func marked(_ row: Int, _ role: Style.ScreenRole) -> [String] {
            lines[row].parts.filter { $0.style.role == role }.map(\.text.text)
        }
        #expect(marked(1, .hitAtCursor) == ["one", "ONE"])
        #expect(marked(2, .hit) == ["one"])
        _ = state.press(.escape)
        #expect(ViewerScreen.screen(of: state).lines.allSatisfy { $0.parts.allSatisfy { $0.style.role != .hit } })
    }

    @Test("items have reuse identifiers → each has a fixed colour; items are files → they have the colours of ls")
    func colours() {
        #expect(Style.ofItems(reusedAs: "directory") == .role(.accent(.blue), bold: true))
        #expect(Style.ofItems(reusedAs: "file") == .plain)
        #expect(Style.ofItems(reusedAs: "error-row") == .role(.accent(.red)))
        #expect(Style.ofItems(reusedAs: "message") == Style.ofItems(reusedAs: "message"))
        let state = viewer(titles(3), reuse: "directory")
        #expect(
            ViewerScreen.screen(of: state).lines[2].parts.contains { $0.style == .role(.accent(.blue), bold: true) })
    }

    @Test("the scroll bar → shows the visible part and the working range, and touches its ends only at the list's ends")
    func scrollBar() {
        #expect(ScrollBar.marks(rows: 4, visible: 0...1, workingRange: nil) == [.none, .none, .none, .none])
        #expect(
            ScrollBar.marks(rows: 4, visible: 0...0.25, workingRange: 0...0.75) == [
                .thumb, .workingRange, .workingRange, .track,
            ])
        #expect(ScrollBar.marks(rows: 4, visible: 0.001...0.1, workingRange: nil).first == .track)
        #expect(ScrollBar.marks(rows: 4, visible: 0.9...0.999, workingRange: nil).last == .track)
        #expect(ScrollBar.marks(rows: 4, visible: 0.9...1, workingRange: nil).last == .thumb)
        for rows in 0...12 {
            for first in stride(from: 0.0, through: 1, by: 0.03) {
                let marks = ScrollBar.marks(rows: rows, visible: first...min(1, first + 0.2), workingRange: nil)
                #expect(marks.count == rows)
                #expect(rows == 0 || marks.contains(.thumb))
            }
        }
    }

    @Test("a terminal is wide → the columns are next to the titles, and long titles have enough space")
    func wide() {
        let columns = viewer([["title": .string("a"), "size": .int64(1)]], columns: 300).lines[1]
        #expect(columns.count < 80)
        let details = viewer([["title": .string("a"), "detail": .string("directory")]], columns: 300).lines[1]
        #expect(details.count == 2 + 120)
        let long = String(repeating: "word ", count: 40)
        let lines = viewer([["title": .string(long), "size": .int64(1)]], columns: 300).lines
        #expect(lines[1].hasPrefix("  " + long) && lines[1].hasSuffix(" 1"))
        let narrow = viewer([["title": .string("a"), "detail": .string("directory")]], columns: 60).lines[1]
        #expect(narrow.count == 58)
    }

    @Test("the screen has a note → it is shown above the last line if there is space")
    func note() {
        var state = ViewerState(title: "x", columns: 40, rows: 8, note: "try this")
        #expect(state.frame.listRows == 5)
        #expect(state.lines[6] == " try this")
        _ = state.handle(.resized(columns: 40, rows: 7))
        #expect(!state.lines.contains(" try this"))
        #expect(state.lines.count == 7)
    }

    @Test("a title is long → its end is shown after scrolling to the right")
    func pans() {
        let long = (0..<30).map { "word\($0)" }.joined(separator: " ")
        var state = viewer([["title": .string(long)]], columns: 40)
        #expect(state.lines[1].contains("word0") && state.lines[1].contains("…"))
        for _ in 0..<19 { _ = state.press(.right) }
        #expect(state.lines[1].contains("word24"))
        for _ in 0..<40 { _ = state.press(.left) }
        #expect(state.lines[1].contains("word0"))
    }

    @Test(
        "the last line has key help → as many complete entries as fit are shown; an error occurs → it is shown instead",
        arguments: [10, 40, 80, 300])
    func status(columns: Int) {
        var state = viewer(titles(3), columns: columns)
        #expect(state.status.contains("q quit") == (columns >= 40))
        #expect(state.status.contains("select") == (columns >= 80))
        _ = state.handle(.message("something"))
        #expect(state.status.hasPrefix(" somethin"))
        _ = state.press(.escape)
        #expect(!state.status.contains("something"))
    }

    @Test(
        "a picture has frames with values that are not finite → it is drawn without these items",
        arguments: [Double.nan, .infinity, -1e300])
    func hostileFrames(value: Double) {
        var state = viewer(titles(3), rows: 4)
        let shown = Picture.Shown(
            slot: 0, objectID: "o", section: 0, item: 0, kind: "cell", reuseIdentifier: "",
            frame: Frame(x: value, y: value, width: value, height: value), z: 0, content: [:])
        _ = state.handle(
            .shown(
                Picture(
                    sequence: 2, revision: 1, contentSize: Extent(width: value, height: value),
                    offset: Position(x: 0, y: 0), shown: [shown])))
        #expect(state.lines.count == 4)
        for key in [Key.end, .up, .pageDown] {
            _ = state.press(key)
            _ = state.handle(.answered)
            #expect(state.lines.count == 4)
        }
    }
}

import ListClient
import Testing

@testable import listctl

@Suite("Screen")
struct ScreenTests {
    private func viewer(_ list: inout FakeList, columns: Int = 40, rows: Int) -> ViewerState {
        var state = ViewerState(columns: columns, rows: rows)
        #expect(list.serve(&state, state.start()))
        return state
    }

    @Test("lines as wide as the terminal → their last column stands, also on the last line", arguments: [1, 2, 24])
    func lastColumn(rows: Int) {
        let lines = (0..<rows).map { row in
            Screen.Line(text: "\(row % 10)234567890", style: row == rows - 1 ? .status : .plain)
        }
        var terminal = FakeTerminal(columns: 10, rows: rows)
        terminal.feed(Screen.rendered(lines))
        #expect(terminal.lines == lines.map(\.text))
    }

    @Test("a terminal that is larger than was thought → nothing of before is left on it")
    func leftovers() {
        var terminal = FakeTerminal(columns: 12, rows: 3)
        terminal.feed(Screen.rendered([Screen.Line(text: "1234567890", style: .plain)]))
        #expect(terminal.lines == ["1234567890  ", "            ", "            "])
    }

    @Test("one row → it is the list's; a search is typed on it; what there is to say is said until the next key")
    func oneRow() {
        var list = FakeList(heights: Array(repeating: 44, count: 5))
        var state = viewer(&list, rows: 1)
        let shown = { (state: ViewerState) in Screen.lines(state, title: "files").map(\.text.trimmingTrailingBlanks) }
        #expect(shown(state) == ["t0"])
        #expect(list.serve(&state, state.press(.down)))
        #expect(shown(state) == ["t1"])
        #expect(list.serve(&state, state.press(.end)))
        #expect(shown(state) == ["t4"])
        _ = state.press(.character("/"))
        _ = state.press(.character("x"))
        #expect(shown(state) == ["/x"])
        _ = state.press(.enter)
        _ = state.found(nil)
        #expect(shown(state).count == 1)
        #expect(shown(state)[0].hasSuffix("not found: x"))
        _ = state.press(.redraw)
        #expect(shown(state) == ["t4"])
        _ = state.stop("waiting for listd", keepingPicture: false)
        #expect(shown(state)[0].hasSuffix("waiting for listd"))
    }
}

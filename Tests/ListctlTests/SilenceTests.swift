import ListClient
import Testing

@testable import listctl

@Suite("The viewer while listd is silent")
struct SilenceTests {
    private func viewer(_ list: inout FakeList) -> ViewerState {
        var state = ViewerState(columns: 40, rows: 11)
        #expect(list.serve(&state, state.start()))
        return state
    }

    private func status(_ state: ViewerState) -> String {
        Screen.lines(state, title: "x").last?.text.trimmingTrailingBlanks ?? ""
    }

    @Test("no answer for a while → it is said, until there is one")
    func said() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        let asked = state.press(.pageDown)
        #expect(state.silent() == [.draw])
        #expect(status(state).hasSuffix("listd does not answer"))
        #expect(list.serve(&state, asked))
        #expect(!status(state).contains("does not answer"))
        #expect(state.seen == Set(10..<20))
    }

    @Test("an answer that never comes, the terminal gets another size meanwhile → asked again, in that size")
    func resized() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        #expect(state.press(.pageDown) == [.setViewport(y: 440, width: 40, height: 440)])
        #expect(state.resize(columns: 40, rows: 21) == [.draw])
        let again = state.unanswered()
        #expect(again == [.setViewport(y: 440, width: 40, height: 880), .draw])
        #expect(status(state).hasSuffix("listd does not answer"))
        #expect(list.serve(&state, again))
        #expect(!status(state).contains("does not answer"))
        #expect(state.seen == Set(10..<30))
    }

    @Test(
        "the old viewport is shown late, before the new one is answered → the screen ends where it was to go",
        arguments: [1, 3])
    func late(times: Int) {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        _ = state.press(.pageDown)
        _ = state.press(.down)
        _ = state.resize(columns: 40, rows: 21)
        var again: [ViewerState.Action] = []
        for _ in 0..<times { again = state.unanswered() }
        _ = state.show(list.picture(y: 440, height: 440, sequence: 7))
        #expect(list.serve(&state, again))
        #expect(state.seen == Set(11..<31))
    }

    @Test("nothing was on its way when an answer was given up → what is on the screen is asked for")
    func atRest() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        let again = state.unanswered()
        #expect(again == [.setViewport(y: 0, width: 40, height: 440), .draw])
        #expect(list.serve(&state, again))
        #expect(!status(state).contains("does not answer"))
    }

    @Test("listd is gone or is there anew → silence is no matter any more")
    func ends() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        _ = state.silent()
        _ = state.stop("waiting for listd", keepingPicture: true)
        #expect(status(state).hasSuffix("waiting for listd"))
        _ = state.silent()
        _ = state.start()
        #expect(!status(state).contains("does not answer"))
    }
}

// SPDX-License-Identifier: Apache-2.0

import ListClient
import Testing

@testable import listctl

@Suite("Listctl's viewer while listd does not answer")
struct SilenceTests {
    private func viewer(_ list: inout FakeList) -> ViewerState {
        var state = ViewerState(title: "x", columns: 44, rows: 12)
        #expect(list.serve(&state, state.handle(.opened)))
        return state
    }

    private func status(_ state: ViewerState) -> String {
        state.status
    }

    @Test("listd does not answer for a while → a message is shown until an answer arrives")
    func said() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        let asked = state.press(.pageDown)
        #expect(state.handle(.silent) == [.draw])
        #expect(status(state).contains("listd does not answer"))
        #expect(list.serve(&state, asked))
        #expect(!status(state).contains("does not answer"))
        #expect(state.browser.seen == Set(10..<20))
    }

    @Test("an answer is missing while the terminal is resized → the viewport is requested again with the new size")
    func resized() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        #expect(state.press(.pageDown) == [.setViewport(y: 440, width: 40, height: 440)])
        #expect(state.handle(.resized(columns: 44, rows: 22)) == [.draw])
        let again = state.handle(.unanswered)
        #expect(again == [.setViewport(y: 440, width: 40, height: 880), .draw])
        #expect(status(state).contains("listd does not answer"))
        #expect(list.serve(&state, again))
        #expect(!status(state).contains("does not answer"))
        #expect(state.browser.seen == Set(10..<30))
    }

    @Test(
        "the picture of an old viewport arrives late → the screen moves to the position that was requested last",
        arguments: [1, 3])
    func late(times: Int) {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        _ = state.press(.pageDown)
        _ = state.handle(.terminal(.wheel(1)))
        _ = state.handle(.resized(columns: 44, rows: 22))
        var again: [ViewerEffect] = []
        for _ in 0..<times { again = state.handle(.unanswered) }
        _ = state.handle(.shown(list.picture(y: 440, height: 440, sequence: 7)))
        #expect(list.serve(&state, again))
        #expect(state.browser.seen == Set(13..<33))
    }

    @Test("a call has no answer, although its picture is shown → the displayed viewport is requested again")
    func atRest() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        let again = state.handle(.unanswered)
        #expect(again == [.setViewport(y: 0, width: 40, height: 440), .draw])
        #expect(list.serve(&state, again))
        #expect(!status(state).contains("does not answer"))
    }

    @Test("listd exits or restarts → the message about missing answers disappears")
    func ends() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var state = viewer(&list)
        _ = state.handle(.silent)
        _ = state.handle(.closed("waiting for listd", keepingPicture: true))
        #expect(status(state).contains("waiting for listd"))
        _ = state.handle(.silent)
        _ = state.handle(.opened)
        #expect(!status(state).contains("does not answer"))
    }
}

import ListClient
import Testing

@testable import listctl

@Suite("How high a row of the viewer is")
struct MeasuringTests {
    @Test(
        "items much higher or lower than those behind them → pictures of a few screens at most, every item is reached",
        arguments: [
            [200_000.0], [200_000, 200_000], [1e9], [5000, 44, 44], [900, 800, 700], [],
            Array(repeating: 256, count: 8),
        ])
    func highFirst(first: [Double]) {
        var list = FakeList(heights: first + Array(repeating: 44, count: 3000))
        var state = ViewerState(columns: 80, rows: 24)
        #expect(list.serve(&state, state.start()))
        for key in [Key.down, .pageDown, .pageDown, .end, .up, .pageUp, .home] {
            #expect(list.serve(&state, state.press(key)))
        }
        #expect(list.serve(&state, state.press(.end)))
        #expect(state.seen.contains(list.frames.count - 1))
        #expect(list.most <= 5 * 23, "\(list.most) items in a picture")
        #expect(list.serve(&state, state.press(.home)))
        #expect(state.seen.contains(0))
    }

    @Test("very low items behind high ones → measured again, so that pictures are no larger than a few screens")
    func lowBehind() {
        var list = FakeList(heights: Array(repeating: 200, count: 40) + Array(repeating: 10, count: 5000))
        var state = ViewerState(columns: 80, rows: 24)
        #expect(list.serve(&state, state.start()))
        #expect(state.scroller.size.pointsPerRow == 200)
        #expect(list.serve(&state, state.press(.end)))
        #expect(state.scroller.size.pointsPerRow == 10)
        #expect(state.seen.contains(list.frames.count - 1))
        list.most = 0
        for _ in 0..<20 { #expect(list.serve(&state, state.press(.pageUp))) }
        #expect(list.most <= 2 * 23)
    }

    @Test("a new view of a list of other heights → measured anew")
    func reopened() {
        var list = FakeList(heights: Array(repeating: 20, count: 100))
        var state = ViewerState(columns: 80, rows: 24)
        #expect(list.serve(&state, state.start()))
        #expect(state.scroller.size.pointsPerRow == 20)
        var other = FakeList(heights: Array(repeating: 100, count: 100))
        #expect(other.serve(&state, state.start()))
        #expect(state.scroller.size.pointsPerRow == 100)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ListClient
import Testing

@testable import listctl

@Suite("Row height in listctl's viewer")
struct MeasuringTests {
    @Test(
        "the first items are much higher than all others → pictures are small, and both ends are reached",
        arguments: [
            [200_000.0], [200_000, 200_000], [1e9], [5000, 44, 44], [900, 800, 700], [],
            Array(repeating: 256, count: 8),
        ])
    func highFirst(first: [Double]) {
        var list = FakeList(heights: first + Array(repeating: 44, count: 3000))
        var browser = Browser(columns: 80, rows: 23)
        #expect(list.serve(&browser, browser.start()))
        for step in [Browser.Movement.rows(1), .pages(1), .pages(1), .end, .rows(-1), .pages(-1), .home] {
            #expect(list.serve(&browser, browser.step(step)))
        }
        #expect(list.serve(&browser, browser.step(.end)))
        #expect(browser.seen.contains(list.frames.count - 1))
        #expect(list.most <= 5 * 23, "\(list.most) items in a picture")
        #expect(list.serve(&browser, browser.step(.home)))
        #expect(browser.seen.contains(0))
    }

    @Test("very low items follow high items → the row height is measured again, so pictures stay small")
    func lowBehind() {
        var list = FakeList(heights: Array(repeating: 200, count: 40) + Array(repeating: 10, count: 5000))
        var browser = Browser(columns: 80, rows: 23)
        #expect(list.serve(&browser, browser.start()))
        #expect(browser.scroller.size.pointsPerRow == 200)
        #expect(list.serve(&browser, browser.step(.end)))
        #expect(browser.scroller.size.pointsPerRow == 10)
        #expect(browser.seen.contains(list.frames.count - 1))
        list.most = 0
        for _ in 0..<20 { #expect(list.serve(&browser, browser.step(.pages(-1)))) }
        #expect(list.most <= 2 * 23)
    }

    @Test("a new view of a list with other item heights → the row height is measured again")
    func reopened() {
        var list = FakeList(heights: Array(repeating: 20, count: 100))
        var browser = Browser(columns: 80, rows: 23)
        #expect(list.serve(&browser, browser.start()))
        #expect(browser.scroller.size.pointsPerRow == 20)
        var other = FakeList(heights: Array(repeating: 100, count: 100))
        #expect(other.serve(&browser, browser.start()))
        #expect(browser.scroller.size.pointsPerRow == 100)
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@testable import listctl

@Suite("Scrolling in listctl's viewer")
struct ScrollingTests {
    private func openBrowser(_ list: inout FakeList, rows: Int) -> Browser {
        var browser = Browser(columns: 40, rows: rows)
        #expect(list.serve(&browser, browser.start()))
        return browser
    }

    /// Repeats a step until it changes nothing. Returns all items that were ever on the screen.
    private func repeatStep(_ step: Browser.Movement, _ browser: inout Browser, _ list: inout FakeList) -> Set<Int> {
        var seen = browser.seen
        var presses = 0
        var before: (Double, Cursor)
        repeat {
            before = (browser.scroller.top, browser.cursor)
            #expect(list.serve(&browser, browser.step(step)))
            seen.formUnion(browser.seen)
            presses += 1
        } while (browser.scroller.top, browser.cursor) != before && presses < 20_000
        #expect(presses < 20_000)
        return seen
    }

    /// Checks for a list that each scrolling key passes every item, and that both ends can be shown.
    private func check(_ original: FakeList, rows: Int, _ comment: Comment) {
        let all = Set(original.frames.indices)
        for (down, up) in [
            (Browser.Movement.rows(1), Browser.Movement.rows(-1)), (.pages(1), .pages(-1)),
            (.scroll(rows: 1), .scroll(rows: -1)),
        ] {
            var list = original
            var browser = openBrowser(&list, rows: rows)
            #expect(repeatStep(down, &browser, &list) == all, comment)
            let end = browser.scroller.top
            if let last = all.max() { #expect(browser.seen.contains(last), comment) }
            #expect(repeatStep(up, &browser, &list) == all, comment)
            #expect(browser.scroller.top == 0, comment)
            #expect(list.serve(&browser, browser.step(.end)), comment)
            #expect(browser.scroller.top == end, comment)
            #expect(list.serve(&browser, browser.step(.home)), comment)
            #expect(browser.scroller.top == 0, comment)
            if !all.isEmpty { #expect(browser.seen.contains(0), comment) }
        }
    }

    @Test(
        "lists of 0 to 20 items of the same height → scrolling passes every item and reaches both ends",
        arguments: [1, 2, 3, 5, 8])
    func uniform(rows: Int) {
        for count in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 20] {
            for height in [44.0, 1] {
                check(FakeList(heights: Array(repeating: height, count: count)), rows: rows, "\(count) of \(height)")
            }
        }
    }

    @Test(
        "low items are between high items → scrolling passes every item and reaches both ends",
        arguments: [1, 2, 3, 8, 11])
    func mixed(rows: Int) {
        let (object, tiny, low, high) = (44.0, 4.0, 10.0, 100.0)
        let between = (0..<20).flatMap { $0 % 2 == 1 ? [object, tiny] : [object] }
        check(FakeList(heights: between), rows: rows, "a tiny item after every second item")
        let twenty = Array(repeating: object, count: 20)
        check(FakeList(heights: twenty + Array(repeating: tiny, count: 10) + twenty), rows: rows, "tiny items together")
        let halves = Array(repeating: low, count: 50) + Array(repeating: high, count: 50)
        check(FakeList(heights: halves), rows: rows, "low, then high")
        check(FakeList(heights: halves.reversed()), rows: rows, "high, then low")
        check(FakeList(heights: [28] + Array(repeating: object, count: 30)), rows: rows, "a header")
        check(FakeList(heights: [2000, 3, 3000]), rows: rows, "higher than the screen")
    }

    @Test("random heights, gaps and columns → scrolling passes every item and reaches both ends", arguments: 1...40)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let heights = (0..<Int.random(in: 1...60, using: &random)).map { _ in
            [1, 4, 10, 28, 44, 44, 44, 60, 100, 700][Int.random(in: 0..<10, using: &random)]
        }
        let columns = Int.random(in: 1...3, using: &random)
        let even = Array(repeating: heights[0], count: heights.count)
        let list = FakeList(
            heights: (columns == 1 ? heights : even).map(Double.init),
            spacing: [0, 1, 8, 25][Int.random(in: 0..<4, using: &random)], columns: columns)
        check(list, rows: Int.random(in: 1...12, using: &random), "seed \(seed)")
    }

    @Test("no picture arrives, because the new viewport has no new items → the screen scrolls nevertheless")
    func silent() {
        var list = FakeList(heights: Array(repeating: 44, count: 24))
        var browser = openBrowser(&list, rows: 23)
        #expect(!browser.seen.contains(23))
        #expect(list.serve(&browser, browser.step(.scroll(rows: 1))))
        #expect(browser.seen == Set(1...23))
    }

    @Test("keys are pressed faster than listd answers → each key continues from the previous key's target")
    func queued() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var browser = openBrowser(&list, rows: 10)
        let requests = browser.step(.scroll(rows: 1))
        for step in [Browser.Movement.scroll(rows: 1), .pages(1), .scroll(rows: -1)] {
            #expect(browser.step(step) == [])
        }
        #expect(list.serve(&browser, requests))
        #expect(browser.scroller.top == 44 * 11)
    }

    @Test("items above are inserted during a pending scroll → the screen follows its items")
    func anchored() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var browser = openBrowser(&list, rows: 10)
        #expect(list.serve(&browser, browser.step(.pages(1))))
        _ = browser.step(.scroll(rows: 1))
        // The daemon does not know the step yet. Its viewport starts two items further down, because two items were
        // inserted above.
        _ = browser.show(list.picture(y: 44 * 12, height: 440, sequence: 8, moved: 88))
        _ = browser.show(list.picture(y: 44 * 13, height: 440, sequence: 9, moved: 88))
        _ = browser.handleAnswer()
        #expect(browser.scroller.top == 44 * 13)
        _ = browser.show(list.picture(y: 44 * 15, height: 440, sequence: 10, moved: 176))
        #expect(browser.scroller.top == 44 * 15)
    }

    @Test("the content becomes shorter than the screen's offset → the content's new end is shown")
    func shrinks() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var browser = openBrowser(&list, rows: 10)
        #expect(list.serve(&browser, browser.step(.end)))
        list.frames.removeLast(50)
        #expect(list.serve(&browser, browser.show(list.picture(y: browser.scroller.top, height: 440, sequence: 90))))
        #expect(browser.seen == Set(40..<50))
        list.frames = []
        #expect(list.serve(&browser, browser.show(list.picture(y: browser.scroller.top, height: 440, sequence: 91))))
        #expect(browser.scroller.top == 0)
        #expect(browser.seen.isEmpty)
    }

    @Test("a new view is opened of a list that has become shorter → the screen shows the list's new end")
    func reopened() {
        var list = FakeList(heights: Array(repeating: 44, count: 100))
        var browser = openBrowser(&list, rows: 10)
        #expect(list.serve(&browser, browser.step(.end)))
        var shorter = FakeList(heights: Array(repeating: 44, count: 20))
        #expect(shorter.serve(&browser, browser.start()))
        #expect(browser.seen == Set(10..<20))
        var empty = FakeList(heights: [])
        #expect(empty.serve(&browser, browser.start()))
        #expect(browser.seen.isEmpty)
        #expect(browser.scroller.top == 0)
    }

    @Test("a floating header covers items of its section → scrolling passes every item below the header")
    func floating() {
        let cell = { (y: Double, number: UInt32) in
            Picture.Shown(
                slot: number, objectID: "o", section: 0, item: number, kind: "cell", reuseIdentifier: "",
                frame: Frame(x: 0, y: y, width: 40, height: 44), z: 0, content: [:])
        }
        var header = cell(44, 99)
        header.kind = "header"
        let picture = Picture(
            sequence: 1, revision: 1, contentSize: Extent(width: 40, height: 440), offset: Position(x: 0, y: 44),
            shown: [header] + (0..<6).map { cell(Double($0) * 44, UInt32($0)) })
        let layout = RowLayout(picture, top: 44, height: 132, pointsPerRow: 44)
        #expect(layout.screen(from: 44, rows: 3).map { $0.map(\.slot) } == [[99], [2], [3]])
        #expect(layout.rows.prefix(6).map(\.y) == [0, 44, 88, 132, 176, 220])
    }

    @Test("a list is horizontal → it is displayed vertically, with viewports in the list's own axes")
    func turned() {
        let list = FakeList(heights: [44, 44, 44])
        let picture = list.picture(y: 0, height: 440, sequence: 1)
        let turned = Axis.horizontal.terminalPicture(of: picture)
        #expect(turned.contentSize == Extent(width: picture.contentSize.height, height: picture.contentSize.width))
        #expect(turned.shown[1]?.frame == Frame(x: 44, y: 0, width: 44, height: 10))
        #expect(Axis.horizontal.terminalPicture(of: turned) == picture)
        #expect(Axis.vertical.terminalPicture(of: picture) == picture)
        let viewport = Axis.horizontal.viewport(y: 88, width: 40, height: 440)
        #expect(viewport == (x: 88, y: 0, width: 440, height: 40))
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@testable import listctl

@Suite("The cursor of listctl's viewer")
struct CursorTests {
    private func openBrowser(_ list: inout FakeList, rows: Int) -> Browser {
        var browser = Browser(columns: 40, rows: rows)
        #expect(list.serve(&browser, browser.start()))
        return browser
    }

    @Test(
        "the cursor moves row by row → it visits every item in list order, forwards and backwards",
        arguments: [1, 2, 3, 8])
    func passes(rows: Int) {
        for heights in [
            Array(repeating: 44.0, count: 30), (0..<30).map { $0 % 3 == 0 ? 100 : 20 }, [44, 2000, 44, 44],
        ] {
            var list = FakeList(heights: heights)
            var browser = openBrowser(&list, rows: rows)
            var numbers = [browser.currentNumber]
            for _ in 0..<300 {
                #expect(list.serve(&browser, browser.step(.rows(1))))
                if browser.currentNumber != numbers.last { numbers.append(browser.currentNumber) }
            }
            #expect(numbers == heights.indices.map { $0 })
            numbers = [browser.currentNumber]
            for _ in 0..<300 {
                #expect(list.serve(&browser, browser.step(.rows(-1))))
                if browser.currentNumber != numbers.last { numbers.append(browser.currentNumber) }
            }
            #expect(numbers == heights.indices.reversed().map { $0 })
        }
    }

    @Test(
        "items above the cursor are inserted → the cursor stays on its item; its item is removed → it stays on its row")
    func follows() {
        var list = FakeList(heights: Array(repeating: 44, count: 20))
        var browser = openBrowser(&list, rows: 10)
        for _ in 0..<4 { #expect(list.serve(&browser, browser.step(.rows(1)))) }
        func show(_ ids: [Int]) {
            let shown = ids.enumerated().map { row, id in
                Picture.Shown(
                    slot: UInt32(id), objectID: "o\(id)", section: UInt32(row), item: 0, kind: "cell",
                    reuseIdentifier: "", frame: Frame(x: 0, y: Double(row) * 44, width: 40, height: 44), z: 0,
                    content: [:])
            }
            _ = browser.show(
                Picture(
                    sequence: 9, revision: 9, contentSize: Extent(width: 40, height: Double(ids.count) * 44),
                    offset: Position(x: 0, y: 0), shown: shown))
        }
        show([30, 31, 0, 1, 2, 3, 4, 5, 6])
        #expect(browser.current?.objectID == "o4")
        #expect(browser.cursor.row == 6)
        show([0, 1, 2, 3, 5, 6, 7])
        #expect(browser.current?.objectID == "o7")
        show([0, 1])
        #expect(browser.current?.objectID == "o1")
        show([])
        #expect(browser.current == nil)
        show([8, 9])
        #expect(browser.current?.objectID == "o8")
    }

    @Test("items are side by side → the keys left and right move to the neighbour, a click moves to the clicked item")
    func sideways() {
        var list = FakeList(heights: Array(repeating: 44, count: 9), columns: 3)
        var browser = openBrowser(&list, rows: 5)
        #expect(browser.moveSideways(by: 1) == true)
        #expect(browser.currentNumber == 1)
        #expect(list.serve(&browser, browser.step(.rows(1))))
        #expect(browser.currentNumber == 4)
        #expect(browser.moveSideways(by: 1) == true)
        #expect(browser.moveSideways(by: 1) == false)
        #expect(browser.currentNumber == 5)
        #expect(browser.moveCursor(toColumn: 12, row: 0) == false)
        #expect(browser.currentNumber == 1)
        #expect(browser.moveCursor(toColumn: 13, row: 0) == true)
        #expect(browser.moveCursor(toColumn: 0, row: 4) == nil)
    }

    @Test("Page Up, Page Down, Home and End are pressed → the cursor keeps its screen row, and reaches both ends")
    func pages() {
        var list = FakeList(heights: Array(repeating: 44, count: 95))
        var browser = openBrowser(&list, rows: 10)
        for _ in 0..<3 { #expect(list.serve(&browser, browser.step(.rows(1)))) }
        #expect(list.serve(&browser, browser.step(.pages(1))))
        #expect(browser.currentNumber == 13)
        for _ in 0..<12 { #expect(list.serve(&browser, browser.step(.pages(1)))) }
        #expect(browser.currentNumber == 94)
        #expect(list.serve(&browser, browser.step(.home)))
        #expect(browser.currentNumber == 0)
        #expect(list.serve(&browser, browser.step(.end)))
        #expect(browser.currentNumber == 94)
        #expect(list.serve(&browser, browser.step(.fraction(0.5))))
        #expect(browser.seen.contains(browser.currentNumber ?? -1))
    }

    @Test(
        "the cursor jumps to a distant item among items of any height → the item is on the screen",
        arguments: 1...30)
    func goes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let heights = (0..<Int.random(in: 1...60, using: &random)).map { _ in
            [4.0, 20, 44, 44, 100, 700][Int.random(in: 0..<6, using: &random)]
        }
        var list = FakeList(heights: heights)
        var browser = openBrowser(&list, rows: Int.random(in: 1...12, using: &random))
        for _ in 0..<20 {
            let number = Int.random(in: 0..<heights.count, using: &random)
            let requests = browser.goTo(Place(objectID: "o\(number)", part: .item(0)))
            for case .scrollTo in requests {
                // listd moves the viewport, and sends the next picture.
                let picture = list.picture(around: number, height: browser.scroller.size.height)
                #expect(list.serve(&browser, browser.show(picture)), "seed \(seed)")
            }
            #expect(list.serve(&browser, requests.filter { $0.isViewport }), "seed \(seed)")
            #expect(browser.currentNumber == number, "seed \(seed)")
        }
    }

    @Test("the cursor moves at random in random lists → it stays on the screen and on an item", arguments: 1...40)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let heights = (0..<Int.random(in: 1...60, using: &random)).map { _ in
            [4.0, 20, 44, 44, 100, 700][Int.random(in: 0..<6, using: &random)]
        }
        let columns = Int.random(in: 1...3, using: &random)
        var list = FakeList(heights: columns == 1 ? heights : heights.map { _ in 44 }, columns: columns)
        var browser = openBrowser(&list, rows: Int.random(in: 1...12, using: &random))
        for _ in 0..<60 {
            let steps: [Browser.Movement] = [
                .rows(1), .rows(-1), .pages(1), .pages(-1), .home, .end, .scroll(rows: 3), .scroll(rows: -3),
                .fraction(Double.random(in: 0...1, using: &random)),
            ]
            let step = steps[Int.random(in: 0..<steps.count, using: &random)]
            #expect(list.serve(&browser, browser.step(step)))
            #expect(browser.current != nil, "seed \(seed), \(step)")
        }
    }
}

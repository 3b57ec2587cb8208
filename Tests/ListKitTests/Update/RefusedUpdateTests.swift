// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Item updates beside requests that the store refuses")
struct RefusedUpdateTests {
    /// A controller that records every requested index that it does not have.
    private final class StrictController: LetterController, ListTransitionDelegate {
        private(set) var strays: [String] = []

        override init(log: EventList) {
            super.init(log: log)
            transitionDelegate = self
        }

        private func check(_ index: Int, _ call: String = #function) {
            if !letters.indices.contains(index) { strays.append("\(call) \(index) of \(letters.count)") }
        }

        override func item(at index: Int) -> ListItem {
            check(index)
            return super.item(at: index)
        }
        override func sizeForItem(at index: Int) -> Size {
            check(index)
            return super.sizeForItem(at: index)
        }
        override func placementOfItem(at index: Int) -> ItemPlacement {
            check(index)
            return ItemPlacement(frame: Rect(x: 0, y: Double(index) * 10, width: 100, height: 10))
        }
        override func shouldSelectItem(at index: Int) -> Bool {
            check(index)
            return true
        }
        override func didSelectItem(at index: Int) { check(index) }
        override func didDeselectItem(at index: Int) { check(index) }
        override func didHighlightItem(at index: Int) { check(index) }
        override func canMoveItem(at index: Int) -> Bool {
            check(index)
            return true
        }
        override func canMoveItem(from: Int, to: Int) -> Bool {
            check(from)
            return true
        }
        override func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {
            check(index)
        }
        func sectionController(
            _ controller: ListSectionController, initialFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect {
            check(index)
            return frame
        }
        func sectionController(
            _ controller: ListSectionController, finalFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect { frame }
    }

    private func strictList(_ texts: String..., layout: ListLayoutKind = .flow) throws -> TestHost {
        let provider = ScriptedProvider { _ in StrictController(log: EventList()) }
        return TestHost(try texts.map { try letters($0) }, provider: provider) { $0.layout = layout }
    }

    /// Removes the first letters of a section in an item update.
    private func remove(
        _ count: Int, from controller: LetterController, reloading: Bool = false,
        completion: ((Bool) -> Void)? = nil
    ) {
        controller.context?.performBatch(
            updates: { batch in
                controller.letters.removeFirst(count)
                if reloading { batch.reloadSection() } else { batch.deleteItems(at: Array(0..<count)) }
            }, completion: completion)
    }

    /// Requests a section without items and starts a flush, up to the transaction to be stored.
    private func prepare(_ list: TestHost) throws {
        list.enqueue(.applyChanges(removed: [], upserts: [.init(try letters("new:"))]))
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            Issue.record("there is no transaction to commit")
            throw ListError(.storeFailed, "nothing to commit")
        }
    }

    private func refuse(_ list: TestHost) throws {
        try prepare(list)
        list.receive(list.adapter.abortFlush(ListError(.storeFailed, "full")))
    }

    @Test(
        "requests beside an item update are refused repeatedly → the item update runs once, with the first accepted one"
    )
    func writing() throws {
        let list = try TestHost.letters("a:xyz", "b:x")
        let controller = try #require(list.controller("a"))
        var completed: [Bool] = []
        remove(2, from: controller) { completed.append($0) }
        for round in 1...3 {
            try refuse(list)
            #expect(list.answers.map(\.errorCode) == [ListError.Code?](repeating: .storeFailed, count: round))
            #expect(list.itemCounts == [3, 1] && completed.isEmpty && list.adapter.flushTiming == .now)
        }
        #expect(try list.perform(.patchObject(id: "b", set: ["items": "xy"], unset: [])).revision == 1)
        #expect(list.itemCounts == [1, 2] && completed == [true])
    }

    @Test("an item update is refused before its block has run → the block runs once, in the next flush")
    func notRun() throws {
        let list = try TestHost.letters("a:xyz", "b:x")
        let controller = try #require(list.controller("a"))
        var completed: [Bool] = []
        list.enqueue(.patchObject(id: "b", set: ["items": "xy"], unset: []))
        remove(1, from: controller) { completed.append($0) }
        try refuse(list)
        #expect(list.answers.map(\.errorCode) == [.storeFailed, .storeFailed])
        #expect(controller.letters.count == 3 && completed.isEmpty && list.adapter.flushTiming == .now)
        #expect(list.flush().transaction?.items.deletes == [ItemPlace(section: 0, item: 0)])
        #expect(list.itemCounts == [2, 1] && completed == [true])
    }

    @Test(
        "requests of several kinds are refused → their completions are called in queue order", .rule("UP-52")
    )
    func order() throws {
        let list = try TestHost.letters("a:x")
        let source = LibraryTests.Source([try letters("b:x")])
        list.adapter.setDataSource(source)
        var completed: [String] = []
        list.adapter.performUpdates { completed.append("source \($0)") }
        list.adapter.performUpdates([try letters("c:x")]) { completed.append("objects \($0)") }
        var step = list.adapter.beginFlush(now: 0)
        if case .diff(let job) = step { step = list.adapter.finishDiff(job.run()) }
        list.receive(list.adapter.abortFlush(ListError(.storeFailed, "full")))
        #expect(completed == ["source false", "objects false"])
    }

    @Test("an item update is refused, and the list ends → the completion is called with false")
    func ending() throws {
        var list: TestHost? = try TestHost.letters("a:xyz")
        var completed: [Bool] = []
        remove(1, from: try #require(list?.controller("a"))) { completed.append($0) }
        try refuse(try #require(list))
        list = nil
        #expect(completed == [false])
    }

    @Test(
        "a removal is being stored or was refused → no section controller is called for a removed item",
        arguments: ["deleted", "reloaded", "deleted and reloaded"], [ListLayoutKind.flow, .absolute])
    func asking(way: String, layout: ListLayoutKind) throws {
        let list = try strictList("a:abcdefghijkl", "b:x", layout: layout)
        var screen = try list.open()
        let controller = try #require(list.controller("a") as? StrictController)
        remove(way == "deleted and reloaded" ? 1 : 9, from: controller, reloading: way == "reloaded")
        if way == "deleted and reloaded" { remove(8, from: controller, reloading: true) }
        try prepare(list)
        try read(list)
        list.receive(list.adapter.abortFlush(ListError(.storeFailed, "full")))
        try read(list)
        try makeViewerCalls(to: list, &screen)
        #expect(list.adapter.flushTiming == .now)
        _ = list.takeEvents()
        list.enqueue(.moveItem(from: IndexPath(section: 0, item: 9), to: IndexPath(section: 0, item: 0)))
        list.receive(list.adapter.commitOrFinish())
        #expect(list.itemCounts == [3, 1])
        list.receive(list.adapter.commitOrFinish())
        #expect(list.answers.last?.errorCode == .noSuchItem)
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
        #expect(list.adapter.items(inSection: 0).map { $0.content["letter"]?.string } == ["j", "k", "l"])
        #expect(screen.items.map { $0.content["letter"]?.string } == ["j", "k", "l", "x"])
        #expect(controller.strays.isEmpty)
    }

    // MARK: Display events while item changes wait

    /// Creates a list with one section of twelve letters, whose view shows the letters from `first` on.
    private func watched(from first: Int, _ log: EventList) throws -> (TestHost, LetterController, Screen) {
        let list = try TestHost.letters("a:abcdefghijkl", log: log)
        let screen = try list.open(y: Double(first) * 10)
        return (list, try #require(list.controller("a")), screen)
    }

    private func scroll(_ list: TestHost, to first: Int) throws {
        let rect = Rect(x: 0, y: Double(first) * 10, width: 100, height: 100)
        list.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect))
    }

    @Test("an item with a pending removal appears and disappears → it gets one willDisplay and one didEndDisplaying")
    func comesWhileWaiting() throws {
        let log = EventList()
        let (list, controller, _) = try watched(from: 0, log)
        controller.context?.performBatch(updates: { batch in
            controller.letters.removeLast()
            batch.deleteItems(at: [11])
        })
        try refuse(list)
        for (first, told) in [(2, "will a.11"), (0, "end a.11"), (2, "will a.11")] {
            try scroll(list, to: first)
            #expect(log.drain().filter { $0.hasSuffix("a.11") } == [told])
        }
        #expect(list.flush().transaction?.items.deletes.count == 1)
        #expect(log.drain().filter { $0.hasSuffix("a.11") } == ["end a.11"])
    }

    @Test("an item with a pending removal leaves the screen → it gets didEndDisplaying once, not again at the removal")
    func leavesWhileWaiting() throws {
        let log = EventList()
        let (list, controller, _) = try watched(from: 2, log)
        controller.context?.performBatch(updates: { batch in
            controller.letters.removeLast()
            batch.deleteItems(at: [11])
        })
        try refuse(list)
        _ = log.drain()
        try scroll(list, to: 0)
        #expect(log.drain() == ["will a.0", "will a.1", "end a.10", "end a.11"])
        list.flush()
        #expect(log.drain().isEmpty)
    }

    @Test("items are removed and inserted again → both item updates run in one flush, and the items are never missing")
    func comesBack() throws {
        let log = EventList()
        let (list, controller, _) = try watched(from: 0, log)
        remove(9, from: controller, reloading: true)
        try refuse(list)
        _ = log.drain()
        try scroll(list, to: 2)
        #expect(log.drain().filter { $0.hasPrefix("will") } == ["will a.10", "will a.11"])
        controller.context?.performBatch(updates: { batch in
            controller.letters = "abcdefghijkl".map { String($0) }
            batch.reloadSection()
        })
        list.flush()
        #expect(list.itemCounts == [12] && log.drain().isEmpty)
        try scroll(list, to: 1)
        #expect(log.drain() == ["will a.1", "end a.11"])
    }

    @Test(
        "a controller selects items before its pending item update → the selection is adjusted by the item update",
        arguments: [false, true])
    func selecting(isRefused: Bool) throws {
        let list = try TestHost.letters("a:xyz")
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["y", "z", "n"]
            batch.deleteItems(at: [0])
            batch.insertItems(at: [2])
        })
        try isRefused ? refuse(list) : prepare(list)
        controller.context?.selectItem(at: 0)
        controller.context?.selectItem(at: 2)
        #expect(list.adapter.selectedItems.map(\.item) == [0, 2])
        list.receive(isRefused ? list.flush() : list.adapter.commitFlush())
        #expect(list.adapter.selectedItems.map(\.item) == [1])
    }

    @Test(
        "a viewer selects an item while an item update that selects two others waits → all three items are selected",
        arguments: [false, true])
    func selectedByViewer(isRefused: Bool) throws {
        let log = EventList()
        let list = try TestHost.letters("a:xyz", log: log)
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters.insert("n", at: 0)
            batch.insertItems(at: [0])
            controller.context?.selectItem(at: 0)
            controller.context?.selectItem(at: 3)
        })
        try isRefused ? refuse(list) : prepare(list)
        _ = log.drain()
        #expect(try list.adapter.selectItem(0, ofObject: "a").selected)
        #expect(log.drain() == ["select a.0"])
        list.receive(isRefused ? list.flush() : list.adapter.commitFlush())
        #expect(list.adapter.selectedItems.map(\.item) == [0, 1, 3])
    }

    @Test(
        "an item update is requested while an earlier one is being stored → it runs in the next flush"
    )
    func selectingInBlock() throws {
        let list = try TestHost.letters("a:xyz")
        let controller = try #require(list.controller("a"))
        remove(1, from: controller)
        try prepare(list)
        controller.context?.performBatch(updates: { batch in
            controller.letters.insert("n", at: 0)
            batch.insertItems(at: [0])
            controller.context?.selectItem(at: 0)
        })
        list.receive(list.adapter.commitFlush())
        #expect(list.itemCounts == [2, 0] && list.adapter.flushTiming == .now)
        list.flush()
        #expect(list.itemCounts == [3, 0] && list.adapter.selectedItems.map(\.item) == [0])
    }

    @Test("a controller queries its visible items while its item update is pending → it gets the items on the screen")
    func askingWhatIsShown() throws {
        let (list, controller, _) = try watched(from: 0, EventList())
        remove(2, from: controller)
        try refuse(list)
        #expect(controller.context?.visibleIndexes == Array(0..<10))
        #expect(controller.context?.fullyVisibleIndexes == Array(0..<10))
        #expect(controller.context?.displayedItem(at: 0)?.content["letter"]?.string == "a")
    }

    @Test("item updates change nothing → no transaction and no revision are announced, and completions are called")
    func nothingChanged() throws {
        let list = try TestHost.letters("a:xyz")
        let controller = try #require(list.controller("a"))
        var completed: [Bool] = []
        controller.context?.performBatch(updates: { _ in }, completion: { completed.append($0) })
        let result = list.flush()
        #expect(result.transaction == nil && result.answers.isEmpty && completed == [true])
        #expect(list.adapter.revision == 0 && list.adapter.flushTiming == .idle)
    }

    /// Makes all reads of a client without a view.
    private func read(_ list: TestHost) throws {
        #expect(list.itemCounts == [12, 1])
        #expect(list.adapter.items(inSection: 0).count == 12)
        for item in [0, 5, 9, 11] {
            _ = try list.adapter.selectItem(item, ofObject: "a")
            _ = try list.adapter.setHighlighted(true, item: item, ofObject: "a")
            _ = try list.adapter.deselectItem(item, ofObject: "a")
        }
    }

    /// Makes all calls of a viewer.
    private func makeViewerCalls(to list: TestHost, _ screen: inout Screen) throws {
        for y in [100.0, 30, 0] {
            let rect = Rect(x: 0, y: y, width: 100, height: 100)
            screen.receive(try list.adapter.setViewport(view: 1, seen: screen.sequence, rect: rect).effects)
        }
        try list.adapter.openView(7)
        _ = try list.adapter.setViewport(view: 7, seen: 0, rect: Rect(x: 0, y: 0, width: 90, height: 200))
        _ = try list.adapter.closeView(7)
    }
}

extension ListAdapter {
    /// Performs the next flush, and commits its transaction if there is one.
    fileprivate func commitOrFinish() -> FlushResult {
        if case .finished(let result) = beginFlush(now: 0) { result } else { commitFlush() }
    }
}

// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Section controllers that call the list from every callback")
struct ReentrancyTests {
    /// Makes every call that a section controller's context has.
    static func makeEveryCall(_ controller: LetterController) {
        guard let context = controller.context else { return }
        _ = (context.containerSize, context.containerInset, context.insetContainerSize, context.sectionContainerSize)
        _ = (
            context.containerContentOffset, context.scrollDirection, context.scrollingTraits, context.object,
            context.itemCount
        )
        _ = (context.visibleIndexes, context.fullyVisibleIndexes, context.displayedItem(at: 0))
        _ = (controller.section, controller.isFirstSection, controller.isLastSection)
        context.state = ["count": .int64((context.state["count"]?.int).map { Int64($0) + 1 } ?? 1)]
        context.selectItem(at: 0)
        context.deselectItem(at: 0)
    }

    final class Poking: LetterController {
        override init(log: EventList) { super.init(log: log) }
        override func didUpdate(to object: ListObject) {
            super.didUpdate(to: object)
            ReentrancyTests.makeEveryCall(self)
        }
        override func numberOfItems() -> Int {
            ReentrancyTests.makeEveryCall(self)
            return super.numberOfItems()
        }
        override func sizeForItem(at index: Int) -> Size {
            ReentrancyTests.makeEveryCall(self)
            context?.performBatch(updates: { $0.invalidateLayout() })
            return super.sizeForItem(at: index)
        }
        override func item(at index: Int) -> ListItem {
            ReentrancyTests.makeEveryCall(self)
            context?.scrollToItem(at: index, position: .none)
            return super.item(at: index)
        }
        override func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {
            ReentrancyTests.makeEveryCall(self)
            context?.scrollToItem(at: 0, position: .center)
        }
        override func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) {
            ReentrancyTests.makeEveryCall(self)
        }
        override func sectionControllerDidExitWorkingRange(_ controller: ListSectionController) {
            ReentrancyTests.makeEveryCall(self)
        }
        override func didSelectItem(at index: Int) {
            ReentrancyTests.makeEveryCall(self)
            context?.performBatch(updates: { $0.reloadSection() })
        }
        override func shouldSelectItem(at index: Int) -> Bool {
            ReentrancyTests.makeEveryCall(self)
            return true
        }
    }

    @Test(
        "every callback calls the list → no trap, and screen and mirror equal the list",
        .rule("AD-151", "EE-49", "EE-50"))
    func everything() throws {
        let log = EventList()
        let list = TestHost(
            try (0..<30).map { try letters("o\($0):abc") }, provider: ScriptedProvider { _ in Poking(log: log) })
        var screen = Screen(view: 1)
        try list.adapter.openView(1)
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100)).effects)
        for round in 0..<5 {
            screen.receive(list.adapter.takeEvents())
            list.enqueue(.performUpdates(objects: try (round..<30).map { try letters("o\($0):ab\(round)") }))
            for _ in 0..<3 {
                var step = list.adapter.beginFlush(now: 0)
                if case .diff(let job) = step { step = list.adapter.finishDiff(job.run()) }
                switch step {
                case .commit: screen.receive(list.adapter.commitFlush().events)
                case .finished(let result): screen.receive(result.events)
                case .diff: break
                }
            }
            screen.receive(try list.adapter.acknowledge(view: 1, sequence: screen.sequence))
            screen.receive(try list.adapter.selectItem(0, ofObject: "o20").events)
            screen.receive(
                try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 100, width: 100, height: 100))
                    .effects)
        }
        screen.receive(list.adapter.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
        #expect(list.adapter.objectCount == 26)
    }

    @Test("a callback calls views → the call fails without a trap")
    func viewsInside() throws {
        let list = try TestHost.letters("a:x", "b:y")
        var failures = 0
        let controller = try #require(list.controller("a"))
        controller.onItem = { [weak list] _, _ in
            guard let adapter = list?.adapter else { return }
            do { _ = try adapter.setViewport(view: 1, seen: 0, rect: .zero) } catch { failures += 1 }
            do { _ = try adapter.resync(view: 1) } catch { failures += 1 }
            #expect(adapter.flushNow().isEmpty)
            adapter.enqueue(UpdateRequest(id: 77, operation: .reloadData))
        }
        _ = try list.open()
        #expect(failures >= 2)
        #expect(list.adapter.flushTiming == .now)
    }

    @Test("item updates request further item updates endlessly → those that are nested deeply wait for the next flush")
    func endlessNesting() throws {
        let list = try TestHost.letters("a:x")
        let controller = try #require(list.controller("a"))
        var runs = 0
        func again() {
            controller.context?.performBatch(updates: { _ in
                runs += 1
                again()
            })
        }
        again()
        if case .finished(let result) = list.adapter.beginFlush(now: 0) { list.receive(result) }
        #expect(runs > 1 && runs < 100)
        #expect(list.adapter.flushTiming == .now)
    }

    @Test("a batch in didUpdate inserts items → the section has the new items, without a fault", .rule("EE-41"))
    func itemsInUpdate() throws {
        let list = try TestHost.letters("a:x", "b:y")
        let controller = try #require(list.controller("a"))
        var completions: [Bool] = []
        controller.onUpdate = { controller in
            controller.context?.performBatch(
                updates: { batch in
                    controller.letters.append("n")
                    batch.insertItems(at: [controller.letters.count - 1])
                }, completion: { completions.append($0) })
        }
        var screen = try list.open()
        _ = list.takeEvents()
        try list.update([letters("a:xyz"), letters("b:y")])
        #expect(list.itemCounts == [4, 1])
        #expect(list.adapter.items(inSection: 0).map { $0.content["letter"]?.string } == ["x", "y", "z", "n"])
        #expect(completions == [true])
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "hundreds of controllers call the host from a callback → work that another controller deferred still runs"
    )
    func manyWakeUps() throws {
        let log = EventList()
        let list = TestHost(
            try (0..<300).map { try letters("o\($0):x") },
            provider: ScriptedProvider { _ in LetterController(log: log) })
        _ = try list.open()
        for number in 0..<300 {
            list.controller("o\(number)")?.onUpdate = { $0.context?.selectItem(at: 0) }
        }
        let source = LibraryTests.Source(try objects("last"))
        list.controller("o299")?.onUpdate = { [weak list] _ in list?.adapter.setDataSource(source) }
        try list.update((0..<300).map { try letters("o\($0):y") })
        list.flush()
        #expect(list.ids == ["last"])
    }

    @Test(
        "didUpdate requests a batch and a section reload → both run in the same update",
        .rule("BN-28", "EE-40", "EE-41"))
    func batchInUpdate() throws {
        let list = try TestHost.letters("a:x", "b:y")
        let controller = try #require(list.controller("b"))
        var completions: [Bool] = []
        controller.onUpdate = { controller in
            controller.context?.performBatch(
                updates: { batch in
                    controller.letters.append("new")
                    batch.reloadSection()
                }, completion: { completions.append($0) })
        }
        let result = try list.update([letters("b:z"), letters("a:x")])
        #expect(list.itemCounts == [2, 1])
        #expect(completions == [true])
        #expect(result.transaction?.revision == 1)
        #expect(list.adapter.flushTiming == .idle)
    }

    @Test(
        "didUpdate after a move → the context has the new section index and new values of isFirst and isLast",
        .rule("AD-37...AD-41", "EE-38", "SM-16", "SM-18"))
    func sectionNumbers() throws {
        let log = EventList()
        let list = try TestHost.letters("a:x", "b:y", "c:z", log: log)
        let all = try ["a", "b", "c"].map { try #require(list.controller($0)) }
        _ = log.drain()
        try list.update([letters("c:w"), letters("a:x"), letters("b:v")])
        #expect(log.drain() == ["update c@0", "update b@2"])
        #expect(all.map(\.section) == [1, 2, 0])
        #expect(all.map(\.isFirstSection) == [false, false, true])
        #expect(all.map(\.isLastSection) == [false, true, false])
        try list.update([letters("a:x")])
        #expect(all.map(\.section) == [0, nil, nil])
        #expect(all[2].context == nil && !all[2].isFirstSection && !all[2].isLastSection)
    }

    @Test("a controller outlives its adapter → its context returns nil and ignores commands", .rule("AD-36"))
    func outlives() throws {
        var list: TestHost? = try TestHost.letters("a:x")
        let controller = try #require(list?.controller("a"))
        #expect(controller.section == 0)
        list = nil
        #expect(controller.section == nil && controller.context == nil)
        controller.context?.performBatch(updates: { _ in Issue.record("the batch ran without a list") })
    }
}

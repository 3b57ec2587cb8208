// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Guarantees for hosts, views and section controllers")
struct HostGuaranteeTests {
    private func rows(_ count: Int, prepare: @escaping (LetterController) -> Void = { _ in }) throws -> TestHost {
        TestHost(
            try (0..<count).map { try letters("r\($0):x") },
            provider: ScriptedProvider { _ in
                let controller = LetterController(log: EventList())
                prepare(controller)
                return controller
            })
    }

    private func scroll(_ list: TestHost, _ y: Double, height: Double = 100) throws -> [AdapterEvent] {
        try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: height)).effects
    }

    @Test("a controller scrolls a stalled view during a resync → no change has the sequence of the resync's picture")
    func resyncSequence() throws {
        let list = try rows(90)
        _ = try list.open { $0.window = 1 }
        list.controller("r65")?.onItem = { controller, _ in
            controller.context?.scrollToItem(at: 0, position: .start)
        }
        for y in [300.0, 600] { _ = try scroll(list, y) }
        let picture = try list.adapter.resync(view: 1)
        let later = list.adapter.takeEvents().compactMap { event in
            if case .picture(let change) = event { change.sequence } else { nil }
        }
        #expect(later.allSatisfy { $0 > picture.sequence }, "resync at \(picture.sequence), then \(later)")
    }

    @Test(
        "a view is stalled, or its host pauses pictures → its controllers see the viewer's current picture",
        .rule("BS-08"),
        arguments: [false, true])
    func displayedItem(isHeld: Bool) throws {
        let list = try rows(90)
        _ = try list.open { $0.window = isHeld ? 32 : 1 }
        _ = try scroll(list, 300)
        list.adapter.holdsViews = isHeld
        _ = try scroll(list, 600)
        for (id, isShown) in [("r30", false), ("r60", true)] {
            let context = try #require(list.controller(id)?.context)
            #expect(context.visibleIndexes == (isShown ? [0] : []))
            #expect((context.displayedItem(at: 0) != nil) == isShown, "\(id)")
        }
    }

    @Test("a controller's timer causes a fault → the host is notified, and the screen shows error items")
    func faultOutside() throws {
        let list = try TestHost.letters("a:x", "b:y")
        var screen = try list.open()
        _ = list.takeEvents()
        var woken = 0
        list.adapter.onActivity = { woken += 1 }
        list.controller("a")?.context?.reportFault("broken")
        #expect(woken == 1)
        screen.receive(list.adapter.takeEvents())
        #expect(screen.items.map(\.reuseIdentifier) == ["listd/fault", "letter"])
    }

    @Test("the data source is replaced after hundreds of deferred scrolls → the new source is used")
    func sourceBehindScrolls() throws {
        let list = try rows(300)
        _ = try list.open()
        for number in 0..<299 { list.controller("r\(number)")?.onUpdate = { $0.context?.scrollToItem(at: 0) } }
        let source = LibraryTests.Source(try objects("last"))
        list.controller("r299")?.onUpdate = { [weak list] _ in list?.adapter.setDataSource(source) }
        try list.update((0..<300).map { try letters("r\($0):y") })
        list.flush()
        #expect(list.adapter.dataSource === source && list.ids == ["last"])
    }

    @Test("the data source is replaced while a section's items are being read → the host is notified of pending work")
    func sourceWhileReading() throws {
        let clock = LibraryTests.Clock()
        let list = try TestHost.letters("a:x", "b:y")
        list.adapter.scheduler = clock
        _ = try list.open()
        let source = LibraryTests.Source(try [letters("z:q")])
        list.controller("b")?.onItem = { [weak list] _, _ in list?.adapter.setDataSource(source) }
        _ = (list.adapter.takeEvents(), list.adapter.items(inSection: 0))
        var woken = 0
        list.adapter.onActivity = { woken += 1 }
        _ = list.adapter.items(inSection: 1)
        clock.advance(to: 10)
        #expect(list.ids == ["z"] && (woken > 0 || !clock.events.isEmpty))
    }

    @Test("a viewport is unchanged, or a scroll leads to the current offset → no scroll notification is sent")
    func noScroll() throws {
        let scrolls = DelegateTests.Scrolls()
        let list = try rows(60) { $0.scrollDelegate = scrolls }
        _ = try list.open()
        _ = try scroll(list, 0)
        _ = try scroll(list, 0, height: 90)
        _ = try list.adapter.scrollTo(view: 1, object: "r0", item: 0, position: .start)
        #expect(scrolls.events.isEmpty)
    }

    @Test("a controller scrolls to the start at every scroll notification → it gets two of them, not endlessly many")
    func scrollInScroll() throws {
        final class Keeper: ListScrollDelegate {
            var count = 0
            func sectionController(_ controller: ListSectionController, didScroll event: ListScrollEvent) {
                count += 1
                controller.context?.scrollToItem(at: 0, position: .start)
            }
        }
        let keeper = Keeper()
        let list = try rows(60)
        list.controller("r3")?.scrollDelegate = keeper
        _ = try list.open()
        _ = try scroll(list, 20)
        #expect(keeper.count == 2)
    }

    @Test(
        "a view is resumed with options out of range → the error is that of openView, without a trap",
        arguments: 0..<6)
    func options(number: Int) throws {
        let list = try rows(30)
        var options = ListViewOptions()
        switch number {
        case 0: options.lead = -1
        case 1: options.trail = -1
        case 2: options.overscanItems = -1
        case 3: options.contentInset = EdgeInsets(top: .nan, left: 0, bottom: 0, right: 0)
        case 4: options.contentInset = EdgeInsets(top: 0, left: 0, bottom: .infinity, right: 0)
        default: options.window = -1
        }
        #expect(throws: ListError.self) { try list.adapter.openView(1, options: options) }
    }

    @Test("a completion selects an item → the host still gets the events of the flush")
    func selectInCompletion() throws {
        let list = try TestHost.letters("a:x")
        var screen = try list.open()
        _ = list.takeEvents()
        list.adapter.performUpdates(try [letters("a:x"), letters("b:y")]) { _ in
            _ = try? list.adapter.selectItem(0, ofObject: "b")
        }
        let events = list.adapter.flushNow().flatMap(\.events)
        #expect(events.contains { if case .updated = $0 { true } else { false } })
        screen.receive(events)
        #expect(screen.items.map(\.objectID) == ["a", "b"])
    }

    @Test("a completion scrolls a view → the view scrolls", .rule("EE-06"))
    func scrollInCompletion() throws {
        let list = try rows(30)
        _ = try list.open()
        var offsets: [Double?] = []
        list.adapter.performUpdates(try (0..<40).map { try letters("r\($0):x") }) { _ in
            offsets.append(try? list.adapter.scroll(view: 1, toObject: "r35", position: .start).offset.y)
        }
        list.adapter.flushNow()
        #expect(offsets == [300])
    }

    @Test("an update replaces a controller's object by another object → no fault is reported")
    func reused() throws {
        let only = LetterController(log: EventList())
        let list = TestHost([try letters("a:x")], provider: ScriptedProvider { _ in only })
        let events = try list.update([letters("b:y")]).events
        #expect(!events.contains { if case .sectionFault = $0 { true } else { false } })
        #expect(list.adapter.sectionController(forID: "b") === only)
    }

    @Test(
        "a batch is pending during a full reload → the state that the batch sets for the object is kept",
        .rule("EE-33"))
    func stateBesideReload() throws {
        let list = try TestHost.letters("a:xy")
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.context?.state = ["more": true]
            batch.reloadSection()
        })
        list.adapter.reloadData()
        list.flush()
        #expect(list.controller("a")?.context?.state == ["more": true])
    }
}

// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Display notifications during updates")
struct DisplayRuleTests {
    /// Returns the recorded display events, without updates and working ranges.
    private func display(_ log: EventList) -> [String] {
        log.drain().filter { $0.hasPrefix("will ") || $0.hasPrefix("end ") }
    }

    @Test(
        "items and objects appear, then are removed → each gets one willDisplay and one didEndDisplaying",
        .rule("EE-44...EE-47"))
    func counts() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xy", "b:q", log: log)
        _ = try list.open()
        #expect(display(log) == ["will a.0", "will a", "will a.1", "will b.0", "will b"])
        try list.update([letters("a:x"), letters("b:q")])
        #expect(display(log) == ["end a.1"])
        try list.update([letters("a:x")])
        #expect(display(log) == ["end b.0", "end b"])
        try list.update([])
        #expect(display(log) == ["end a.0", "end a"])
    }

    @Test(
        "an object is removed → the delegate gets the object and its former index, before the completion",
        .rule("EE-48"))
    func removed() throws {
        let log = EventList()
        let delegate = DelegateTests.Listener("delegate", log)
        let list = try TestHost.letters("a:x", "b:y")
        list.adapter.delegate = delegate
        _ = try list.open()
        _ = log.drain()
        list.adapter.performUpdates(try [letters("b:y")]) { _ in log.record("completion") }
        list.adapter.flushNow()
        #expect(log.drain() == ["delegate end a.0", "delegate end a@0", "completion"])
    }

    @Test("an item leaves one view and enters another in one update → no notification is sent", .rule("DH-13"))
    func handedOverToAnotherView() throws {
        let log = EventList()
        let rows = (0..<30).map { "r\($0):x" }
        let list = TestHost(
            try rows.map { try letters($0) }, provider: ScriptedProvider { _ in LetterController(log: log) })
        _ = try list.open(1)
        _ = try list.open(2, y: 100) { $0.isAnchored = false }
        _ = display(log)
        try list.update((0..<10).map { try letters("n\($0):x") } + rows.map { try letters($0) })
        let events = display(log)
        // View 1 shows n0 to n9 now, and view 2 shows the sections that view 1 showed before.
        #expect(events.filter { $0.hasPrefix("will r") }.isEmpty)
        let expected = (0..<10).flatMap { ["will n\($0).0", "will n\($0)", "end r\($0 + 10).0", "end r\($0 + 10)"] }
        #expect(events.sorted() == expected.sorted())
    }

    @Test(
        "an object changes and leaves the screen in one update → didEndDisplaying gets the former object",
        .rule("DH-11"))
    func endOfWhatWasShown() throws {
        final class Listener: ListAdapterDelegate {
            var ended: [String?] = []
            func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int) {
                ended.append(object.fields["items"]?.string)
            }
        }
        let listener = Listener()
        let list = try TestHost.letters("a:x", "b:y")
        list.adapter.delegate = listener
        _ = try list.open { $0.isAnchored = false }
        try list.update((0..<20).map { try letters("n\($0):x") } + [letters("a:z"), letters("b:y")])
        #expect(listener.ended == ["x", "y"])
    }

    @Test(
        "a reload moves the working range → sections of the old range exit, sections of the new range enter",
        .rule("WR-15"))
    func replacedAndOutOfRange() throws {
        final class Ranged: LetterController {
            var isInRange = false
            override func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) {
                #expect(!isInRange)
                isInRange = true
            }
            override func sectionControllerDidExitWorkingRange(_ controller: ListSectionController) {
                #expect(isInRange)
                isInRange = false
            }
        }
        var controllers: [Ranged] = []
        let rows = (0..<10).map { "r\($0):x" }
        let provider = ScriptedProvider { _ in
            controllers.append(Ranged(log: EventList()))
            return controllers[controllers.count - 1]
        }
        let list = TestHost(try rows.map { try letters($0) }, provider: provider)
        _ = try list.open { $0.isAnchored = false }
        #expect(controllers.filter(\.isInRange).count == 10)
        let fresh = (0..<20).map { "n\($0):x" }
        list.enqueue(.performUpdates(objects: try (fresh + rows).map { try letters($0) }))
        list.enqueue(.reloadData)
        list.flush()
        #expect(controllers.filter(\.isInRange).map(\.id).sorted() == (0..<10).map { "n\($0)" })
    }

    @Test(
        "a view scrolls to other sections → entering the working range is notified before leaving it",
        .rule("WR-14"))
    func rangesInOrder() throws {
        let log = EventList()
        let list = TestHost(
            try (0..<60).map { try letters("r\($0):x") }, provider: ScriptedProvider { _ in LetterController(log: log) }
        )
        _ = try list.open()
        _ = log.drain()
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 300, width: 100, height: 100))
        let events = log.drain().filter { $0.hasPrefix("enter") || $0.hasPrefix("exit") }
        #expect(events == (30..<40).map { "enter r\($0)" } + (0..<10).map { "exit r\($0)" })
    }

    @Test(
        "no section has items → the empty view is shown, unless the list is configured to count objects as content",
        .rule("AD-65...AD-68"))
    func emptySections() throws {
        let list = try TestHost.letters("a:", "b:") { _ in
        } configure: {
            $0.emptyContent = ["text": "nothing"]
        }
        var screen = try list.open()
        #expect(screen.items.map(\.reuseIdentifier) == ["empty"])
        _ = list.takeEvents()
        try list.update([letters("a:x"), letters("b:")])
        screen.receive(list.takeEvents())
        #expect(screen.items.map(\.objectID) == ["a"])
        var configuration = list.adapter.configuration
        configuration.emptiness = .noObjects
        try list.perform(.configure(configuration, controllersChanged: false))
        try list.update([letters("a:"), letters("b:")])
        screen.receive(list.takeEvents())
        #expect(screen.items.isEmpty)
        try list.update([])
        screen.receive(list.takeEvents())
        #expect(screen.items.map(\.reuseIdentifier) == ["empty"])
    }

    @Test("a section has no controller → the delegate is notified of the display of its error item", .rule("DH-14"))
    func withoutController() throws {
        let log = EventList()
        let delegate = DelegateTests.Listener("delegate", log)
        let list = TestHost(try objects("a"), provider: ScriptedProvider { _ in ListSectionController() })
        list.adapter.delegate = delegate
        _ = try list.open()
        #expect(log.drain() == ["delegate will a.0", "delegate will a@0"])
        try list.update([])
        #expect(log.drain() == ["delegate end a.0", "delegate end a@0"])
    }

    @Test(
        "a listener is added to two lists → it is notified of both; it is removed from one → only of the other list",
        .rule("AN-02...AN-04"))
    func announcer() throws {
        let log = EventList()
        let announcer = ListAdapterAnnouncer()
        let (stays, leaves) = (DelegateTests.Listener("stays", log), DelegateTests.Listener("leaves", log))
        announcer.addListener(stays)
        announcer.addListener(leaves)
        announcer.removeListener(leaves)
        let lists = try [TestHost.letters("a:x"), TestHost.letters("b:y")]
        for list in lists {
            list.adapter.announcer = announcer
            _ = try list.open()
        }
        try lists[1].update([])
        #expect(
            log.drain() == [
                "stays will a.0", "stays will a@0", "stays will b.0", "stays will b@0", "stays end b.0",
                "stays end b@0",
            ])
    }

    /// A section of letters with a header or a footer.
    final class Framed: LetterController, ListSupplementarySource {
        var supportedElementKinds: Set<ElementKind> = [.header]
        override init(log: EventList) {
            super.init(log: log)
            supplementarySource = self
        }
        override func didUpdate(to object: ListObject) {
            if object.type == "footer" { supportedElementKinds = [.footer] }
            if object.type == "plain" { supplementarySource = nil }
            super.didUpdate(to: object)
        }
        func sizeForSupplementaryElement(of kind: ElementKind) -> Size { Size(width: -3, height: 20) }
        func supplementaryElement(of kind: ElementKind) -> ListItem { ListItem(reuseIdentifier: kind.rawValue) }
    }

    @Test(
        "a section has only a header → it gets willDisplay; the header is removed → it gets didEndDisplaying",
        .rule("AD-96", "AD-97")
    )
    func headerOnly() throws {
        let log = EventList()
        let list = TestHost(
            [try letters("a:", type: "header")], provider: ScriptedProvider { _ in Framed(log: log) },
            configure: { $0.showHeaderWhenEmpty = true })
        var screen = try list.open()
        _ = list.takeEvents()
        #expect(display(log) == ["will a"] && screen.items.map(\.kind) == [.header])
        list.controller("a")?.onUpdate = { $0.supplementarySource = nil }
        try list.perform(.reloadObjects(["a"]))
        screen.receive(list.takeEvents())
        #expect(display(log) == ["end a"] && screen.items.isEmpty)
    }

    @Test(
        "only one of two sections has a footer → only this footer is shown; its width is negative → it counts as 0",
        .rule("AD-43", "AD-94", "AD-98", "AD-102")
    )
    func footer() throws {
        let list = TestHost(
            try [letters("a:x", type: "footer"), letters("b:y", type: "plain")],
            provider: ScriptedProvider { _ in Framed(log: EventList()) })
        let screen = try list.open()
        #expect(screen.items.map(\.kind) == [.cell, .footer, .cell])
        let footer = list.adapter.layoutAttributes(of: .footer, at: IndexPath(section: 0, item: 0), in: 1)
        #expect(footer?.frame.size == Size(width: 100, height: 20))
        for (kind, section) in [(ElementKind.header, 0), (.header, 1), (.footer, 1), (.footer, 2)] {
            #expect(list.adapter.layoutAttributes(of: kind, at: IndexPath(section: section, item: 0), in: 1) == nil)
        }
    }

    @Test(
        "a section is shown, scrolled and removed → its controller's callbacks come in the documented order",
        .rule("AD-149", "AD-150"))
    func performance() throws {
        final class Recorder: ListPerformanceDelegate {
            var calls: [ListControllerCall.Callback] = []
            func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall) {
                if calls.last != call.callback { calls.append(call.callback) }
            }
            func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall) {}
            func drain() -> [ListControllerCall.Callback] {
                defer { calls = [] }
                return calls.filter { $0 != .workingRange }
            }
        }
        let (recorder, scrolls) = (Recorder(), DelegateTests.Scrolls())
        let list = try TestHost.letters("a:x") { $0.scrollDelegate = scrolls }
        list.adapter.performanceDelegate = recorder
        _ = try list.open()
        #expect(recorder.drain() == [.size, .item, .display])
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 1, width: 100, height: 100))
        #expect(recorder.drain() == [.scroll])
        try list.update([])
        #expect(recorder.drain() == [.endDisplay])
    }

    @Test("an item is looked up by path, frame and point → all lookups find it", .rule("AD-11", "AD-58...AD-60"))
    func paths() throws {
        let list = try TestHost.letters("a:xy", "b:uvwxyz")
        _ = try list.open()
        let section = try #require(list.controller("b")?.section)
        for (item, y) in zip(2...5, stride(from: 45.0, through: 75, by: 10)) {
            let path = IndexPath(section: section, item: item)
            let attributes = try #require(list.adapter.layoutAttributes(of: .cell, at: path, in: 1))
            #expect(attributes.path == path && attributes.frame.minY == y - 5)
            #expect(list.adapter.item(at: Point(x: 50, y: y), in: 1) == path)
        }
        #expect(list.adapter.item(at: Point(x: 50, y: 5), in: 1) == IndexPath(section: 0, item: 0))
        #expect(list.adapter.item(at: Point(x: 50, y: 15), in: 1) == IndexPath(section: 0, item: 1))
    }

    @Test("an item is below a content inset → it is displayed, but does not count as fully visible", .rule("AD-62"))
    func fullyVisible() throws {
        let list = try TestHost.letters("a:uvwxyz")
        _ = try list.open { $0.contentInset = EdgeInsets(top: 10, left: 0, bottom: 50, right: 0) }
        let context = try #require(list.controller("a")?.context)
        #expect(context.visibleIndexes == [0, 1, 2, 3, 4, 5] && context.fullyVisibleIndexes == [1, 2, 3, 4])
    }
}

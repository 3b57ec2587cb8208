// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Delegates: notifications, their order, and lists without delegates")
struct DelegateTests {
    /// Implements none of the delegates' methods, which all have defaults.
    final class Silent: ListAdapterDelegate, ListUpdaterDelegate, ListDisplayDelegate {}

    final class Performance: ListPerformanceDelegate {
        var open: [String] = []
        var seen: Set<ListControllerCall.Callback> = []
        func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall) {
            open.append("\(call.callback) \(call.objectID)")
            seen.insert(call.callback)
            #expect(call.controllerName == "test/letters" || call.objectID.isEmpty)
        }
        func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall) {
            #expect(open.popLast() == "\(call.callback) \(call.objectID)")
        }
    }

    final class Listener: ListAdapterDelegate {
        let name: String
        let log: EventList
        var onEvent: (() -> Void)?
        init(_ name: String, _ log: EventList) {
            self.name = name
            self.log = log
        }
        func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int) {
            log.record("\(name) will \(object.id)@\(section)")
            onEvent?()
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int) {
            log.record("\(name) end \(object.id)@\(section)")
        }
        func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath) {
            log.record("\(name) will \(object.id).\(path.item)")
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath) {
            log.record("\(name) end \(object.id).\(path.item)")
        }
    }

    @Test("delegates implement no method → updates work")
    func silent() throws {
        let silent = Silent()
        let list = try TestHost.letters("a:x") { $0.displayDelegate = silent }
        list.adapter.delegate = silent
        list.adapter.updaterDelegate = silent
        let screen = try list.open()
        #expect(screen.items.count == 1)
        try list.update([letters("b:y")])
        try list.update([letters("b:y")])
        try list.perform(.reloadData)
        list.controller("b")?.context?.reportFault("broken")
        try list.update([])
        #expect(list.ids.isEmpty)
    }

    @Test(
        "an item appears → controller, delegate and announcer are notified of the item, then of the section",
        .rule("AN-01", "DH-01", "DH-10")
    )
    func order() throws {
        let log = EventList()
        let announcer = ListAdapterAnnouncer()
        let (first, second) = (Listener("first", log), Listener("second", log))
        let delegate = Listener("delegate", log)
        announcer.addListener(first)
        announcer.addListener(second)
        let list = try TestHost.letters("a:x", log: log)
        list.adapter.delegate = delegate
        list.adapter.announcer = announcer
        _ = log.drain()
        _ = try list.open()
        #expect(
            log.drain().filter { !$0.hasPrefix("enter") && !$0.hasPrefix("update") } == [
                "will a.0", "delegate will a.0", "first will a.0", "second will a.0",
                "will a", "delegate will a@0", "first will a@0", "second will a@0",
            ])
        announcer.removeListener(second)
        try list.update([])
        #expect(
            log.drain().filter { !$0.hasPrefix("exit") } == [
                "end a.0", "delegate end a.0", "first end a.0", "end a", "delegate end a@0", "first end a@0",
            ])
    }

    @Test(
        "updates or reloads end → listeners get the kind of the update, and reloads are not animated",
        .rule("EE-66...EE-70")
    )
    func kindsOfUpdates() throws {
        final class Updates: ListUpdateListener {
            var heard: [String] = []
            func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool) {
                heard.append("\(update) \(animated)")
            }
        }
        let updates = Updates()
        let list = try TestHost.letters("a:x")
        list.adapter.addUpdateListener(updates)
        try list.update([letters("a:y")], animated: false)
        list.controller("a")?.context?.performBatch(animated: true, updates: { $0.reloadItems(at: [0]) })
        list.flush()
        list.controller("a")?.context?.performBatch(animated: false, updates: { $0.reloadItems(at: [0]) })
        list.flush()
        try list.perform(.reloadData)
        #expect(
            updates.heard == ["performUpdates false", "itemUpdates true", "itemUpdates false", "reloadData false"])
        list.adapter.removeUpdateListener(updates)
        try list.update([])
        #expect(updates.heard.count == 4)
    }

    @Test("a display callback sets the first delegate → the delegate is notified from that item on", .rule("DH-10"))
    func lateDelegate() throws {
        final class Attaching: ListDisplayDelegate {
            var attach: (() -> Void)?
            func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) { attach?() }
        }
        let (log, attaching) = (EventList(), Attaching())
        let delegate = Listener("delegate", log)
        let list = try TestHost.letters("a:x", "b:y") { $0.displayDelegate = attaching }
        attaching.attach = { list.adapter.delegate = delegate }
        _ = try list.open()
        #expect(log.drain() == ["a.0", "a@0", "b.0", "b@1"].map { "delegate will \($0)" })
    }

    @Test("a listener removes itself during its notification → the other listeners are still notified", .rule("AN-05"))
    func leavingListener() throws {
        let log = EventList()
        let announcer = ListAdapterAnnouncer()
        let (first, second) = (Listener("first", log), Listener("second", log))
        first.onEvent = { announcer.removeListener(first) }
        announcer.addListener(first)
        announcer.addListener(second)
        let list = try TestHost.letters("a:x", "b:y", log: EventList())
        list.adapter.announcer = announcer
        _ = try list.open()
        #expect(log.lines.count { $0.hasPrefix("second") } == 4)
        #expect(log.lines.count { $0.hasPrefix("first will") && $0.contains("@") } == 1)
    }

    @Test("a performance delegate is set → it is notified before and after every controller call, with the call's name")
    func performance() throws {
        let performance = Performance()
        let scrolls = Scrolls()
        let list = try TestHost.letters("a:xyz", "b:q") { $0.scrollDelegate = scrolls }
        list.adapter.performanceDelegate = performance
        _ = try list.open()
        try list.perform(.reloadData)
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 5, width: 100, height: 100))
        _ = try list.adapter.selectItem(0, ofObject: "a")
        _ = try list.adapter.invoke("press", parameters: Fields(), item: 0, ofObject: "a")
        _ = try list.perform(
            .moveItem(from: IndexPath(section: 0, item: 0), to: IndexPath(section: 0, item: 1)))
        list.controller("a")?.context?.performBatch(updates: { $0.reloadItems(at: [0]) })
        list.flush()
        try list.update([])
        #expect(performance.open.isEmpty)
        #expect(performance.seen == Set(ListControllerCall.Callback.allCases))
    }

    final class Scrolls: ListScrollDelegate {
        var events: [ListScrollEvent] = []
        var traits: [ListScrollingTraits] = []
        func sectionController(_ controller: ListSectionController, didScroll event: ListScrollEvent) {
            events.append(event)
            traits.append(controller.context?.scrollingTraits ?? [])
        }
    }

    @Test(
        "the user drags a view → visible controllers get each scroll event, and the traits are updated",
        .rule("AD-73...AD-75", "AD-108"))
    func scrolling() throws {
        let scrolls = Scrolls()
        let list = try TestHost.letters("a:x", "b:y") { $0.scrollDelegate = scrolls }
        _ = try list.open()
        for event: ListScrollEvent in [
            .willBeginDragging, .scrolled, .didEndDragging(willDecelerate: true), .didEndDecelerating,
        ] { _ = try list.adapter.reportScroll(view: 1, event) }
        #expect(
            scrolls.events == [
                .willBeginDragging, .willBeginDragging, .scrolled, .scrolled, .didEndDragging(willDecelerate: true),
                .didEndDragging(willDecelerate: true), .didEndDecelerating, .didEndDecelerating,
            ])
        let dragging: ListScrollingTraits = [.isTracking, .isDragging]
        #expect(scrolls.traits == [dragging, dragging, dragging, dragging, .isDecelerating, .isDecelerating, [], []])
        _ = try list.adapter.reportScroll(view: 1, .didEndDragging(willDecelerate: false))
        #expect(scrolls.traits.last == [])
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("display.json: notifications of appearing and disappearing items", .rule("DH-01...DH-13"))
struct DisplayVectorTests {
    /// Records the events of a delegate or a listener.
    final class RecordingDelegate: ListAdapterDelegate {
        let name: String
        let log: EventList
        init(_ name: String, _ log: EventList) { (self.name, self.log) = (name, log) }
        func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int) {
            log.record("\(name).willDisplayObject")
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int) {
            log.record("\(name).didEndDisplayingObject")
        }
        func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath) {
            log.record("\(name).willDisplayObjectCell")
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath) {
            log.record("\(name).didEndDisplayingObjectCell")
        }
    }

    final class RecordingController: ListSectionController, ListDisplayDelegate {
        let log: EventList
        init(_ log: EventList) {
            self.log = log
            super.init()
            displayDelegate = self
        }
        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "x") }
        func sectionControllerWillDisplay(_ controller: ListSectionController) {
            log.record("section.willDisplaySection")
        }
        func sectionControllerDidEndDisplaying(_ controller: ListSectionController) {
            log.record("section.didEndDisplayingSection")
        }
        func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {
            log.record("section.willDisplayCell")
        }
        func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int) {
            log.record("section.didEndDisplayingCell")
        }
    }

    static func cases(_ key: String) throws -> [JSON] { try Vectors.load("display")[key]?.array ?? [] }

    @Test(
        "elements appear and disappear as a script says → the events are those of the test vector, in order",
        arguments: try cases("cases"))
    func script(vector: JSON) throws {
        let log = EventList()
        let list = TestHost(try objects("a"), provider: ScriptedProvider { _ in RecordingController(log) })
        let (delegate, listener, announcer) = (
            RecordingDelegate("adapter", log), RecordingDelegate("announcer", log), ListAdapterAnnouncer()
        )
        announcer.addListener(listener)
        list.adapter.delegate = delegate
        list.adapter.announcer = announcer
        let known = list.adapter.presentation.store.map.handle(at: 0)
        let handle = try #require(known)
        for step in vector["steps"]?.array ?? [] {
            let kind: ElementKind = step["kind"]?.string == "cell" ? .cell : .header
            let key = ElementKey(handle: handle, kind: kind, index: step["path"]?[1]?.integer ?? 0)
            let element = ViewElement(key: key, section: 0, frame: .zero, z: 0)
            var display = DisplayStep()
            if step["op"]?.string == "willDisplay" {
                display.appeared = [element]
            } else {
                display.disappeared = [element]
            }
            list.adapter.presentation.deliver(list.adapter.presentation.views.makeCalls(for: [display]))
            let expected = (step["derivedFromSourceInOrder"]?.array ?? []).compactMap { $0[0]?.string }
            #expect(log.drain() == expected)
        }
    }

    @Test("a visible list is updated → each controller gets one notification per cell", arguments: try cases("e2e"))
    func counts(vector: JSON) throws {
        func objects(_ json: JSON?) throws -> [ListObject] {
            try (json?.array ?? []).map { pair in
                try letters("\(pair[0]?.integer ?? 0):\(String(repeating: "x", count: pair[1]?.integer ?? 0))")
            }
        }
        let log = EventList()
        let list = try TestHost.letters(log: log)
        try list.update(objects(vector["initial"]))
        _ = try list.open()
        for update in vector["updates"]?.array ?? [] { try list.update(objects(update)) }
        let lines = log.drain()
        for (id, counts) in vector["expectedCounts"]?.object ?? [:] {
            if let count = counts["sectionWill"]?.integer {
                #expect(lines.filter { $0 == "will \(id)" }.count == count)
            }
            if let count = counts["sectionEnd"]?.integer { #expect(lines.filter { $0 == "end \(id)" }.count == count) }
            for (item, count) in counts["cellWill"]?.object ?? [:] {
                #expect(lines.filter { $0 == "will \(id).\(item)" }.count == count.integer)
            }
            for (item, count) in counts["cellEnd"]?.object ?? [:] {
                #expect(lines.filter { $0 == "end \(id).\(item)" }.count == count.integer)
            }
        }
    }

    @Test(
        "two views show a section → its controller is notified only when the first view begins and the last one ends")
    func twoViews() throws {
        let log = EventList()
        let list = try TestHost.letters("a:x", log: log)
        _ = try list.open(1)
        _ = try list.open(2)
        #expect(log.drain().filter { $0.hasPrefix("will") } == ["will a.0", "will a"])
        _ = try list.adapter.closeView(1)
        #expect(log.drain().isEmpty)
        _ = try list.adapter.closeView(2)
        #expect(log.drain() == ["end a.0", "end a", "exit a"])
    }

    @Test(
        "all controllers are replaced → the old ones get didEndDisplaying, the new ones willDisplay")
    func replaced() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xy", log: log)
        _ = try list.open()
        let old = try #require(list.controller("a"))
        _ = log.drain()
        #expect(try list.perform(.reloadData).revision == 1)
        #expect(list.controller("a") !== old)
        #expect(
            log.drain() == [
                "update a@0", "will a.0", "will a.1", "will a", "enter a", "end a.0", "end a.1", "end a", "exit a",
            ])
    }
}

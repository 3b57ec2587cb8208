// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("display.json: notifications of appearing and disappearing items", .rule("DH-01...DH-13"))
struct DisplayVectorTests {
    /// Writes the events of a delegate or a listener into a log.
    final class Teller: ListAdapterDelegate {
        let name: String
        let log: EventList
        init(_ name: String, _ log: EventList) { (self.name, self.log) = (name, log) }
        func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int) {
            log.note("\(name).willDisplayObject")
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int) {
            log.note("\(name).didEndDisplayingObject")
        }
        func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath) {
            log.note("\(name).willDisplayObjectCell")
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath) {
            log.note("\(name).didEndDisplayingObjectCell")
        }
    }

    final class Told: ListSectionController, ListDisplayDelegate {
        let log: EventList
        init(_ log: EventList) {
            self.log = log
            super.init()
            displayDelegate = self
        }
        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "x") }
        func sectionControllerWillDisplay(_ controller: ListSectionController) {
            log.note("section.willDisplaySection")
        }
        func sectionControllerDidEndDisplaying(_ controller: ListSectionController) {
            log.note("section.didEndDisplayingSection")
        }
        func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {
            log.note("section.willDisplayCell")
        }
        func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int) {
            log.note("section.didEndDisplayingCell")
        }
    }

    static func cases(_ key: String) throws -> [JSON] { try Vectors.load("display")[key]?.array ?? [] }

    @Test("a script of elements → the events in the order of the source", arguments: try cases("cases"))
    func script(vector: JSON) throws {
        let log = EventList()
        let list = TestHost(try objects("a"), provider: ScriptedProvider { _ in Told(log) })
        let (delegate, listener, announcer) = (Teller("adapter", log), Teller("announcer", log), ListAdapterAnnouncer())
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
            list.adapter.presentation.deliver(list.adapter.presentation.views.calls([display]))
            let expected = (step["derivedFromSourceInOrder"]?.array ?? []).compactMap { $0[0]?.string }
            #expect(log.take() == expected)
        }
    }

    @Test("updates of a list on a screen → each controller is notified of each cell once", arguments: try cases("e2e"))
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
        let lines = log.take()
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

    @Test("a section shown in two views → its controller is notified of the first beginning and the last end")
    func twoViews() throws {
        let log = EventList()
        let list = try TestHost.letters("a:x", log: log)
        _ = try list.open(1)
        _ = try list.open(2)
        #expect(log.take().filter { $0.hasPrefix("will") } == ["will a.0", "will a"])
        _ = try list.adapter.closeView(1)
        #expect(log.take().isEmpty)
        _ = try list.adapter.closeView(2)
        #expect(log.take() == ["end a.0", "end a", "exit a"])
    }

    @Test("all controllers replaced → the old ones are notified of the end of display, the new ones of the beginning")
    func replaced() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xy", log: log)
        _ = try list.open()
        let old = try #require(list.controller("a"))
        _ = log.take()
        #expect(try list.perform(.reloadData).revision == 1)
        #expect(list.controller("a") !== old)
        #expect(
            log.take() == [
                "update a@0", "will a.0", "will a.1", "will a", "enter a", "end a.0", "end a.1", "end a", "exit a",
            ])
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("IGListKit's finer rules of display: each test fails when its rule is broken")
struct FinerDisplayRuleTests {
    /// One element of the first section, for the display handler.
    private func element(_ list: TestHost, item: Int, kind: ElementKind = .cell) throws -> ViewElement {
        let known = list.adapter.presentation.store.map.handle(at: 0)
        let handle = try #require(known)
        return ViewElement(
            key: ElementKey(handle: handle, kind: kind, index: item), section: 0, frame: .zero, z: 0)
    }

    @Test(
        "an end of display that comes twice, or without a beginning → notified once, or never",
        .rule("DH-05", "DH-06", "DH-09"))
    func endsTwice() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xy", log: log)
        _ = log.take()
        let (cell, header) = (try element(list, item: 0), try element(list, item: 0, kind: .header))
        func end(_ element: ViewElement) -> [String] {
            var step = DisplayStep()
            step.disappeared = [element]
            list.adapter.presentation.deliver(list.adapter.presentation.views.calls([step]))
            return log.take()
        }
        func begin(_ element: ViewElement) -> [String] {
            var step = DisplayStep()
            step.appeared = [element]
            list.adapter.presentation.deliver(list.adapter.presentation.views.calls([step]))
            return log.take()
        }
        #expect(end(cell).isEmpty && end(header).isEmpty)
        #expect(begin(cell) == ["will a.0", "will a"])
        #expect(end(cell) == ["end a.0", "end a"] && end(cell).isEmpty)
        #expect(begin(header) == ["will a"] && end(header) == ["end a"] && end(header).isEmpty)
        #expect(begin(cell) == ["will a.0", "will a"])
    }

    @Test(
        "another section at the index of one that is still shown → notified of its own beginning",
        .rule("DH-07"))
    func samePlace() throws {
        let log = EventList()
        let list = try TestHost.letters("a:x", log: log)
        _ = try list.open()
        _ = log.take()
        try list.update([letters("b:y")])
        #expect(
            log.take() == [
                "update b@0", "will b.0", "will b", "end a.0", "end a", "enter b", "exit a",
            ])
        // The same with the same object and another controller.
        try list.update([letters("b:y", type: "other")])
        #expect(
            log.take() == [
                "update b@0", "will b.0", "will b", "enter b", "end b.0", "end b", "exit b",
            ])
    }

    /// The calls of a delegate, with the objects' letters and the whole paths.
    private final class Exact: ListAdapterDelegate {
        var lines: [String] = []
        private func letters(_ object: ListObject) -> String { object.fields["items"]?.string ?? "" }
        func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath) {
            lines.append("will \(object.id):\(letters(object)) (\(path.section), \(path.item))")
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath) {
            lines.append("end \(object.id):\(letters(object)) (\(path.section), \(path.item))")
        }
        func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int) {
            lines.append("end \(object.id):\(letters(object)) @\(section)")
        }
        func take() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    @Test(
        "an object changes, loses an item and moves in one update → its end of display has the shown items and old paths",
        .rule("DH-11", "DH-12")
    )
    func endNamesThePast() throws {
        let (exact, log) = (Exact(), EventList())
        let list = try TestHost.letters("a:pq", "b:xyz", log: log)
        list.adapter.delegate = exact
        _ = try list.open()
        (_, _) = (exact.take(), log.take())
        // One item fewer, and one section in front gone: the old item 2 of the old section 1.
        try list.update([letters("b:uv")])
        #expect(
            exact.take().sorted() == ["end a:pq (0, 0)", "end a:pq (0, 1)", "end a:pq @0", "end b:xyz (1, 2)"])
        #expect(log.take().contains("end b.2"))
        // By a batch: item 1 is removed and a new one comes before it.
        let controller = try #require(list.controller("b"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["n", "u"]
            batch.deleteItems(at: [1])
            batch.insertItems(at: [0])
        })
        list.flush()
        #expect(exact.take() == ["will b:uv (0, 0)", "end b:uv (0, 1)"])
        #expect(log.take() == ["will b.0", "end b.1"])
    }

    // MARK: The working range counts sections

    @Test(
        "a range of sections with several items each → counted in sections, around all shown ones",
        .rule("WR-13", "WR-16", "WR-17")
    )
    func rangeInSections() throws {
        let log = EventList()
        let list = TestHost(
            try (0..<12).map { try letters("r\($0):wxyz") },
            provider: ScriptedProvider { _ in LetterController(log: log) }, configure: { $0.workingRange = 2 })
        _ = log.take()
        // 120 to 220: the sections 3, 4 and 5.
        _ = try list.open(y: 120)
        #expect(try list.adapter.viewDescription(1).workingRange == 1..<8)
        #expect(log.take().filter { $0.hasPrefix("enter") } == (1..<8).map { "enter r\($0)" })
        // Nothing is shown: every section exits, and none enters.
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 9000, width: 100, height: 100))
        #expect(try list.adapter.viewDescription(1).workingRange.isEmpty)
        let said = log.take().filter { $0.hasPrefix("enter") || $0.hasPrefix("exit") }
        #expect(said == (1..<8).map { "exit r\($0)" })
    }
}

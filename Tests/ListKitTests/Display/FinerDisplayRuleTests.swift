// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Special cases of IGListKit's display rules")
struct FinerDisplayRuleTests {
    /// Returns an element of the first section, for the display handler.
    private func element(_ list: TestHost, item: Int, kind: ElementKind = .cell) throws -> ViewElement {
        let known = list.adapter.presentation.store.map.handle(at: 0)
        let handle = try #require(known)
        return ViewElement(
            key: ElementKey(handle: handle, kind: kind, index: item), section: 0, frame: .zero, z: 0)
    }

    @Test(
        "didEndDisplaying is reported twice or without willDisplay → the controller gets at most one notification",
        .rule("DH-05", "DH-06", "DH-09"))
    func endsTwice() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xy", log: log)
        _ = log.drain()
        let (cell, header) = (try element(list, item: 0), try element(list, item: 0, kind: .header))
        func end(_ element: ViewElement) -> [String] {
            var step = DisplayStep()
            step.disappeared = [element]
            list.adapter.presentation.deliver(list.adapter.presentation.views.makeCalls(for: [step]))
            return log.drain()
        }
        func begin(_ element: ViewElement) -> [String] {
            var step = DisplayStep()
            step.appeared = [element]
            list.adapter.presentation.deliver(list.adapter.presentation.views.makeCalls(for: [step]))
            return log.drain()
        }
        #expect(end(cell).isEmpty && end(header).isEmpty)
        #expect(begin(cell) == ["will a.0", "will a"])
        #expect(end(cell) == ["end a.0", "end a"] && end(cell).isEmpty)
        #expect(begin(header) == ["will a"] && end(header) == ["end a"] && end(header).isEmpty)
        #expect(begin(cell) == ["will a.0", "will a"])
    }

    @Test(
        "a section takes the index of another section that is still displayed → the new section gets willDisplay",
        .rule("DH-07"))
    func samePlace() throws {
        let log = EventList()
        let list = try TestHost.letters("a:x", log: log)
        _ = try list.open()
        _ = log.drain()
        try list.update([letters("b:y")])
        #expect(
            log.drain() == [
                "update b@0", "will b.0", "will b", "end a.0", "end a", "enter b", "exit a",
            ])
        // The section keeps its identifier, but its new type has another controller.
        try list.update([letters("b:y", type: "other")])
        #expect(
            log.drain() == [
                "update b@0", "will b.0", "will b", "enter b", "end b.0", "end b", "exit b",
            ])
    }

    /// Records the calls of a delegate, with the objects' letters and complete index paths.
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
        func drain() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    @Test(
        "an object changes, loses an item and moves in one update → didEndDisplaying gets the former items and paths",
        .rule("DH-11", "DH-12")
    )
    func endNamesThePast() throws {
        let (exact, log) = (Exact(), EventList())
        let list = try TestHost.letters("a:pq", "b:xyz", log: log)
        list.adapter.delegate = exact
        _ = try list.open()
        (_, _) = (exact.drain(), log.drain())
        // Section 0 is removed, and section 1 loses its item 2.
        try list.update([letters("b:uv")])
        #expect(
            exact.drain().sorted() == ["end a:pq (0, 0)", "end a:pq (0, 1)", "end a:pq @0", "end b:xyz (1, 2)"])
        #expect(log.drain().contains("end b.2"))
        // A batch removes item 1 and inserts a new item before it.
        let controller = try #require(list.controller("b"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["n", "u"]
            batch.deleteItems(at: [1])
            batch.insertItems(at: [0])
        })
        list.flush()
        #expect(exact.drain() == ["will b:uv (0, 0)", "end b:uv (0, 1)"])
        #expect(log.drain() == ["will b.0", "end b.1"])
    }

    // MARK: Working range in sections

    @Test(
        "sections have several items each → the working range counts sections before and after the visible sections",
        .rule("WR-13", "WR-16", "WR-17")
    )
    func rangeInSections() throws {
        let log = EventList()
        let list = TestHost(
            try (0..<12).map { try letters("r\($0):wxyz") },
            provider: ScriptedProvider { _ in LetterController(log: log) }, configure: { $0.workingRange = 2 })
        _ = log.drain()
        // The viewport from 120 to 220 shows the sections 3, 4 and 5.
        _ = try list.open(y: 120)
        #expect(try list.adapter.viewDescription(1).workingRange == 1..<8)
        #expect(log.drain().filter { $0.hasPrefix("enter") } == (1..<8).map { "enter r\($0)" })
        // No section is visible: every section exits the range, and none enters.
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 9000, width: 100, height: 100))
        #expect(try list.adapter.viewDescription(1).workingRange.isEmpty)
        let events = log.drain().filter { $0.hasPrefix("enter") || $0.hasPrefix("exit") }
        #expect(events == (1..<8).map { "exit r\($0)" })
    }
}

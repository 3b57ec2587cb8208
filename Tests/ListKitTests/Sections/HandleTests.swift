// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Memory of sections that are no longer visible")
struct HandleTests {
    /// Returns the number of sections for which the adapter stores state.
    private func handleCount(_ adapter: ListAdapter) -> Int {
        let line = adapter.debugDescriptionLines.first { $0.hasSuffix(" sections with a handle") }
        return line?.split(separator: " ").dropLast(4).last.flatMap { Int($0) } ?? -1
    }

    private func scroll(_ list: TestHost, to y: Double) throws -> [AdapterEvent] {
        try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: 880)).effects
    }

    @Test("a long list is scrolled to its end and back → only visible sections and sections with own state use memory")
    func scrolling() throws {
        let count = 20_000
        let list = TestHost(try (0..<count).map { try ListObject(id: "o\($0)") }) { $0.workingRange = 2 }
        var screen = try list.open { $0.window = 1000 }
        _ = try list.adapter.selectItem(0, ofObject: "o1")
        list.adapter.sectionController(forID: "o2")?.context?.state = ["open": true]
        let measured = MeasuredSize(objectID: "o3", item: 0, size: Size(width: 100, height: 50))
        screen.receive(try list.adapter.reportSizes(view: 1, sizes: [measured]).effects)
        let steps = Array(stride(from: 0, through: Double(count - 20) * 44, by: Double(count) * 44 / 100))
        var most = 0
        for y in steps + steps.reversed() {
            screen.receive(try scroll(list, to: y))
            _ = try list.adapter.acknowledge(view: 1, sequence: screen.sequence)
            most = max(most, handleCount(list.adapter))
        }
        #expect(most > 1000 && most < 1200)
        try screen.expectEqualToResync(of: list.adapter)
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "o1", item: 0)])
        #expect(list.adapter.sectionController(forID: "o2")?.context?.state == ["open": true])
        #expect(screen.items.first { $0.objectID == "o3" }?.frame.size.height == 50)
    }

    @Test(
        "a view is stalled while another view scrolls far → the stalled view keeps its slots until its acknowledgement")
    func stalled() throws {
        let list = TestHost(try (0..<20_000).map { try ListObject(id: "o\($0)") })
        var (screen, other) = (try list.open { $0.window = 1 }, try list.open(2))
        let slots = screen.slots.mapValues(\.objectID)
        screen.receive(try scroll(list, to: 440_000))
        #expect(screen.isStalled)
        for y in stride(from: 0.0, to: 700_000, by: 4400) {
            let rect = Rect(x: 0, y: y, width: 100, height: 880)
            other.receive(try list.adapter.setViewport(view: 2, seen: 0, rect: rect).effects)
            _ = try list.adapter.acknowledge(view: 2, sequence: other.sequence)
        }
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100)).effects)
        screen.receive(try list.adapter.acknowledge(view: 1, sequence: screen.sequence))
        #expect(screen.slots.mapValues(\.objectID) == slots)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("sections have custom controllers → each controller lives as long as its object is in the list")
    func controllers() throws {
        let list = TestHost(
            try (0..<3000).map { try letters("o\($0):x") },
            provider: ScriptedProvider { _ in LetterController(log: EventList()) })
        let first = try #require(list.controller("o0"))
        _ = try list.open()
        for y in stride(from: 0.0, to: 30_000, by: 5000) { _ = try scroll(list, to: y) }
        #expect(handleCount(list.adapter) == 3000 && list.controller("o0") === first && first.section == 0)
        try list.update([letters("o0:x")])
        #expect(handleCount(list.adapter) == 1 && list.controller("o0") === first)
    }

    @Test("one or all objects change → the former content is deallocated", arguments: [1, 200])
    func changed(count: Int) throws {
        let list = try TestHost.letters("o0:x")
        weak let before = list.adapter.object(at: 0)?.storage.buffer
        #expect(before != nil)
        try list.update((0..<count).map { try letters("o\($0):y") })
        // The controller got the new object; the list must have released the old one too.
        #expect(before == nil && list.controller("o0")?.object?.fields["items"] == "y")
    }
}

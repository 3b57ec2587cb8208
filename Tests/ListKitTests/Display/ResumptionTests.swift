// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Resuming views in another engine")
struct ResumptionTests {
    /// Creates the state of a view from what its viewer knows.
    private func resumption(of screen: Screen, in list: TestHost, at rect: Rect, released: [SlotNumber: String] = [:])
        throws -> ViewState
    {
        let description = try list.adapter.viewDescription(screen.view)
        var resumption = ViewState(id: screen.view, options: ListViewOptions())
        resumption.options.buffer = 0
        resumption.viewport = rect
        resumption.sequence = screen.sequence
        resumption.acknowledgedSequence = description.acknowledgedSequence
        resumption.isStalled = description.state == .stalled
        resumption.contentSize = screen.contentSize
        resumption.shown = screen.items
        resumption.released = released.map { ViewState.ReleasedSlot(slot: $0.key, reuseIdentifier: $0.value) }
        return resumption
    }

    @Test(
        "a view is resumed with the same list → no change is sent, and sequence and slots continue",
        arguments: [nil, "listd/binding"])
    func same(controller: String?) throws {
        let rect = Rect(x: 0, y: 100, width: 100, height: 100)
        let names = controller.map { ["*": $0] } ?? [:]
        let objects = try (0..<30).map { number in
            let item: [Value: Value] = [
                .string("id"): .variant(.string("i")), .string("height"): .variant(.double(30)),
            ]
            return try ListObject(
                id: "o\(number)",
                fields: [
                    "n": .int64(Int64(number)),
                    "items": .array(element: "a{sv}", [.dictionary(key: "s", value: "v", item)]),
                ])
        }
        let old = TestHost(objects, names: names)
        var screen = try old.open()
        screen.receive(try old.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
        let new = TestHost(objects, names: names)
        let events = try new.adapter.resumeView(try resumption(of: screen, in: old, at: rect))
        #expect(!events.contains { if case .picture = $0 { true } else { false } })
        #expect(events.contains { if case .display = $0 { true } else { false } })
        try screen.expectEqualToResync(of: new.adapter)
        let next = Rect(x: 0, y: 160, width: 100, height: 100)
        screen.receive(try new.adapter.setViewport(view: 1, seen: screen.sequence, rect: next).effects)
        #expect(screen.sequence > 1)
        try screen.expectEqualToResync(of: new.adapter)
    }

    @Test("a list is resumed with a selection → no callback and no event, and only existing items are selected")
    func selection() throws {
        let log = EventList()
        let list = TestHost(
            [try ListObject(id: "a", fields: ["items": .string("xy")])],
            provider: ScriptedProvider { _ in LetterController(log: log) })
        let kept = SelectedItem(objectID: "a", item: 1)
        _ = list.adapter.takeEvents()
        _ = log.drain()
        list.adapter.resumeSelection([
            kept, SelectedItem(objectID: "a", item: 2), SelectedItem(objectID: "a", item: -1),
            SelectedItem(objectID: "b", item: 0),
        ])
        #expect(list.adapter.selectedItems == [kept])
        #expect(list.adapter.takeEvents().isEmpty && !log.drain().contains { $0.hasPrefix("select") })
        #expect(try list.adapter.deselectItem(1, ofObject: "a").deselected)
        #expect(list.adapter.selectedItems.isEmpty)
    }

    @Test("a view is handed over to another engine → the view continues from the state that the viewer knows")
    func left() throws {
        let old = TestHost(try ViewTests.ids(0..<100))
        var screen = try old.open()
        for (y, height) in [(200.0, 300.0), (440, 100)] {
            let rect = Rect(x: 0, y: y, width: 100, height: height)
            screen.receive(try old.adapter.setViewport(view: 1, seen: screen.sequence, rect: rect).effects)
        }
        let size = MeasuredSize(objectID: "o11", item: 0, size: Size(width: 100, height: 60))
        screen.receive(try old.adapter.reportSizes(view: 1, sizes: [size]).effects)
        let left = try old.adapter.viewState(of: 1)
        #expect(left.sequence == screen.sequence)
        #expect(Set(left.shown) == Set(screen.items))
        #expect(left.contentSize == screen.contentSize)
        #expect(left.measured == [size])
        // When the viewport shrank, slots were released, which the viewer keeps for reuse.
        #expect(!left.released.isEmpty)
        #expect(Set(left.released.map(\.slot)).isDisjoint(with: screen.slots.keys))
        let new = TestHost(try ViewTests.ids(3..<90))
        screen.receive(try new.adapter.resumeView(left))
        try screen.expectEqualToResync(of: new.adapter)
        #expect(throws: ListError.self) { try old.adapter.viewState(of: 2) }
    }

    @Test(
        "a view with released slots is resumed with another list → only the difference is sent, and slots are reused")
    func different() throws {
        let rect = Rect(x: 0, y: 0, width: 100, height: 200)
        let old = TestHost(try ViewTests.ids(0..<10))
        var screen = try old.open()
        let shown = Set(screen.slots.keys)
        let new = TestHost(try ViewTests.ids(2..<12))
        let free = (shown.max() ?? 0) + 5
        let resumed = try resumption(of: screen, in: old, at: rect, released: [free: "single"])
        screen.receive(try new.adapter.resumeView(resumed))
        #expect(screen.items.first?.objectID == "o2")
        // The released slot is reused before a new slot is created.
        #expect(Set(screen.slots.keys).contains(free))
        #expect(screen.slots.keys.allSatisfy { shown.contains($0) || $0 >= free })
        try screen.expectEqualToResync(of: new.adapter)
    }

    @Test(
        "a view is resumed without credit → no change until an acknowledgement, then one change to the current state")
    func stalled() throws {
        let old = TestHost(try ViewTests.ids(0..<100))
        var screen = try old.open { $0.window = 1 }
        let rect = Rect(x: 0, y: 880, width: 100, height: 100)
        screen.receive(try old.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
        #expect(screen.isStalled)
        let new = TestHost(try ViewTests.ids(0..<100))
        var resumed = try resumption(of: screen, in: old, at: rect)
        resumed.options.window = 1
        #expect(!(try new.adapter.resumeView(resumed)).contains { if case .picture = $0 { true } else { false } })
        #expect(try new.adapter.viewDescription(1).state == .stalled)
        screen.receive(try new.adapter.acknowledge(view: 1, sequence: screen.sequence))
        #expect(!screen.isStalled)
        try screen.expectEqualToResync(of: new.adapter)
    }

    @Test("a view is resumed with random lists → the viewer's screen equals a resync", arguments: 0..<8)
    func random(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed) + 5)
        for _ in 0..<20 {
            func objects() throws -> [ListObject] {
                try (0..<40).shuffled(using: &random).prefix(30).map { number in
                    try ListObject(
                        id: "o\(number)", type: number % 3 == 0 ? "card" : "row",
                        fields: ["n": .int64(Int64.random(in: 0...2, using: &random))])
                }
            }
            let old = TestHost(try objects())
            var screen = try old.open()
            var released: [SlotNumber: String] = [:]
            for _ in 0..<5 {
                let before = screen.slots
                let rect = Rect(x: 0, y: Double(Int.random(in: 0...1200, using: &random)), width: 100, height: 200)
                screen.receive(try old.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
                for (slot, item) in before where screen.slots[slot] == nil { released[slot] = item.reuseIdentifier }
                for slot in screen.slots.keys { released[slot] = nil }
            }
            let rect = Rect(origin: screen.offset, size: Size(width: 100, height: 200))
            let new = TestHost(try objects())
            screen.receive(
                try new.adapter.resumeView(try resumption(of: screen, in: old, at: rect, released: released)))
            try screen.expectEqualToResync(of: new.adapter)
            #expect(new.adapter.openViews == [1])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Views that are not on the screen")
struct OnScreenTests {
    private func list() throws -> TestHost {
        let list = TestHost(try ViewTests.ids(0..<5)) {
            $0.coalescing = ListOptions.Coalescing(
                minimum: 10, maximum: 500, increment: 10, usesMaximumWhenNotVisible: true)
        }
        list.now = 10_000
        return list
    }

    private func timing(_ list: TestHost) throws -> FlushTiming {
        list.enqueue(.patchObject(id: "o1", set: ["n": .int64(Int64(list.now))], unset: []))
        defer {
            list.flush()
            list.now += 10_000
        }
        return list.adapter.flushTiming
    }

    @Test(
        "all views of a list are off the screen → updates wait for the maximum interval")
    func waiting() throws {
        let list = try list()
        #expect(try timing(list) == .now)
        _ = try list.open(1)
        _ = try list.open(2)
        _ = try list.adapter.setVisible(false, view: 1)
        #expect(try timing(list) == .now)
        _ = try list.adapter.setVisible(false, view: 2)
        #expect(try timing(list) == .at(list.now - 10_000 + 500))
        _ = try list.adapter.setVisible(true, view: 1)
        #expect(try timing(list) == .now)
        _ = try list.adapter.setVisible(false, view: 1)
        _ = (try list.adapter.closeView(1), try list.adapter.closeView(2))
        #expect(try timing(list) == .now)
        #expect(throws: ListError.self) { try list.adapter.setVisible(false, view: 1) }
    }

    /// A section of letters that records when it is asked for a size.
    private final class Measured: LetterController {
        override func sizeForItem(at index: Int) -> Size {
            log.record("size")
            return super.sizeForItem(at: index)
        }
    }

    private func objects(_ numbers: [Int]) throws -> [ListObject] {
        try numbers.map { try ListObject(id: "o\($0)", fields: ["items": "x"]) }
    }

    private func pictures(_ events: [AdapterEvent]) -> Int {
        events.reduce(0) { if case .picture = $1 { $0 + 1 } else { $0 } }
    }

    @Test(
        "a view has no viewport or is off the screen → no update lays it out; on the screen it gets one change, and stays",
        .rule("VW-24"))
    func asleep() throws {
        let log = EventList()
        let list = TestHost(try objects(Array(10..<40)), provider: ScriptedProvider { _ in Measured(log: log) })
        var screen = Screen(view: 1)
        try list.adapter.openView(1, options: ListViewOptions())
        try list.update(try objects(Array(10..<41)))
        #expect(!log.drain().contains("size"))
        let rect = Rect(x: 0, y: 105, width: 100, height: 50)
        screen.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
        #expect(log.drain().contains("size"))
        func place(of id: String) -> Double? {
            screen.items.first { $0.objectID == id }.map { $0.frame.minY - screen.offset.y }
        }
        #expect(place(of: "o20") == -5)
        let before = try list.adapter.viewDescription(1)
        screen.receive(try list.adapter.setVisible(false, view: 1))
        _ = list.takeEvents()
        for count in 1...3 {
            let numbers = (10 - 3 * count..<41 + count).filter { $0 != 21 || count < 3 }
            try list.update(try objects(numbers))
            #expect(pictures(list.events) == 0)
        }
        #expect(!log.drain().contains("size"))
        // What is gone is displayed no longer, and nothing else has changed for the viewer.
        var ended: [String] = []
        for case .display(let change) in list.takeEvents() { ended += change.didEndDisplaying.map(\.objectID) }
        #expect(ended == ["o21"])
        let asleep = try list.adapter.viewDescription(1)
        #expect(asleep.viewport == before.viewport && asleep.contentSize == before.contentSize)
        #expect(asleep.visibleObjects == before.visibleObjects.filter { $0 != "o21" })
        let events = try list.adapter.setVisible(true, view: 1)
        #expect(pictures(events) == 1)
        screen.receive(events)
        #expect(place(of: "o20") == -5)
        try screen.expectEqualToResync(of: list.adapter)
        #expect(try list.adapter.setVisible(true, view: 1).isEmpty)
    }

    @Test("the owner calls a view that is off the screen → the view is laid out for the call", .rule("VW-24"))
    func calls() throws {
        let list = TestHost(try ViewTests.ids(0..<100))
        var screen = try list.open(1)
        _ = list.takeEvents()
        func sleep() throws {
            screen.receive(try list.adapter.setVisible(false, view: 1))
            let text = Value.string("\(list.adapter.revision)")
            try list.perform(
                .applyChanges(
                    removed: [],
                    upserts: [
                        .init(try ListObject(id: "new", fields: ["height": 7.0, "text": text]), position: .first)
                    ]))
            #expect(pictures(list.takeEvents()) == 0)
        }
        try sleep()
        screen.receive(try list.adapter.scrollTo(view: 1, object: "o50", item: 0, position: .start).reply.effects)
        #expect(screen.items.contains { $0.objectID == "o50" })
        try screen.expectEqualToResync(of: list.adapter)
        try sleep()
        #expect(throws: ListError.self) {
            try list.adapter.scrollTo(view: 1, object: "none", item: 0, position: .start)
        }
        screen.receive(try list.adapter.setVisible(true, view: 1))
        try screen.expectEqualToResync(of: list.adapter)
        try sleep()
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 70, height: 50)).effects)
        #expect(screen.items.first?.objectID == "new")
        try screen.expectEqualToResync(of: list.adapter)
        try sleep()
        let size = MeasuredSize(objectID: "new", item: 0, size: Size(width: 70, height: 33))
        screen.receive(try list.adapter.reportSizes(view: 1, sizes: [size]).effects)
        #expect(screen.items.first { $0.objectID == "new" }?.frame.size.height == 33)
        try screen.expectEqualToResync(of: list.adapter)
        try sleep()
        #expect(
            try list.adapter.resync(view: 1).items.first?.content["text"] == .string("\(list.adapter.revision - 1)"))
    }

    @Test("a stalled view gets credit while it is off the screen → its change comes when it is on the screen")
    func stalled() throws {
        let list = TestHost(try ViewTests.ids(0..<100))
        var options = ListViewOptions()
        options.window = 1
        try list.adapter.openView(1, options: options)
        var screen = Screen(view: 1)
        let rect = Rect(x: 0, y: 0, width: 100, height: 50)
        screen.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
        _ = list.takeEvents()
        try list.perform(.patchObject(id: "o1", set: ["n": 11], unset: []))
        screen.receive(list.takeEvents())
        #expect(screen.isStalled)
        screen.receive(try list.adapter.setVisible(false, view: 1))
        try list.perform(.patchObject(id: "o1", set: ["n": 12], unset: []))
        screen.receive(list.takeEvents())
        let late = try list.adapter.acknowledge(view: 1, sequence: screen.sequence)
        #expect(late.isEmpty)
        screen.receive(try list.adapter.setVisible(true, view: 1))
        #expect(!screen.isStalled && screen.items[1].content["n"] == 12)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a view that is off the screen is resumed in another engine → it is still off the screen")
    func resumed() throws {
        let old = try list()
        _ = try old.open(1)
        _ = try old.adapter.setVisible(false, view: 1)
        let new = try list()
        _ = try new.adapter.resumeView(try old.adapter.viewState(of: 1))
        #expect(try timing(new) == .at(new.now - 10_000 + 500))
    }
}

// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Testing

/// A section controller whose item shows the number of timer callbacks.
private final class Ticking: ListSectionController {
    private var ticks = 0
    private var timer: ListTimer?

    override func didUpdate(to object: ListObject) {
        timer?.cancel()
        let interval = Duration.milliseconds(object.fields["interval"]?.int ?? 0)
        let tick = { [unowned self] in self.tick() }
        timer = object.fields["once"]?.bool == true ? context?.after(interval, tick) : context?.every(interval, tick)
    }

    func tick() {
        context?.performBatch(updates: { batch in
            self.ticks += 1
            batch.reloadItems(at: [0])
        })
    }

    override func item(at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "ticks", content: ["ticks": .int64(Int64(ticks))])
    }
}

@Suite("Timers and threads in section controllers")
struct SectionTimerTests {
    private func list(_ objects: [ListObject]) throws -> TestList {
        let list = try TestList { Ticking() }
        try list.update(objects)
        return list
    }

    private func object(_ id: String, every interval: Int64, once: Bool = false) throws -> ListObject {
        try ListObject(id: id, fields: ["interval": .int64(interval), "once": .boolean(once)])
    }

    private func ticks(_ list: TestList, _ id: String = "a") -> Int? { list.items(of: id).first?.content["ticks"]?.int }

    @Test("a callback has a delay → it is called once, and not earlier")
    func once() throws {
        let list = try list([object("a", every: 100, once: true)])
        list.advance(by: .milliseconds(99))
        #expect(ticks(list) == 0)
        list.advance(by: .milliseconds(1))
        #expect(ticks(list) == 1)
        list.advance(by: .seconds(10))
        #expect(ticks(list) == 1)
    }

    @Test("a callback at intervals changes an item → each call announces the item")
    func repeated() throws {
        let list = try list([object("a", every: 250)])
        list.events = []
        list.advance(by: .seconds(1))
        #expect(ticks(list) == 4)
        let updates = list.events.filter { if case .updated = $0 { true } else { false } }
        #expect(updates.count == 4)
    }

    @Test("an interval is zero → one millisecond replaces it")
    func noInterval() throws {
        let list = try list([object("a", every: 0)])
        list.advance(by: .milliseconds(10))
        #expect(ticks(list) == 10)
    }

    @Test("an update cancels a timer → the timer's callback is no longer called")
    func cancelled() throws {
        let list = try list([object("a", every: 10)])
        list.advance(by: .milliseconds(20))
        try list.update([object("a", every: 1000)])
        list.advance(by: .milliseconds(500))
        #expect(ticks(list) == 2)
    }

    @Test("a section leaves the list → its timers end, and timers of other sections continue")
    func gone() throws {
        let list = try list([object("a", every: 10), object("b", every: 10)])
        let controller = try #require(list.sectionController(of: "a") as? Ticking)
        list.advance(by: .milliseconds(20))
        try list.update([object("b", every: 10)])
        list.advance(by: .milliseconds(20))
        #expect(ticks(list, "b") == 4)
        #expect(controller.item(at: 0).content["ticks"] == 2)
        #expect(list.faults.isEmpty)
    }

    @Test("a section controller works on another thread → it gets the result on the list's executor")
    func reference() async throws {
        let list = try list([object("a", every: 1_000_000)])
        let reference = ListSectionControllerReference(try #require(list.sectionController(of: "a") as? Ticking))
        await Task.detached { reference.perform { $0.tick() } }.value
        #expect(ticks(list) == 0)
        list.advance(by: .zero)
        #expect(ticks(list) == 1)
        await Task.detached { reference.perform { $0.tick() } }.value
        try list.update([])
        list.advance(by: .zero)
        #expect(list.faults.isEmpty)
    }
}

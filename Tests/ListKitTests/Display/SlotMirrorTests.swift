// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("SlotMirror: the items on the screen by slot")
struct SlotMirrorTests {
    private static func adapter(_ configure: (inout ListOptions) -> Void = { _ in }) -> ListAdapter {
        var configuration = ListOptions(name: "test")
        configure(&configuration)
        return ListAdapter(
            configuration: configuration,
            controllers: BuiltInSectionControllerProvider(names: ["binding": "listd/binding"]))
    }

    private static func expectEqual(_ mirror: SlotMirror, _ picture: Picture) {
        #expect(mirror.sequence == picture.sequence)
        #expect(mirror.contentSize == picture.contentSize || mirror.sequence == 0)
        #expect(mirror.items == picture.items)
        #expect(mirror.slots.allSatisfy { $0.key == $0.value.slot })
    }

    @Test(
        "random updates and scrolls without acknowledgements → the mirror always equals a resync", .rule("VW-02"),
        arguments: 0..<12)
    func random(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &* 7919 &+ 1)
        let adapter = Self.adapter {
            $0.layout = [.flow, .none, .absolute][seed % 3]
            $0.emptyContent = ["text": "nothing"]
        }
        try adapter.openView(1)
        var mirror = SlotMirror(view: 1)
        for step in 0..<100 {
            if source.random.chance(oneIn: 3) {
                let first = Int.random(in: 0..<12, using: &source.random)
                let effects =
                    if adapter.configuration.layout == .none {
                        try adapter.setVisibleRange(
                            view: 1, first: IndexPath(section: first, item: 0),
                            last: IndexPath(section: first + 6, item: 2)
                        ).effects
                    } else {
                        try adapter.setViewport(
                            view: 1, seen: 0, rect: Rect(x: 0, y: Double(first) * 20, width: 200, height: 150)
                        ).effects
                    }
                mirror.apply(effects)
            } else {
                adapter.enqueue(UpdateRequest(id: UInt64(step), operation: try source.operation()), now: 0)
                for result in adapter.flushNow() { mirror.apply(result.events) }
            }
            mirror.apply(adapter.takeEvents())
            // A resync of an up-to-date view changes nothing, so the mirror need not apply it.
            Self.expectEqual(mirror, try adapter.resync(view: 1))
        }
        #expect(mirror.sequence > 20)
    }

    @Test("a change is outdated or of another view → the mirror ignores it")
    func ignored() throws {
        let adapter = Self.adapter()
        adapter.performUpdates([try ListObject(id: "a")])
        adapter.flushNow()
        try adapter.openView(1)
        try adapter.openView(2)
        let rect = Rect(x: 0, y: 0, width: 100, height: 100)
        let first = try adapter.setViewport(view: 1, seen: 0, rect: rect).effects
        let second = try adapter.setViewport(view: 2, seen: 0, rect: rect).effects
        var mirror = SlotMirror(view: 2)
        #expect(mirror.apply(first) == .ignored)
        #expect(mirror.items.isEmpty)
        #expect(mirror.apply(first + second) == .applied)
        let shown = mirror
        #expect(mirror.apply(second) == .ignored)
        #expect(mirror == shown)
        #expect(mirror.slots[1]?.objectID == "a")
    }

    @Test("a change is missing → a gap is reported, and the mirror is unchanged until a resync")
    func gap() throws {
        let adapter = Self.adapter()
        try adapter.openView(1)
        var mirror = SlotMirror(view: 1)
        mirror.apply(try adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100)).effects)
        func update(_ ids: String...) throws -> [AdapterEvent] {
            adapter.performUpdates(try ids.map { try ListObject(id: $0) })
            return adapter.flushNow().flatMap(\.events)
        }
        mirror.apply(try update("a"))
        let before = mirror
        _ = try update("a", "b")
        #expect(mirror.apply(try update("a", "b", "c")) == .gap)
        #expect(mirror == before)
        mirror.replace(with: try adapter.resync(view: 1))
        #expect(mirror.items.map(\.objectID) == ["a", "b", "c"])
        #expect(mirror.apply(try update("c")) == .applied)
        Self.expectEqual(mirror, try adapter.resync(view: 1))
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("What a client that draws is told")
struct DrawingTests {
    private func names(_ range: Range<Int>, reuse: String = "row") throws -> [ListObject] {
        try range.map { try ListObject(id: "o\($0)", fields: ["height": 20, "reuse": .string(reuse)]) }
    }

    /// The changes of view 1 among some events.
    private func changes(_ events: [AdapterEvent]) -> [PictureChange] {
        events.compactMap { if case .picture(let change) = $0 { change } else { nil } }
    }

    /// The causes of a change, by the ids of the objects that the slots show after or before it.
    private func causes(_ change: PictureChange, _ mirror: SlotMirror) -> [String] {
        let shown = Dictionary(change.shown.map { ($0.slot, $0.objectID) }) { $1 }
        var released = Set(change.released)
        return change.causes.map { cause in
            if released.remove(cause.slot) != nil {
                return "-\(mirror.slots[cause.slot]?.objectID ?? "") \(cause.reason)"
            }
            if let id = shown[cause.slot] { return "+\(id) \(cause.reason)" }
            return "\(mirror.slots[cause.slot]?.objectID ?? "") \(cause.reason)"
        }
    }

    @Test(
        "an object is inserted, removed, moved and reloaded at the start of a list → each slot has its reason",
        .rule("VW-25"))
    func reasons() throws {
        let list = TestHost(try names(0..<10))
        var mirror = SlotMirror(view: 1)
        _ = try list.open()
        mirror.apply(list.takeEvents())
        func step(_ operation: UpdateRequest.Operation, animated: Bool = true) throws -> [String] {
            list.enqueue(operation, animated: animated)
            let change = try #require(changes(list.flush().events).first)
            #expect(change.isAnimated == animated)
            defer { mirror.apply(change) }
            return causes(change, mirror)
        }
        let new = try ListObject(id: "new", fields: ["height": 20, "reuse": "row"])
        #expect(
            try step(.applyChanges(removed: [], upserts: [.init(new, position: .first)])) == [
                "-o4 moved", "+new inserted", "o0 moved", "o1 moved", "o2 moved", "o3 moved",
            ])
        #expect(
            try step(.applyChanges(removed: ["o0"], upserts: []), animated: false) == [
                "-o0 deleted", "+o4 moved", "o1 moved", "o2 moved", "o3 moved",
            ])
        #expect(
            try step(.moveObject(id: "o9", position: .first)) == [
                "-o4 moved", "+o9 moved", "new moved", "o1 moved", "o2 moved", "o3 moved",
            ])
        #expect(
            try step(.patchObject(id: "o1", set: ["reuse": "other"], unset: [])) == ["-o1 reloaded", "+o1 reloaded"])
        // Content alone has no cause.
        #expect(try step(.patchObject(id: "o1", set: ["text": "x"], unset: [])).isEmpty)
    }

    @Test(
        "a view scrolls, and the updates since are out of its sight → no cause, and nothing is animated", .rule("VW-25")
    )
    func scrolled() throws {
        let list = TestHost(try names(0..<50))
        _ = try list.open(y: 500)
        let reply = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 540, width: 100, height: 100))
        let change = try #require(changes(reply.effects).first)
        #expect(!change.shown.isEmpty && change.causes.isEmpty && change.isAnimated == nil && change.shift == .zero)
    }

    @Test("updates wait for credit → the one change has the reasons against the picture before", .rule("VW-25"))
    func merged() throws {
        let list = TestHost(try names(0..<50))
        var mirror = SlotMirror(view: 1)
        _ = try list.open { $0.window = 1 }
        mirror.apply(list.takeEvents())
        let new = try ListObject(id: "new", fields: ["height": 20, "reuse": "row"])
        try list.perform(.applyChanges(removed: ["o1"], upserts: []))
        try list.perform(.applyChanges(removed: [], upserts: [.init(new, position: .after("o30"))]), animated: false)
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 580, width: 100, height: 100))
        #expect(changes(list.takeEvents()).isEmpty)
        let change = try #require(changes(try list.adapter.acknowledge(view: 1, sequence: 1)).first)
        #expect(change.isAnimated == false)
        // The two updates cancel out for what is behind the new object, so it only scrolled. It takes slots that the
        // updates released, which therefore have a second entry.
        #expect(
            causes(change, mirror) == [
                "-o1 deleted", "-o2 moved", "-o3 moved", "-o4 moved", "+o30 moved", "+new inserted", "+o31 scrolled",
                "+o32 scrolled",
            ])
    }

    @Test(
        "a large change is split → each part has the causes of its own slots, and the first the shift", .rule("VW-25"))
    func parts() throws {
        let list = TestHost(try names(0..<200))
        _ = try list.open(y: 1000) { $0.buffer = 0 }
        let events = try list.update(names(-30..<0) + names(60..<200)).events
        let whole = try #require(changes(events).first)
        let pieces = whole.split(maximumBytes: 300)
        #expect(pieces.count > 2 && pieces.allSatisfy { $0.isAnimated == true })
        #expect(pieces.flatMap(\.causes).count == whole.causes.count)
        for piece in pieces {
            let slots = Set(piece.released + piece.shown.map(\.slot) + piece.placed.map(\.slot))
            #expect(piece.causes.allSatisfy { slots.contains($0.slot) })
        }
        #expect(pieces.dropFirst().allSatisfy { $0.shift == .zero } && pieces[0].shift == whole.shift)
    }

    @Test(
        "the list scrolls a view while its viewer scrolls by itself → the shifts lead to the same place", .rule("VW-26")
    )
    func shifts() throws {
        let list = TestHost(try names(0..<100))
        var mirror = SlotMirror(view: 1)
        _ = try list.open(y: 500)
        mirror.apply(list.takeEvents())
        var own = 500.0
        try list.update(names(-5..<100))
        // The viewer moves by 30 without having seen the insert.
        own += 30
        list.receive(
            try list.adapter.setViewport(
                view: 1, seen: mirror.sequence, rect: Rect(x: 0, y: own + mirror.shift.y, width: 100, height: 100)))
        let reply = try list.adapter.scrollTo(view: 1, object: "o90", item: 0, position: .start).reply
        list.receive(reply)
        own += 7
        list.receive(
            try list.adapter.setViewport(
                view: 1, seen: mirror.sequence, rect: Rect(x: 0, y: own + mirror.shift.y, width: 100, height: 100)))
        mirror.apply(list.takeEvents())
        let viewport = try list.adapter.viewDescription(1).viewport
        // A scroll-to that the viewer has not seen is not undone.
        #expect(viewport.minY == 1900 && own + mirror.shift.y == 1900 && mirror.offset.y == 1900)
        let picture = try list.adapter.resync(view: 1)
        #expect(picture.shift == .zero)
    }

    @Test("a view opens at an object → the shift is measured from the viewport that was asked for", .rule("VW-26"))
    func opening() throws {
        let list = TestHost(try names(0..<100))
        _ = try list.open(y: 40) {
            $0.opening = ListViewOpening(objectID: "o50", position: .start)
        }
        #expect(changes(list.takeEvents()).map(\.shift) == [Point(x: 0, y: 960)])
    }

    @Test("a viewer misses a shift and reads the whole picture → the picture has the shift", .rule("VW-26"))
    func resync() throws {
        let list = TestHost(try names(0..<100))
        _ = try list.open(y: 500) { $0.window = 1 }
        try list.update(names(-5..<100))
        try list.update(names(-6..<100))
        #expect(try list.adapter.resync(view: 1).shift == Point(x: 0, y: 120))
        #expect(try list.adapter.resync(view: 1).shift == .zero)
    }

    /// An object with tiles of the width 50, which break lines.
    private func tiles(_ id: String, _ count: Int) throws -> ListObject {
        let items = (0..<count).map { Value(["id": .string("i\($0)"), "width": 50.0, "height": 20.0]) }
        return try ListObject(id: id, type: "tiles", fields: ["items": .array(element: "a{sv}", items)])
    }

    @Test("a view becomes wider and narrower → the first visible item keeps its place", .rule("VW-27"))
    func resized() throws {
        let list = TestHost(
            try (0..<10).map { try tiles("t\($0)", 40) }, names: ["tiles": "listd/binding"])
        var screen = try list.open(y: 410)
        // Each section is 400 high, so item 2 of section 1 is the first one, 10 above the edge.
        func place(_ screen: Screen) -> Double? {
            screen.items.first { $0.objectID == "t1" && $0.item == 0 }.map { $0.frame.minY - screen.offset.y }
        }
        #expect(place(screen) == -10)
        for (width, offset) in [(200.0, 210.0), (50, 810), (100, 410)] {
            let rect = Rect(x: 0, y: screen.offset.y, width: width, height: 100)
            screen.receive(try list.adapter.setViewport(view: 1, seen: screen.sequence, rect: rect).effects)
            #expect(screen.offset.y == offset && place(screen) == -10)
        }
        // At the start, and without anchors, the offset stays.
        var plain = try list.open(2, y: 410) { $0.isAnchored = false }
        plain.receive(
            try list.adapter.setViewport(view: 2, seen: 0, rect: Rect(x: 0, y: 410, width: 200, height: 100)).effects)
        #expect(plain.offset.y == 410)
    }

    @Test("a sticky header at every offset → the viewer's own place for it is the list's", .rule("VW-28"))
    func sticky() throws {
        let header = Value(["height": 12.0])
        func section(_ id: String, _ count: Int) throws -> ListObject {
            let items = (0..<count).map { Value(["id": .string("i\($0)"), "height": 20.0]) }
            return try ListObject(
                id: id, type: "tiles", fields: ["items": .array(element: "a{sv}", items), "header": header])
        }
        let list = TestHost(
            try (0..<5).map { try section("s\($0)", 3) }, names: ["tiles": "listd/binding"]
        ) {
            $0.stickyHeaders = true
            $0.topContentInset = 4
        }
        var mirror = SlotMirror(view: 1)
        _ = try list.open { $0.buffer = 1000 }
        mirror.apply(list.takeEvents())
        #expect(mirror.stickyEdge == 4 && mirror.sticky.count == 5)
        let before = mirror
        for y in stride(from: -10.0, through: 400, by: 7) {
            mirror.apply(
                try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: 100)).effects)
            for item in mirror.items {
                #expect(before.frame(of: item, at: Point(x: 0, y: y)) == item.frame)
            }
        }
        // A section that grows changes the way of its header, which is sent although the header stays.
        _ = list.takeEvents()
        list.enqueue(.applyChanges(removed: [], upserts: [.init(try section("s0", 4))]))
        let change = try #require(changes(list.flush().events).first)
        mirror.apply(change)
        let picture = try list.adapter.resync(view: 1)
        #expect(Set(picture.sticky) == Set(mirror.sticky.values) && picture.stickyEdge == 4)
    }

    @Test("items are fetched ahead → they are in slots, but not displayed, near the end or in range", .rule("VW-29"))
    func prefetched() throws {
        let list = TestHost(try names(0..<100)) {
            $0.nearEndDistance = 100
            $0.workingRange = 1
        }
        var screen = try list.open(y: 400) { $0.prefetch = 200 }
        #expect(screen.items.map(\.section) == Array(10..<35))
        let description = try list.adapter.viewDescription(1)
        #expect(description.visibleObjects == (20..<25).map { "o\($0)" } && description.workingRange == 19..<26)
        var displayed: [String] = []
        for case .display(let change) in list.takeEvents() { displayed += change.willDisplay.map(\.objectID) }
        #expect(displayed == (20..<25).map { "o\($0)" })
        // An object that is only fetched ahead is changed.
        list.enqueue(.patchObject(id: "o30", set: ["text": "new"], unset: []))
        screen.receive(list.flush().events)
        #expect(screen.items.first { $0.objectID == "o30" }?.content["text"] == "new")
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("tiles around a viewport → buffer and prefetch count on all four sides", .rule("VW-29"))
    func around() throws {
        let objects = try (0..<100).map { number in
            try ListObject(
                id: "o\(number)",
                fields: [
                    "x": .double(Double(number % 10) * 100), "y": .double(Double(number / 10) * 100), "width": 100,
                    "height": 100,
                ])
        }
        let list = TestHost(objects) { $0.layout = .absolute }
        var options = ListViewOptions()
        (options.buffer, options.prefetch) = (50, 150)
        try list.adapter.openView(1, options: options)
        var screen = Screen(view: 1)
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 400, y: 400, width: 100, height: 100)).effects)
        #expect(Set(screen.items.map { $0.section % 10 }) == Set(2...6))
        #expect(Set(screen.items.map { $0.section / 10 }) == Set(2...6))
        #expect(try list.adapter.viewDescription(1).visibleObjects.count == 9)
    }

    @Test("a list is reloaded while objects come and go → what is visible keeps its place", .rule("VW-31"))
    func reload() throws {
        let list = TestHost(try names(0..<100)) { $0.updater = .reload }
        var screen = try list.open(y: 500)
        screen.receive(try list.update(names(-5..<100)).events)
        #expect(screen.offset.y == 600 && screen.items.first?.objectID == "o25")
        list.enqueue(.applyChanges(removed: (0..<10).map { "o\($0)" } + ["o25"], upserts: []))
        list.enqueue(.reloadData)
        screen.receive(list.flush().events)
        // The first visible item is gone, so the next one keeps its place.
        #expect(screen.offset.y == 380 && screen.items.contains { $0.objectID == "o26" && $0.frame.minY == 400 })
        var plain = try list.open(2, y: 300) { $0.isAnchored = false }
        list.enqueue(.reloadData)
        plain.receive(try list.update(names(40..<100)).events)
        #expect(plain.offset.y == 300)
    }

    @Test("a range refers to a revision → both ends follow the updates since then", .rule("VW-30"))
    func revisions() throws {
        let list = TestHost(try names(0..<100))
        try list.update(names(1..<100))
        try list.update(names(2..<100))
        var options = ListViewOptions()
        (options.layout, options.rangeAt) = (ListLayoutKind.none, .revision)
        try list.adapter.openView(1, options: options)
        let revision = list.adapter.revision
        try list.update(names(-5..<100))
        var screen = Screen(view: 1)
        func show(_ seen: UInt64, _ first: Int, _ last: Int) throws -> [String] {
            let reply = try list.adapter.setVisibleRange(
                view: 1, seen: seen, first: IndexPath(section: first, item: 0), last: IndexPath(section: last, item: 0))
            screen.receive(reply.effects)
            return screen.items.map(\.objectID)
        }
        #expect(try show(revision, 10, 12) == ["o12", "o13", "o14"])
        #expect(try show(0, 10, 12) == ["o5", "o6", "o7"])
        #expect(try show(revision + 9, 10, 12) == ["o5", "o6", "o7"])
        #expect { try show(1, 10, 12) } throws: { ($0 as? ListError)?.code == .revisionGone }
    }

    @Test(
        "a presenter gets the transactions that a viewer missed → each object is found", .rule("VW-30"),
        arguments: 0..<12)
    func missed(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &* 7 &+ 3)
        let list = TestHost(try source.ids.map { try source.object($0) }, names: ["binding": "listd/binding"])
        let before = list.ids
        var always = Set(before)
        for _ in 0..<12 {
            var operation = try source.operation()
            while case .reloadData = operation { operation = try source.operation() }
            list.enqueue(operation)
            list.flush()
            always.formIntersection(list.ids)
        }
        let missed = list.takeEvents().compactMap {
            if case .updated(let transaction) = $0 { transaction } else { nil }
        }
        let paths = PathForwarding(of: missed) { list.adapter.itemCount(inSection: $0) ?? 0 }
        for (old, id) in before.enumerated() where always.contains(id) {
            #expect((paths.map { $0.sections(old) } ?? old) == list.ids.firstIndex(of: id))
        }
    }

    @Test("a view with large sections gets another width → its rows break as in a new view", .rule("VW-27"))
    func widths() throws {
        let objects = try [
            tiles("a", 300), ListObject(id: "row", fields: ["height": 30]), tiles("b", 7), tiles("c", 150),
        ]
        let list = TestHost(objects, names: ["tiles": "listd/binding"])
        _ = try list.open { $0.buffer = 10_000 }
        for width in [230.0, 75, 100, 50, 400] {
            let rect = Rect(x: 0, y: 0, width: width, height: 100)
            _ = try list.adapter.setViewport(view: 1, seen: 0, rect: rect)
            let fresh = TestHost(objects, names: ["tiles": "listd/binding"])
            var options = ListViewOptions()
            options.buffer = 10_000
            try fresh.adapter.openView(1, options: options)
            _ = try fresh.adapter.setViewport(view: 1, seen: 0, rect: rect)
            func frames(_ list: TestHost) throws -> [Rect] { try list.adapter.resync(view: 1).items.map(\.frame) }
            #expect(try frames(list) == frames(fresh), "width \(width)")
            #expect(try list.adapter.viewDescription(1).contentSize == fresh.adapter.viewDescription(1).contentSize)
        }
    }
}

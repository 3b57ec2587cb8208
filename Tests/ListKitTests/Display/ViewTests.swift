// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Views: sequences, credit and slots")
struct ViewTests {
    static func ids(_ range: Range<Int>) throws -> [ListObject] {
        try range.map { try ListObject(id: "o\($0)", fields: ["n": .int64(Int64($0))]) }
    }

    @Test(
        "a viewport would show more bytes than the view may show in addition → limitsExceeded, and the view stays as it is",
        .rule("LD-06"), arguments: [ListLayoutKind.flow, .none])
    func growth(layout: ListLayoutKind) throws {
        let text = Value.string(String(repeating: "x", count: 1000))
        let objects = try (0..<100).map { try ListObject(id: "o\($0)", fields: ["text": text, "height": 10.0]) }
        let list = TestHost(objects)
        var options = ListViewOptions()
        (options.layout, options.buffer) = (layout, 0)
        try list.adapter.openView(1, options: options)
        var screen = Screen(view: 1)
        func show(_ items: ClosedRange<Int>, growth: Int) throws -> ViewReply {
            guard layout == ListLayoutKind.none else {
                let rect = Rect(
                    x: 0, y: Double(items.lowerBound) * 10, width: Double(100 + items.count),
                    height: Double(items.count) * 10)
                return try list.adapter.presentation.setViewport(view: 1, seen: 0, rect: rect, growth: growth)
            }
            let (first, last) = (
                IndexPath(section: items.lowerBound, item: 0), IndexPath(section: items.upperBound, item: 0)
            )
            return try list.adapter.presentation.setVisibleRange(view: 1, first: first, last: last, growth: growth)
        }
        #expect(throws: ListError.self) { try show(0...9, growth: 9000) }
        #expect(try list.adapter.viewDescription(1).state == .new)
        screen.receive(try show(0...9, growth: 20_000).effects)
        let before = try list.adapter.viewDescription(1)
        #expect((10_000..<13_000).contains(before.byteCount))
        let error = #expect(throws: ListError.self) { try show(5...24, growth: 5000) }
        #expect(error?.code == .limitsExceeded)
        #expect(try list.adapter.viewDescription(1) == before && list.takeEvents().isEmpty)
        try screen.expectEqualToResync(of: list.adapter)
        // Updates reach the view as before.
        try list.perform(.applyChanges(removed: ["o3"], upserts: []))
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
        // Less, and as much, is never refused.
        screen.receive(try show(20...25, growth: 0).effects)
        screen.receive(try show(30...35, growth: 0).effects)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a view has no viewport yet → nothing is sent, and a resync is empty", .rule("VW-01"))
    func silentAtFirst() throws {
        let list = TestHost(try Self.ids(0..<5))
        try list.adapter.openView(1)
        try list.update(Self.ids(1..<7))
        #expect(list.takeEvents().allSatisfy { if case .updated = $0 { true } else { false } })
        let picture = try list.adapter.resync(view: 1)
        #expect(picture.sequence == 0 && picture.items.isEmpty)
        #expect(try list.adapter.viewDescription(1).state == .new)
    }

    @Test(
        "a viewport changes nothing → no change is sent, and the reply has the last sequence", .rule("VW-03")
    )
    func nothingNew() throws {
        let list = TestHost(try Self.ids(0..<50))
        var screen = try list.open()
        #expect(screen.sequence == 1)
        let reply = try list.adapter.setViewport(view: 1, seen: 1, rect: Rect(x: 0, y: 10, width: 100, height: 100))
        #expect(reply.sequence == 1 && reply.effects.isEmpty)
        let empty = TestHost()
        screen = try empty.open()
        #expect(screen.sequence == 0)
    }

    @Test("a slot is released → the next item with its reuse identifier reuses it", .rule("VW-04"))
    func slots() throws {
        let list = TestHost(try Self.ids(0..<100))
        var screen = try list.open()
        var seen = Set(screen.slots.keys)
        for step in 1...40 {
            let rect = Rect(x: 0, y: Double(step) * 44, width: 100, height: 100)
            screen.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
            _ = try list.adapter.acknowledge(view: 1, sequence: screen.sequence)
            seen.formUnion(screen.slots.keys)
        }
        #expect(seen.count <= 4)
        #expect(screen.items.map(\.objectID) == ["o40", "o41", "o42"])
    }

    @Test(
        "a view's credit is used up → Stalled is sent once, and nothing else until an acknowledgement",
        .rule("VW-05"))
    func credit() throws {
        let list = TestHost(try Self.ids(0..<200))
        var screen = try list.open { $0.window = 2 }
        func scroll(_ y: Double) throws -> ViewReply {
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: 100))
        }
        screen.receive(try scroll(440).effects)
        #expect(screen.sequence == 2 && !screen.isStalled)
        let stalled = try scroll(880)
        screen.receive(stalled.effects)
        #expect(screen.isStalled && stalled.sequence == 2)
        for y in stride(from: 1000.0, to: 3000, by: 500) {
            let reply = try scroll(y)
            #expect(reply.sequence == 2)
            #expect(!reply.effects.contains { if case .picture = $0 { true } else { false } })
            #expect(!reply.effects.contains { if case .stalled = $0 { true } else { false } })
            // Working ranges are updated with the viewport even without credit.
            #expect(reply.effects.contains { if case .display = $0 { true } else { false } })
        }
        #expect(try list.adapter.viewDescription(1).state == .stalled)
        #expect(try list.adapter.acknowledge(view: 1, sequence: 99).isEmpty)
        screen.receive(try list.adapter.acknowledge(view: 1, sequence: 1))
        #expect(screen.sequence == 3 && !screen.isStalled)
        #expect(screen.items.map(\.section) == [56, 57, 58, 59])
        try screen.expectEqualToResync(of: list.adapter)
        #expect(try list.adapter.viewDescription(1).acknowledgedSequence == 3)
    }

    @Test("the byte limit is used up → the view stalls, but the first picture is always sent")
    func byteCredit() throws {
        let big = try (0..<20).map {
            try ListObject(id: "o\($0)", fields: ["t": .string(String(repeating: "x", count: 900))])
        }
        let list = TestHost(big)
        var screen = try list.open { $0.windowBytes = 2000 }
        #expect(screen.sequence == 1)
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 300, width: 100, height: 100)).effects)
        #expect(screen.isStalled)
        screen.receive(try list.adapter.acknowledge(view: 1, sequence: 1))
        #expect(screen.sequence == 2)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a stalled view's pending change shrinks below the byte limit → the view still waits for an acknowledgement")
    func stallHolds() throws {
        let list = TestHost(try Self.ids(0..<50))
        var screen = try list.open { $0.window = 1 }
        list.enqueue(.patchObject(id: "o0", set: ["n": 7], unset: []))
        screen.receive(list.flush().events)
        #expect(screen.isStalled)
        list.enqueue(.patchObject(id: "o0", set: ["n": 0], unset: []))
        let result = list.flush()
        #expect(result.events.count == 1)
        #expect(try list.adapter.acknowledge(view: 1, sequence: 1).isEmpty)
        #expect(try list.adapter.viewDescription(1).state == .active)
    }

    @Test("a stalled view resyncs → it gets the current picture, and the next change has the next sequence")
    func resyncEndsStall() throws {
        let list = TestHost(try Self.ids(0..<50))
        var screen = try list.open { $0.window = 1 }
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 500, width: 100, height: 100)).effects)
        #expect(screen.isStalled)
        try screen.expectEqualToResync(of: list.adapter)
        let sequence = screen.sequence
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 900, width: 100, height: 100)).effects)
        #expect(screen.sequence == sequence + 1)
    }

    @Test(
        "a picture has more than 256 KiB → its changes use one credit, and the last one completes the picture",
        .rule("VW-06"))
    func largePicture() throws {
        let big = try (0..<6).map {
            try ListObject(id: "o\($0)", fields: ["t": .string(String(repeating: "x", count: 120_000)), "height": 10])
        }
        let list = TestHost(big)
        var screen = try list.open { $0.window = 1 }
        #expect(screen.sequence > 1)
        #expect(try list.adapter.viewDescription(1).sequence == screen.sequence)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "a view requests only some fields → contents have only these fields, and changes of other fields are not sent",
        .rule("VW-19"))
    func fields() throws {
        let list = TestHost(try objects("a1", "b2"))
        var screen = try list.open { $0.fields = ["other"] }
        #expect(screen.items.allSatisfy { $0.content.isEmpty })
        list.enqueue(.patchObject(id: "a", set: ["n": 9], unset: []))
        screen.receive(list.flush().events)
        #expect(screen.sequence == 1)
        list.enqueue(.patchObject(id: "a", set: ["other": 9], unset: []))
        screen.receive(list.flush().events)
        #expect(screen.items.first?.content == ["other": 9])
    }

    @Test("the host pauses all pictures → nothing is sent; the host resumes them → one change has the current state")
    func held() throws {
        let list = TestHost(try Self.ids(0..<50))
        var screen = try list.open()
        list.adapter.holdsViews = true
        for index in 0..<3 {
            list.enqueue(.patchObject(id: "o\(index)", set: ["n": 70], unset: []))
            screen.receive(list.flush().events)
        }
        #expect(screen.sequence == 1 && !screen.isStalled)
        screen.receive(list.adapter.resumeViews())
        #expect(screen.sequence == 2)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a stalled view gets Ack while the host pauses all pictures → it is stalled until the host resumes them")
    func heldStall() throws {
        let list = TestHost(try Self.ids(0..<50))
        var screen = try list.open { $0.window = 1 }
        list.enqueue(.patchObject(id: "o0", set: ["n": 7], unset: []))
        screen.receive(list.flush().events)
        #expect(screen.isStalled)
        list.adapter.holdsViews = true
        screen.receive(try list.adapter.acknowledge(view: 1, sequence: 1))
        #expect(screen.isStalled)
        screen.receive(list.adapter.resumeViews())
        #expect(!screen.isStalled && screen.sequence == 2)
    }

    @Test(
        "a list has no items → the empty view is shown; a list has items → it is not shown",
        .rule("AD-63...AD-68")
    )
    func emptyView() throws {
        let list = TestHost { $0.emptyContent = ["text": "nothing here"] }
        var screen = try list.open()
        #expect(screen.items.map(\.objectID) == [""])
        #expect(screen.items.first?.content == ["text": "nothing here"])
        screen.receive(try list.update(objects("a")).events)
        #expect(screen.items.map(\.objectID) == ["a"])
        screen.receive(try list.update([]).events)
        #expect(screen.items.map(\.objectID) == [""])
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a view with layout none requests a range → its items and the overscan items are shown, with empty frames")
    func layoutNone() throws {
        let list = try TestHost.letters("a:123", "b:", "c:45", "d:6")
        try list.adapter.openView(
            1,
            options: {
                var o = ListViewOptions(); o.layout = ListLayoutKind.none; o.overscanItems = 1; return o
            }())
        var screen = Screen(view: 1)
        let first = IndexPath(section: 0, item: 2)
        screen.receive(try list.adapter.setVisibleRange(view: 1, first: first, last: first).effects)
        #expect(
            screen.items.map { IndexPath(section: $0.section, item: $0.item) } == [
                IndexPath(section: 0, item: 1), first, IndexPath(section: 2, item: 0),
            ])
        #expect(screen.items.allSatisfy { $0.frame == .zero })
        let far = IndexPath(section: 90, item: 0)
        screen.receive(try list.adapter.setVisibleRange(view: 1, first: first, last: far).effects)
        // Each section missing past the end of the list counts as one position.
        #expect(screen.items.count == 6)
        #expect(throws: ListError.self) { try list.adapter.setVisibleRange(view: 1, first: far, last: first) }
        #expect(throws: ListError.self) { try list.adapter.setViewport(view: 1, seen: 0, rect: .zero) }
    }

    @Test(
        "a requested range is wholly or partly outside of the list → it is clamped to the list"
    )
    func rangesOutside() throws {
        let rows = ["a:1234"] + (0..<2000).map { "e\($0):" } + ["z:56"]
        let list = TestHost(
            try rows.map { try letters($0) }, provider: ScriptedProvider { _ in LetterController(log: EventList()) })
        var options = ListViewOptions()
        (options.layout, options.overscanItems) = (ListLayoutKind.none, 1)
        try list.adapter.openView(1, options: options)
        var screen = Screen(view: 1)
        func show(_ first: IndexPath, _ last: IndexPath) throws -> [String] {
            screen.receive(try list.adapter.setVisibleRange(view: 1, first: first, last: last).effects)
            _ = try list.adapter.acknowledge(view: 1, sequence: screen.sequence)
            return screen.items.map { "\($0.objectID)\($0.item)" }
        }
        let (far, farther) = (Int(UInt32.max) - 5, Int(UInt32.max))
        #expect(
            try show(.init(section: far, item: 0), .init(section: farther, item: farther))
                == ["a0", "a1", "a2", "a3", "z0", "z1"])
        #expect(try show(.init(section: 0, item: farther), .init(section: 0, item: farther)) == ["a2", "a3", "z0"])
        #expect(try show(.init(section: 1, item: 0), .init(section: 1, item: 0)) == ["a2", "a3", "z0"])
        #expect(try show(.init(section: 0, item: 0), .init(section: 0, item: 0)) == ["a0", "a1"])
        screen.receive(try list.update([letters("q:7")]).events)
        #expect(try show(.init(section: far, item: 0), .init(section: farther, item: 0)) == ["q0"])
    }

    @Test("a reuse identifier changes to a canonically equivalent one → the item moves to another slot")
    func equivalentIdentifiers() throws {
        let list = TestHost([try ListObject(id: "a", type: "", fields: ["reuse": "\u{e9}"])])
        var screen = try list.open()
        let slot = screen.items.first?.slot
        screen.receive(try list.update([ListObject(id: "a", type: "", fields: ["reuse": "e\u{301}"])]).events)
        #expect(screen.items.count == 1)
        #expect(screen.items.first?.slot != slot)
        #expect(screen.items.first.map { Array($0.reuseIdentifier.utf8) } == Array("e\u{301}".utf8))
    }

    @Test(
        "a viewport is invalid → InvalidArgs is thrown, and the view is unchanged", .rule("VW-12"),
        arguments: [
            Rect(x: .nan, y: 0, width: 1, height: 1), Rect(x: 0, y: .infinity, width: 1, height: 1),
            Rect(x: 0, y: 0, width: -1, height: 1), Rect(x: 0, y: 0, width: 1, height: .nan),
        ])
    func badViewports(rect: Rect) throws {
        let list = TestHost(try Self.ids(0..<5))
        let screen = try list.open()
        #expect(throws: ListError.self) { try list.adapter.setViewport(view: 1, seen: 0, rect: rect) }
        #expect(throws: ListError.self) { try list.adapter.setViewport(view: 2, seen: 0, rect: .zero) }
        #expect(throws: ListError.self) { try list.adapter.openView(1) }
        #expect(throws: ListError.self) {
            try list.adapter.setVisibleRange(
                view: 1, first: .init(section: 0, item: 0), last: .init(section: 1, item: 0))
        }
        #expect(try list.adapter.viewDescription(1).sequence == screen.sequence)
    }

    @Test("a change is outside of all viewports and moves no visible item → no signal is sent")
    func elsewhere() throws {
        let list = TestHost(try Self.ids(0..<100))
        for id in 1...5 as ClosedRange<ViewID> { _ = try list.open(id) }
        _ = list.takeEvents()
        list.enqueue(.patchObject(id: "o80", set: ["n": 1], unset: []))
        #expect(list.flush().events.count == 1)
    }

    @Test("a header, an item or a footer changes → only this element is rebound")
    func headerOnly() throws {
        func section(header: Int64, item: Int64) throws -> ListObject {
            let items = [Value(["id": "x", "v": .int64(item)]), Value(["id": "y", "v": 0])]
            return try ListObject(
                id: "s", type: "binding",
                fields: [
                    "items": .array(element: "a{sv}", items), "header": Value(["height": 10.0, "v": .int64(header)]),
                ])
        }
        let list = TestHost([try section(header: 0, item: 0)], names: ["binding": "listd/binding"])
        _ = try list.open()
        func change(_ object: ListObject) throws -> PictureChange? {
            for case .picture(let change) in try list.update([object]).events { return change }
            return nil
        }
        let header = try #require(try change(try section(header: 1, item: 0)))
        #expect(header.rebound.count == 1 && header.shown.isEmpty && header.released.isEmpty && header.placed.isEmpty)
        let item = try #require(try change(try section(header: 1, item: 1)))
        #expect(item.rebound.count == 1 && item.shown.isEmpty && item.released.isEmpty && item.placed.isEmpty)
    }
}

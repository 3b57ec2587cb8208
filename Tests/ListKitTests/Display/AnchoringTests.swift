// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Anchoring: visible items keep their position on the screen")
struct AnchoringTests {
    /// The position of an object's item on the screen.
    func place(of id: String, on screen: Screen) -> Double? {
        screen.items.first { $0.objectID == id }.map { $0.frame.minY - screen.offset.y }
    }

    func names(_ range: Range<Int>) throws -> [ListObject] {
        try range.map { try ListObject(id: "o\($0)", fields: ["height": 20]) }
    }

    @Test("objects are added and removed above the viewport → the offset is adjusted, and visible items stay in place")
    func above() throws {
        let list = TestHost(try names(10..<40))
        var screen = try list.open(y: 105)
        #expect(place(of: "o15", on: screen) == -5)
        screen.receive(try list.update(names(0..<40)).events)
        #expect(screen.offset.y == 305)
        #expect(place(of: "o15", on: screen) == -5)
        screen.receive(try list.update(names(12..<40)).events)
        #expect(screen.offset.y == 65)
        #expect(place(of: "o15", on: screen) == -5)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "the anchor item is removed → the next remaining item in the viewport keeps its place on the screen",
        .rule("VW-08"))
    func anchorGone() throws {
        let list = TestHost(try names(0..<40))
        var screen = try list.open(y: 205)
        let before = place(of: "o12", on: screen)
        list.enqueue(.applyChanges(removed: ["o10", "o11"], upserts: []))
        screen.receive(list.flush().events)
        #expect(place(of: "o12", on: screen) == before)
        let gone = (12..<20).map { "o\($0)" }
        list.enqueue(.applyChanges(removed: gone, upserts: []))
        screen.receive(list.flush().events)
        try screen.expectEqualToResync(of: list.adapter)
        #expect(screen.items.contains { $0.objectID == "o20" })
    }

    /// Creates an object of a section whose items have these names and this height.
    private func section(_ id: String, _ items: [String], height: Double = 20) throws -> ListObject {
        let fields = items.map { Value(["id": .string($0), "height": .double(height)]) }
        return try ListObject(id: id, type: "binding", fields: ["items": .array(element: "a{sv}", fields)])
    }

    @Test("all visible items of a section are removed → the section's next item keeps its place on the screen")
    func anchorGoneInsideOfItsSection() throws {
        let items = (0..<100).map { "i\($0)" }
        let list = TestHost([try section("a", items), try section("b", ["b"])], names: ["binding": "listd/binding"])
        var screen = try list.open(y: 400)
        let kept = items.filter { !(10..<25).map { "i\($0)" }.contains($0) } + (0..<50).map { "new\($0)" }
        screen.receive(try list.update([section("a", kept), section("b", ["b"])]).events)
        // Item 25 was at 500, just below the viewport. It is at 200 now, so the offset is 300 less too.
        #expect(screen.offset.y == 100)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "visible items are removed, and the next section gets a new first item → the old first item keeps its place"
    )
    func anchorGoneBeforeAnInsert() throws {
        let items = (0..<30).map { "i\($0)" }
        let list = TestHost(
            [try section("a", items), try section("b", ["b0", "b1", "b2", "b3", "b4", "b5", "b6"])],
            names: ["binding": "listd/binding"])
        var screen = try list.open(y: 500)
        screen.receive(
            try list.update([
                section("a", Array(items.prefix(20))),
                section("b", ["new", "b0", "b1", "b2", "b3", "b4", "b5", "b6"]),
            ]).events)
        // b0 was at 600, which is 100 below the top of the viewport. It is at 420 now, again 100 below the top.
        #expect(screen.offset.y == 320)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "objects are inserted before a view at the start → they are visible, unless anchor-at-start is set",
        .rule("VW-09"))
    func atStart() throws {
        let list = TestHost(try names(10..<40))
        var plain = try list.open(1)
        var anchored = try list.open(2) { $0.isAnchoredAtStart = true }
        let events = try list.update(names(9..<40)).events
        plain.receive(events)
        anchored.receive(events)
        #expect(plain.offset.y == 0 && plain.items.first?.objectID == "o9")
        #expect(anchored.offset.y == 20 && anchored.items.first?.objectID == "o10")
    }

    @Test("content below the viewport shrinks → the offset is unchanged, even beyond the end of the content")
    func below() throws {
        let list = TestHost(try names(0..<10))
        var screen = try list.open(y: 120)
        screen.receive(try list.update(names(0..<7)).events)
        #expect(screen.offset.y == 120)
        #expect(screen.contentSize.height == 140)
    }

    @Test("all items from the anchor on are removed → the end of the remaining content is shown", .rule("EE-51"))
    func endGone() throws {
        let list = TestHost(try names(0..<40))
        var screen = try list.open(y: 600)
        screen.receive(try list.update(names(0..<10)).events)
        #expect(screen.offset.y == 100)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a view has no anchoring, and objects above it change → the offset is unchanged")
    func off() throws {
        let list = TestHost(try names(10..<40))
        var screen = try list.open(y: 105) { $0.isAnchored = false }
        screen.receive(try list.update(names(0..<40)).events)
        #expect(screen.offset.y == 105)
    }

    @Test(
        "a viewport predates an anchoring shift → it is shifted once; a viewport follows the shift → it is not shifted",
        .rule("VW-10"))
    func shifts() throws {
        let list = TestHost(try names(10..<60))
        var screen = try list.open(y: 105)
        screen.receive(try list.update(names(5..<60)).events)
        #expect(screen.sequence == 2 && screen.offset.y == 205)
        func scroll(seen: UInt64, _ y: Double) throws -> Double {
            screen.receive(
                try list.adapter.setViewport(view: 1, seen: seen, rect: Rect(x: 0, y: y, width: 100, height: 100))
                    .effects)
            return try list.adapter.viewDescription(1).viewport.minY
        }
        #expect(try scroll(seen: 1, 110) == 210)
        #expect(try scroll(seen: 2, 215) == 215)
        #expect(try scroll(seen: 0, 220) == 220)
        #expect(try scroll(seen: 99, 225) == 225)
        _ = try list.adapter.acknowledge(view: 1, sequence: 2)
        #expect(try scroll(seen: 1, 300) == 300)
    }

    @Test("a stalled viewer misses an anchoring shift → the shift is added to the viewer's next viewport")
    func stalledShift() throws {
        let list = TestHost(try names(10..<60))
        let screen = try list.open(y: 105) { $0.window = 1 }
        try list.update(names(5..<60))
        _ = try list.adapter.setViewport(
            view: 1, seen: screen.sequence, rect: Rect(x: 0, y: 110, width: 100, height: 100))
        #expect(try list.adapter.viewDescription(1).viewport.minY == 210)
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 111, width: 100, height: 100))
        #expect(try list.adapter.viewDescription(1).viewport.minY == 211)
        let picture = try list.adapter.resync(view: 1)
        _ = try list.adapter.setViewport(
            view: 1, seen: picture.sequence, rect: Rect(x: 0, y: 212, width: 100, height: 100))
        #expect(try list.adapter.viewDescription(1).viewport.minY == 212)
    }

    @Test(
        "a viewer sets a viewport before seeing a scroll-to → the scroll-to's offset stays, and the new size is used",
        .rule("VW-11"))
    func unseenScroll() throws {
        let list = TestHost(try names(0..<100))
        var screen = try list.open()
        let (offset, reply) = try list.adapter.scrollTo(view: 1, object: "o50", item: 0, position: .start)
        #expect(offset.y == 1000)
        screen.receive(reply.effects)
        #expect(screen.offset.y == 1000 && screen.sequence == reply.sequence)
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 1, rect: Rect(x: 0, y: 30, width: 100, height: 60)).effects)
        #expect(try list.adapter.viewDescription(1).viewport == Rect(x: 0, y: 1000, width: 100, height: 60))
        #expect(screen.offset.y == 1000)
        _ = try list.adapter.setViewport(
            view: 1, seen: screen.sequence, rect: Rect(x: 0, y: 30, width: 100, height: 60))
        #expect(try list.adapter.viewDescription(1).viewport.minY == 30)
    }

    @Test("a scroll-to changes only the offset → a change is sent")
    func offsetOnly() throws {
        let list = TestHost([
            try ListObject(id: "a", fields: ["height": 1000]), try ListObject(id: "b", fields: ["height": 1000]),
        ])
        var screen = try list.open(y: 0)
        let (offset, reply) = try list.adapter.scrollTo(view: 1, object: "a", item: 0, position: .end)
        screen.receive(reply.effects)
        #expect(offset.y == 900 && screen.offset.y == 900 && screen.sequence == 2)
        #expect(throws: ListError.self) { try list.adapter.scrollTo(view: 1, object: "x", item: 0, position: .end) }
        #expect(throws: ListError.self) { try list.adapter.scrollTo(view: 1, object: "a", item: 1, position: .end) }
        try list.adapter.openView(2)
        #expect(throws: ListError.self) { try list.adapter.scrollTo(view: 2, object: "a", item: 0, position: .end) }
    }

    @Test(
        "a viewer reports measured sizes → the sizes replace the estimates in that viewer's view only", .rule("VW-16")
    )
    func reportedSizes() throws {
        let list = TestHost(try names(0..<40))
        var screen = try list.open(1, y: 205)
        let other = try list.open(2, y: 205)
        let sizes = (0..<5).map { MeasuredSize(objectID: "o\($0)", item: 0, size: Size(width: 100, height: 50)) }
        screen.receive(
            try list.adapter.reportSizes(view: 1, sizes: sizes + [MeasuredSize(objectID: "gone", item: 0, size: .zero)])
                .effects)
        #expect(screen.offset.y == 355)
        #expect(screen.contentSize.height == 950)
        try screen.expectEqualToResync(of: list.adapter)
        #expect(try list.adapter.viewDescription(2).contentSize == other.contentSize)
        screen.receive(try list.update([try ListObject(id: "new", fields: ["height": 10])] + names(0..<40)).events)
        #expect(screen.contentSize.height == 960)
        #expect(throws: ListError.self) {
            try list.adapter.reportSizes(
                view: 1, sizes: [MeasuredSize(objectID: "o1", item: 0, size: Size(width: .nan, height: 1))])
        }
    }
}

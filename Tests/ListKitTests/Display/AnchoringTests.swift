// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Anchoring: items on the screen keep their place")
struct AnchoringTests {
    /// The place of an object's item on the screen.
    func place(of id: String, on screen: Screen) -> Double? {
        screen.items.first { $0.objectID == id }.map { $0.frame.minY - screen.offset.y }
    }

    func names(_ range: Range<Int>) throws -> [ListObject] {
        try range.map { try ListObject(id: "o\($0)", fields: ["height": 20]) }
    }

    @Test("objects added and removed above the viewport → the viewport moves with its items")
    func above() throws {
        let list = TestHost(try names(10..<40))
        var screen = try list.open(y: 105)
        #expect(place(of: "o15", on: screen) == -5)
        screen.take(try list.update(names(0..<40)).events)
        #expect(screen.offset.y == 305)
        #expect(place(of: "o15", on: screen) == -5)
        screen.take(try list.update(names(12..<40)).events)
        #expect(screen.offset.y == 65)
        #expect(place(of: "o15", on: screen) == -5)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "the anchor itself is removed → the next survivor keeps its place; all are removed → the next one after them",
        .rule("VW-08"))
    func anchorGone() throws {
        let list = TestHost(try names(0..<40))
        var screen = try list.open(y: 205)
        let before = place(of: "o12", on: screen)
        list.enqueue(.applyChanges(removed: ["o10", "o11"], upserts: []))
        screen.take(list.flush().events)
        #expect(place(of: "o12", on: screen) == before)
        let gone = (12..<20).map { "o\($0)" }
        list.enqueue(.applyChanges(removed: gone, upserts: []))
        screen.take(list.flush().events)
        try screen.expectEqualToResync(of: list.adapter)
        #expect(screen.items.contains { $0.objectID == "o20" })
    }

    /// A section of items that are 20 high, named by the letters.
    private func section(_ id: String, _ items: [String], height: Double = 20) throws -> ListObject {
        let fields = items.map { Value(["id": .string($0), "height": .double(height)]) }
        return try ListObject(id: id, type: "binding", fields: ["items": .array(element: "a{sv}", fields)])
    }

    @Test("all items on the screen are removed, but not their section → its next item keeps the place")
    func anchorGoneInsideOfItsSection() throws {
        let items = (0..<100).map { "i\($0)" }
        let list = TestHost([try section("a", items), try section("b", ["b"])], names: ["binding": "listd/binding"])
        var screen = try list.open(y: 400)
        let kept = items.filter { !(10..<25).map { "i\($0)" }.contains($0) } + (0..<50).map { "new\($0)" }
        screen.take(try list.update([section("a", kept), section("b", ["b"])]).events)
        // Item 25 was at 500, below the screen, and is where item 10 was.
        #expect(screen.offset.y == 100)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "the section on the screen loses its shown items, the next one gets an item on top → its first survivor keeps its place"
    )
    func anchorGoneBeforeAnInsert() throws {
        let items = (0..<30).map { "i\($0)" }
        let list = TestHost(
            [try section("a", items), try section("b", ["b0", "b1", "b2", "b3", "b4", "b5", "b6"])],
            names: ["binding": "listd/binding"])
        var screen = try list.open(y: 500)
        screen.take(
            try list.update([
                section("a", Array(items.prefix(20))),
                section("b", ["new", "b0", "b1", "b2", "b3", "b4", "b5", "b6"]),
            ]).events)
        // b0 was at 600, 100 below the top; now it is at 420.
        #expect(screen.offset.y == 320)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("at the start of the content → new objects appear on top, unless the view is anchored there", .rule("VW-09"))
    func atStart() throws {
        let list = TestHost(try names(10..<40))
        var plain = try list.open(1)
        var anchored = try list.open(2) { $0.isAnchoredAtStart = true }
        let events = try list.update(names(9..<40)).events
        plain.take(events)
        anchored.take(events)
        #expect(plain.offset.y == 0 && plain.items.first?.objectID == "o9")
        #expect(anchored.offset.y == 20 && anchored.items.first?.objectID == "o10")
    }

    @Test("only content below shrinks → nothing moves, not even beyond the end")
    func below() throws {
        let list = TestHost(try names(0..<10))
        var screen = try list.open(y: 120)
        screen.take(try list.update(names(0..<7)).events)
        #expect(screen.offset.y == 120)
        #expect(screen.contentSize.height == 140)
    }

    @Test("everything from the anchor on is removed → the end of the rest is shown", .rule("EE-51"))
    func endGone() throws {
        let list = TestHost(try names(0..<40))
        var screen = try list.open(y: 600)
        screen.take(try list.update(names(0..<10)).events)
        #expect(screen.offset.y == 100)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("not anchored → the offset stays")
    func off() throws {
        let list = TestHost(try names(10..<40))
        var screen = try list.open(y: 105) { $0.isAnchored = false }
        screen.take(try list.update(names(0..<40)).events)
        #expect(screen.offset.y == 105)
    }

    @Test("a viewport from before a shift → shifted once; from after it → not", .rule("VW-10"))
    func shifts() throws {
        let list = TestHost(try names(10..<60))
        var screen = try list.open(y: 105)
        screen.take(try list.update(names(5..<60)).events)
        #expect(screen.sequence == 2 && screen.offset.y == 205)
        func scroll(seen: UInt64, _ y: Double) throws -> Double {
            screen.take(
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

    @Test("a shift that a stalled viewer did not get → added to its viewport")
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
        "a scroll-to that the viewer has not seen → its viewport does not undo it, but its size counts", .rule("VW-11"))
    func unseenScroll() throws {
        let list = TestHost(try names(0..<100))
        var screen = try list.open()
        let (offset, reply) = try list.adapter.scrollTo(view: 1, object: "o50", item: 0, position: .start)
        #expect(offset.y == 1000)
        screen.take(reply.effects)
        #expect(screen.offset.y == 1000 && screen.sequence == reply.sequence)
        _ = try list.adapter.setViewport(view: 1, seen: 1, rect: Rect(x: 0, y: 30, width: 100, height: 60))
        #expect(try list.adapter.viewDescription(1).viewport == Rect(x: 0, y: 1000, width: 100, height: 60))
        _ = try list.adapter.setViewport(
            view: 1, seen: screen.sequence, rect: Rect(x: 0, y: 30, width: 100, height: 60))
        #expect(try list.adapter.viewDescription(1).viewport.minY == 30)
    }

    @Test("a scroll-to that changes only the offset → its change is sent")
    func offsetOnly() throws {
        let list = TestHost([
            try ListObject(id: "a", fields: ["height": 1000]), try ListObject(id: "b", fields: ["height": 1000]),
        ])
        var screen = try list.open(y: 0)
        let (offset, reply) = try list.adapter.scrollTo(view: 1, object: "a", item: 0, position: .end)
        screen.take(reply.effects)
        #expect(offset.y == 900 && screen.offset.y == 900 && screen.sequence == 2)
        #expect(throws: ListError.self) { try list.adapter.scrollTo(view: 1, object: "x", item: 0, position: .end) }
        #expect(throws: ListError.self) { try list.adapter.scrollTo(view: 1, object: "a", item: 1, position: .end) }
        try list.adapter.openView(2)
        #expect(throws: ListError.self) { try list.adapter.scrollTo(view: 2, object: "a", item: 0, position: .end) }
    }

    @Test("measured sizes → replace the estimates in that view only, anchored", .rule("VW-16"))
    func reportedSizes() throws {
        let list = TestHost(try names(0..<40))
        var screen = try list.open(1, y: 205)
        let other = try list.open(2, y: 205)
        let sizes = (0..<5).map { MeasuredSize(objectID: "o\($0)", item: 0, size: Size(width: 100, height: 50)) }
        screen.take(
            try list.adapter.reportSizes(view: 1, sizes: sizes + [MeasuredSize(objectID: "gone", item: 0, size: .zero)])
                .effects)
        #expect(screen.offset.y == 355)
        #expect(screen.contentSize.height == 950)
        try screen.expectEqualToResync(of: list.adapter)
        #expect(try list.adapter.viewDescription(2).contentSize == other.contentSize)
        screen.take(try list.update([try ListObject(id: "new", fields: ["height": 10])] + names(0..<40)).events)
        #expect(screen.contentSize.height == 960)
        #expect(throws: ListError.self) {
            try list.adapter.reportSizes(
                view: 1, sizes: [MeasuredSize(objectID: "o1", item: 0, size: Size(width: .nan, height: 1))])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("A view without a credit window")
struct WindowlessViewTests {
    private static let count = 1000

    @Test("1,000 updates are not acknowledged → 1,000 pictures are sent, and the screen equals the list")
    func updates() throws {
        let list = TestHost(try objects("a", "b", "c"))
        var screen = try list.open()
        for number in 1...Self.count {
            list.enqueue(.patchObject(id: "b", set: ["n": .int64(Int64(number))], unset: []))
            screen.receive(list.flush().events)
        }
        #expect(!screen.isStalled)
        #expect(screen.sequence == UInt64(Self.count) + 1)
        #expect(screen.items.map { $0.content["n"]?.int } == [nil, Self.count, nil])
        #expect(try list.adapter.viewDescription(1).state == .active)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("1,000 pictures with large contents are not acknowledged → every picture is sent")
    func scrolls() throws {
        let text = String(repeating: "x", count: 20_000)
        let list = TestHost(try (0..<40).map { try ListObject(id: "o\($0)", fields: ["t": .string(text)]) })
        var screen = try list.open()
        for number in 1...Self.count {
            let rect = Rect(x: 0, y: number.isMultiple(of: 2) ? 0 : 880, width: 100, height: 100)
            screen.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
        }
        #expect(!screen.isStalled)
        #expect(screen.items.map(\.section) == [0, 1, 2])
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a viewer sets an offset based on an earlier picture → the offset is adjusted by later anchoring shifts")
    func anchored() throws {
        let list = TestHost(try (0..<400).map { try ListObject(id: "o\($0)", fields: ["height": 10]) })
        var screen = try list.open(y: 1000)
        for number in 1...Self.count {
            let new = try ListObject(id: "new\(number)", fields: ["height": 10])
            list.enqueue(.applyChanges(removed: [], upserts: [.init(new, position: .first)]))
            screen.receive(list.flush().events)
        }
        #expect(screen.items.first?.objectID == "o100")
        let seen = screen.sequence - 10
        let drawn = Rect(x: 0, y: screen.offset.y - 100, width: 100, height: 100)
        screen.receive(try list.adapter.setViewport(view: 1, seen: seen, rect: drawn).effects)
        #expect(screen.items.first?.objectID == "o100")
        // A picture older than 256 changes counts as the picture of 256 changes ago.
        let stale = Rect(x: 0, y: screen.offset.y - 2560, width: 100, height: 100)
        screen.receive(try list.adapter.setViewport(view: 1, seen: 1, rect: stale).effects)
        #expect(screen.items.first?.objectID == "o100")
        try screen.expectEqualToResync(of: list.adapter)
    }
}

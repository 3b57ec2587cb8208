// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

/// Tests the contract's paragraph "Credit" with a client.
@Suite("Credit of a view", .timeLimit(.minutes(3)))
@DBusActor
struct CreditTests {
    @Test(
        "a view with a window of two needs a third picture → Stalled is sent once; Ack → one Changed has the picture",
        .rule("VW-05"),
        arguments: TransportKind.allCases)
    func acknowledging(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100)
        let view = try await TestView(adapter, by: try await stage.connect(transport), ["window": .uint32(2)])
        #expect(try await view.property("State", as: String.self) == "new")
        #expect(try await view.setViewport(y: 0) == 1)
        #expect(try await view.setViewport(y: 500) == 2)
        #expect(try await view.setViewport(y: 1000) == 2)
        #expect(try await view.setViewport(y: 1500) == 2)
        _ = try await adapter.applyChanges(remove: ["o40"], [Upsert("new", "", "first", "", [:])])
        #expect(try await view.property("State", as: String.self) == "stalled")
        #expect(view.events.recorded == [.changed(1), .changed(2), .stalled(2)])
        try await view.acknowledge(1)
        #expect(view.events.recorded == [.changed(1), .changed(2), .stalled(2), .changed(3)])
        let mine = view.picture
        #expect(try await view.resync() == mine)
        #expect(mine.shown.values.allSatisfy { $0.frame.y + $0.frame.height > 1500 - 20 })
        #expect(try await view.property("State", as: String.self) == "active")
        #expect(try await view.property("AckedSequence", as: UInt64.self) == 3)
        #expect(try await stage.statistics()["stalls"] == 1)
        await stage.stop()
    }

    @Test(
        "a client reads properties without waiting for the replies to its calls → the values reflect the calls",
        arguments: TransportKind.allCases)
    func lookingBehindACall(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(400)
        let client = try await stage.connect(transport)
        let view = try await TestView(adapter, by: client, ["window": .uint32(1)])
        for step in 0..<30 {
            let y = Double(step % 7) * 500
            try await view.setViewport(y: y)
            try await view.setViewport(y: y + 250)
            #expect(try await view.property("State", as: String.self) == "stalled")
            let sequence = try await view.property("Sequence", as: UInt64.self)
            try client.callWithoutReply(
                view.remote.message("Ack") { (message) throws(DBusError) in try message.write(sequence) })
            #expect(try await view.property("State", as: String.self) != "stalled")
            client.call(
                try view.remote.message("SetViewport") { (message) throws(DBusError) in
                    try message.write(UInt64(0), 0.0, y + 1, 320.0, 480.0)
                }
            ) { _ in }
            let viewport = try await view.property("Viewport", as: DBusStruct<Double, Double, Double, Double>.self)
            #expect(viewport.members.1 == y + 1)
            client.call(
                try view.remote.message("Select") { (message) throws(DBusError) in
                    try message.write("o\(step)", UInt32(0))
                }
            ) { _ in }
            let selected = try await adapter.by(client).property("SelectedItems", as: [DBusStruct<String, UInt32>].self)
            #expect(selected.contains { $0.members.0 == "o\(step)" })
            try await view.resync()
        }
        await stage.stop()
    }

    @Test("a stalled view whose list changes → the view's properties follow the list")
    func propertiesOfAStall() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100)
        let view = try await TestView(adapter, ["window": .uint32(1)])
        #expect(try await view.setViewport(y: 1000) == 1)
        _ = try await adapter.applyChanges([Upsert("last", "", "last", "", [:])])
        #expect(try await view.property("State", as: String.self) == "stalled")
        _ = try await adapter.applyChanges([Upsert("first", "", "first", "", ["height": .double(50)])])
        let viewport = try await view.property("Viewport", as: DBusStruct<Double, Double, Double, Double>.self)
        #expect(viewport.members.1 == 1050)
        let size = try await view.property("ContentSize", as: DBusStruct<Double, Double>.self)
        #expect(size.members.1 == 101 * 44 + 50)
        #expect(view.events.recorded == [.changed(1), .stalled(1)])
        await stage.stop()
    }

    @Test(
        "a stalled view calls Resync → it gets the current picture, and the next Changed continues the sequence",
        .rule("VW-07"))
    func resync() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100)
        let view = try await TestView(adapter, ["window": .uint32(1)])
        #expect(try await view.setViewport(y: 0) == 1)
        #expect(try await view.setViewport(y: 2000) == 1)
        let slots = Set(view.picture.shown.keys)
        let picture = try await view.resync()
        #expect(picture.sequence == 2 && picture.offset.y == 2000)
        #expect(view.events.recorded == [.changed(1), .stalled(1)])
        #expect(try await view.setViewport(y: 2100) == 3)
        #expect(!view.hasGap)
        // The slots of items that left the screen are used again.
        #expect(!Set(picture.shown.keys).isDisjoint(with: slots))
        await stage.stop()
    }

    @Test("each picture exceeds window-bytes → the first picture is sent, and the next one waits for Ack")
    func bytes() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(40, ["text": .string(String(repeating: "x", count: 1000))])
        let view = try await TestView(adapter, ["window-bytes": .uint32(2000)])
        #expect(try await view.setViewport(y: 0) == 1)
        #expect(try await view.setViewport(y: 800) == 1)
        try await view.acknowledge(1)
        #expect(view.events.recorded == [.changed(1), .stalled(1), .changed(2)])
        let mine = view.picture
        #expect(try await view.resync() == mine)
        await stage.stop()
    }

    @Test(
        "a thousand changes without acknowledgements → nothing is queued, and one Changed sends the final state"
    )
    func away() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(20)
        let view = try await TestView(adapter, ["window": .uint32(2)])
        try await view.setViewport(y: 0)
        for step in 0..<1000 {
            _ = try await adapter.applyChanges([Upsert("o3", "", "keep", "", ["n": .int64(Int64(step))])])
        }
        #expect(view.events.recorded == [.changed(1), .changed(2), .stalled(2)])
        try await view.acknowledge(2)
        #expect(view.events.recorded.last == .changed(3))
        #expect(view.picture.shown.values.first { $0.objectID == "o3" }?.content["n"]?.unwrapped == .int64(999))
        await stage.stop()
    }

    @Test("a picture has more than 256 KiB → it is sent as several Changed for one credit, and equals that of Resync")
    func large() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100, ["height": .double(4), "text": .string(String(repeating: "x", count: 20_000))])
        let view = try await TestView(adapter, ["window": .uint32(1)])
        let sequence = try await view.setViewport(y: 0)
        #expect(sequence > 5 && view.picture.sequence == sequence)
        let mine = view.picture
        #expect(try await view.resync() == mine)
        #expect(mine.shown.count == 100)
        await stage.stop()
    }

    @Test("a viewport shows a thousand items → no message exceeds the bus's size limit")
    func wide() async throws {
        let stage = try await Stage(.limited(["max_message_size": 300_000]))
        let adapter = try await stage.createAdapter("list")
        // The ids are long, because ids count towards a message's size. The items have almost no content.
        let tail = String(repeating: "x", count: 250)
        _ = try await adapter.performUpdates((0..<1000).map { Row("\($0)" + tail, "", [:]) })
        let view = try await TestView(adapter)
        let sequence = try await view.remote.call(
            "SetViewport", UInt64(0), 0.0, 0.0, 320.0, 1e9, returning: UInt64.self)
        #expect(view.picture.sequence == sequence && view.picture.shown.count == 1000)
        try await view.acknowledge(sequence)
        _ = try await adapter.applyChanges([Upsert("first", "", "first", "", [:])])
        #expect(view.picture.shown.count == 1001 && !view.hasGap)
        await stage.stop()
    }
}

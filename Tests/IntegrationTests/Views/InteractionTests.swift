// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import TestSupport
import Testing

/// Calls of a view's owner that select, move, scroll to and measure items, and calls that list the views.
@Suite("Interaction over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct InteractionTests {
    private func makeStage(
        _ count: Int = 30, _ options: [String: DBusValue] = [:]
    ) async throws -> (Stage, TestAdapter, TestView) {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list", options)
        try await adapter.fill(count)
        return (stage, adapter, try await TestView(adapter))
    }

    @Test(
        "an action and a read follow a viewport that waits until another size is laid out → all are answered in order",
        .rule("VW-32"))
    func ordered() async throws {
        let (stage, _, view) = try await makeStage(20_000)
        let answers = EventLog<String>()
        let calls = [
            Task {
                try await view.setViewport(y: 0)
                answers.record("viewport")
            },
            Task {
                try await view.setViewport(y: 100)
                answers.record("scroll")
            },
            Task {
                _ = try await view.remote.call(
                    "Invoke", "o1", UInt32(0), "star", [String: DBusValue](), returning: Bool.self)
                answers.record("action")
            },
            Task {
                try await view.setViewport(y: 200)
                answers.record("scroll")
            },
            Task { answers.record("read \(try await view.property("Sequence", as: UInt64.self))") },
        ]
        for call in calls { try await call.value }
        #expect(answers.recorded == ["viewport", "scroll", "action", "scroll", "read 3"])
        await stage.stop()
    }

    @Test(
        "items are selected and deselected → each change causes one signal and the new value of the property",
        .rule("SE-01"))
    func selecting() async throws {
        let (stage, adapter, view) = try await makeStage()
        typealias Selected = DBusStruct<String, UInt32>
        let heard = EventLog<String>()
        _ = try await stage.client.subscribe(MatchRule(path: adapter.path, member: "SelectionChanged")) { message in
            let arguments = try? message.decode(
                as: UInt64.self, [Selected].self, [Selected].self, [String: DBusValue].self)
            guard let (_, on, off, _) = arguments else { return }
            heard.record((on.map { "+" + $0.members.0 } + off.map { "-" + $0.members.0 }).joined())
        }
        for (member, id, answer) in [("Select", "o1", true), ("Select", "o1", true), ("Select", "o2", true)] {
            #expect(try await view.remote.call(member, id, UInt32(0), returning: Bool.self) == answer)
        }
        let selected = try await adapter.by(stage.client).property("SelectedItems", as: [Selected].self)
        #expect(selected.map { $0.members.0 } == ["o1", "o2"])
        #expect(try await view.remote.call("Deselect", "o1", UInt32(0), returning: Bool.self))
        #expect(try await view.remote.call("Deselect", "o1", UInt32(0), returning: Bool.self))
        _ = try await adapter.applyChanges(remove: ["o2"])
        #expect(heard.recorded == ["+o1", "+o2", "-o1", "-o2"])
        let missing = await failure {
            _ = try await view.remote.call("Select", "nope", UInt32(0), returning: Bool.self)
        }
        #expect(missing == Listd.error("NoSuchObject"))
        let beyond = await failure { try await view.remote.call("SetHighlighted", "o1", UInt32(7), true) }
        #expect(beyond == Listd.error("NoSuchItem"))
        try await view.remote.call("SetHighlighted", "o1", UInt32(0), true)
        try await view.remote.call("SetHighlighted", "o1", UInt32(0), false)
        await stage.stop()
    }

    @Test(
        "MoveItem in a list with one item per section → the section moves; a position past the end → NoSuchItem",
        .rule("VW-23"))
    func moving() async throws {
        let (stage, adapter, view) = try await makeStage(4)
        try await view.setViewport(y: 0)
        func move(_ from: UInt32, _ to: UInt32) async throws -> (Bool, UInt64) {
            try await view.remote.call(
                "MoveItem", from, UInt32(0), to, UInt32(0), returning: Bool.self, UInt64.self)
        }
        #expect(try await move(0, 2) == (true, 2))
        #expect(try await adapter.objects().rows.map(\.id) == ["o1", "o2", "o0", "o3"])
        #expect(try await move(3, 0) == (true, 3))
        #expect(try await adapter.objects().rows.map(\.id) == ["o3", "o1", "o2", "o0"])
        let past = await failure { _ = try await move(9, 0) }
        #expect(past == Listd.error("NoSuchItem"))
        let target = await failure { _ = try await move(0, 9) }
        #expect(target == Listd.error("NoSuchItem"))
        let mine = view.picture
        #expect(try await view.resync() == mine)
        await stage.stop()
    }

    @Test(
        "MoveItem inside a binding section → the items are reordered; MoveItem into another section → it answers false"
    )
    func movingItems() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter(
            "list",
            [
                "section-controllers": .dictionary(
                    key: "s", value: "s", [.init(key: .string("*"), value: .string("listd/binding"))])
            ])
        func section(_ id: String, _ items: [String]) -> Row {
            let items = DBusValue.array(element: "a{sv}", items.map { .options(["id": .string($0)]) })
            return Row(id, "", ["items": items])
        }
        _ = try await adapter.performUpdates([section("a", ["1", "2", "3"]), section("b", ["4"])])
        let view = try await TestView(adapter)
        try await view.setViewport(y: 0)
        let (moved, revision) = try await view.remote.call(
            "MoveItem", UInt32(0), UInt32(0), UInt32(0), UInt32(2), returning: Bool.self, UInt64.self)
        #expect(moved && revision == 2)
        #expect(
            view.picture.inReadingOrder.map { $0.content["id"]?.unwrapped }
                == ["2", "3", "1", "4"].map { DBusValue.string($0) })
        let (refused, same) = try await view.remote.call(
            "MoveItem", UInt32(0), UInt32(0), UInt32(1), UInt32(0), returning: Bool.self, UInt64.self)
        #expect(!refused && same == 2)
        await stage.stop()
    }

    @Test(
        "ScrollTo → Changed precedes the reply; ReportSizes → the items below the measured item move",
        .rule("AO-02"))
    func scrolling() async throws {
        let (stage, _, view) = try await makeStage(100)
        try await view.setViewport(y: 0)
        let (offset, sequence) = try await view.remote.call(
            "ScrollTo", "o50", UInt32(0), "start", returning: DBusStruct<Double, Double>.self, UInt64.self)
        #expect(offset.members == (0, 2200) && sequence == 2)
        #expect(view.picture.sequence == 2 && view.picture.offset == Position(x: 0, y: 2200))
        // A SetViewport of a client that has not seen the ScrollTo yet does not undo the ScrollTo.
        _ = try await view.setViewport(y: 40, seen: 1)
        #expect(
            try await view.property("Viewport", as: DBusStruct<Double, Double, Double, Double>.self).members.1 == 2200)
        let before = view.picture.shown.values.first { $0.objectID == "o52" }?.frame.y
        typealias Measured = DBusStruct<String, UInt32, Double, Double>
        let reported = try await view.remote.call(
            "ReportSizes", [Measured("o51", 0, 320, 144), Measured("gone", 0, 1, 1)], returning: UInt64.self)
        #expect(reported == view.picture.sequence)
        let after = view.picture.shown.values.first { $0.objectID == "o52" }?.frame.y
        #expect(before.map { $0 + 100 } == after)
        let mine = view.picture
        #expect(try await view.resync() == mine)
        await stage.stop()
    }

    @Test(
        "a view has the layout none → SetVisibleRange determines the shown items, and SetViewport is refused",
        .rule("VW-12"))
    func ranges() async throws {
        let (stage, _, view) = try await makeStage(10, ["layout": .string("none")])
        let sequence = try await view.remote.call(
            "SetVisibleRange", UInt64(0), UInt32(93), UInt32(0), UInt32(99), UInt32(5), returning: UInt64.self)
        #expect(sequence == 1)
        #expect(Set(view.picture.shown.values.map(\.objectID)) == Set((3..<10).map { "o\($0)" }))
        #expect(try await view.property("VisibleObjects", as: [String].self) == (3..<10).map { "o\($0)" })
        let wrong = await failure { try await view.setViewport(y: 0) }
        #expect(wrong == Listd.standardError("InvalidArgs"))
        let backwards = await failure {
            _ = try await view.remote.call(
                "SetVisibleRange", UInt64(0), UInt32(3), UInt32(0), UInt32(2), UInt32(0), returning: UInt64.self)
        }
        #expect(backwards == Listd.standardError("InvalidArgs"))
        await stage.stop()
    }

    @Test(
        "ListViews and ListAdapters are called → each view and list has a row; a view's owner disconnects → it has none"
    )
    func listing() async throws {
        let (stage, adapter, view) = try await makeStage(3)
        try await view.setViewport(y: 0)
        let other = try await stage.connect()
        let second = try await TestView(adapter, by: other)
        typealias ViewRow = DBusStruct<ObjectPath, [String: DBusValue]>
        let rows = try await stage.manager.call("ListViews", returning: [ViewRow].self).map(\.members)
        #expect(rows.map(\.0) == [view.path, second.path])
        func values(_ key: String) -> [DBusValue?] { rows.map { $0.1[key]?.unwrapped } }
        #expect(values("adapter") == [.objectPath(adapter.path), .objectPath(adapter.path)])
        #expect(values("client") == [.string(stage.client.uniqueName), .string(other.uniqueName)])
        #expect(values("user") == [.uint32(geteuid()), .uint32(geteuid())])
        #expect(
            values("sequence") == [.uint64(1), .uint64(0)] && values("acked-sequence") == [.uint64(0), .uint64(0)])
        #expect(values("state") == [.string("active"), .string("new")])
        func range(_ first: UInt32, _ count: UInt32) -> DBusValue { .structure([.uint32(first), .uint32(count)]) }
        #expect(values("visible") == [range(0, 3), range(0, 0)])
        #expect(values("working-range") == [range(0, 3), range(0, 0)])
        let lists = try await ListDaemonClient(connection: stage.client).adapters()
        #expect(lists.map(\.name) == ["list"] && lists.map(\.path) == [adapter.path])
        #expect(lists.map { $0.values["views"] } == [.uint32(2)])
        let gone = EventLog<Void>()
        _ = try await stage.client.watchOwner(of: other.uniqueName) { if $0 == nil { gone.record(()) } }
        other.close()
        _ = try await gone.next()
        _ = try await adapter.objects()
        #expect(try await stage.manager.property("ViewCount", as: UInt32.self) == 1)
        let left = try await ListDaemonClient(connection: stage.client).adapters()
        #expect(left.map { $0.values["views"] } == [.uint32(1)])
        try await stage.manager.call("RemoveAdapter", "list")
        #expect(view.events.recorded.last == .closed("adapter-removed"))
        await stage.stop()
    }
}

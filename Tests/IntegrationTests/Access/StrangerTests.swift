// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Calls of users who are not administrators", .enabled(if: Agent.canBeOthers), .timeLimit(.minutes(3)))
@DBusActor
struct StrangerTests {
    private static let denied = Listd.standardError("AccessDenied")
    private static let limit = Listd.standardError("LimitsExceeded")

    @Test(
        "calls that are reserved for administrators → other users are refused, and nothing changes", .rule("AC-03"),
        arguments: TransportKind.allCases)
    func administration(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        let calls = [
            ("Reload", "", "[]"), ("Dump", "", "[]"), ("AcknowledgeLosses", "", "[]"),
            ("DumpByFileDescriptor", "", "[]"), ("LoadPlugin", "s", #"["/nowhere.so"]"#),
            ("UnloadPlugin", "s", #"["files"]"#),
        ]
        for (member, signature, arguments) in calls {
            let answer = try await stranger.call(Listd.manager, "Manager", member, signature, arguments)
            #expect(answer.error == Self.denied, "\(member)")
        }
        await stage.stop()
    }

    @Test(
        "a user creates a list with another source than push → AccessDenied reveals nothing about the source's path",
        .rule("SO-04"),
        arguments: TransportKind.allCases)
    func sources(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let directory = TemporaryDirectory()
        try "{}".write(toFile: directory.path + "/there", atomically: true, encoding: .utf8)
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        var messages: Set<String> = []
        let sources = [
            "jsonl:\(directory.path)/there", "jsonl:\(directory.path)/missing", "jsonl:\(directory.path)/../there",
            "jsonl:relative", "files/directory?/root", "files/directory?relative", "nowhere/source", "no source at all",
        ]
        for source in sources {
            let arguments = #"["theirs",{"source":"\#(source)","durability":"memory"}]"#
            let answer = try await stranger.refusal(Listd.manager, "Manager", "CreateAdapter", "sa{sv}", arguments)
            #expect(answer.name == Self.denied, "\(source)")
            messages.insert(answer.message.replacing(source, with: "…"))
        }
        #expect(messages.count == 1, "\(messages)")
        #expect(try await stage.names() == [])
        let answer = try await stranger.call(
            Listd.manager, "Manager", "CreateAdapter", "sa{sv}", #"["theirs",{"source":"push","durability":"memory"}]"#)
        #expect(answer.error == nil)
        await stage.stop()
    }

    @Test(
        "a user calls the user's view from another connection → NotOwner; an administrator calls the view → accepted",
        .rule("AC-04"))
    func views() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(5)
        let (owner, other) = (
            try await Agent(stage.bus.address, user: Agent.nobody),
            try await Agent(stage.bus.address, user: Agent.nobody)
        )
        let opened = try await owner.call(adapter.path, "Adapter", "OpenView", "a{sv}", "[{}]").values ?? ""
        let view = try ObjectPath(opened.split(separator: #"""#).dropFirst().first.map(String.init) ?? "")
        let calls = [
            ("SetViewport", "tdddd", "[0,0,0,100,100]"), ("SetVisibleRange", "tuuuu", "[0,0,0,0,0]"),
            ("ReportScroll", "s", #"["began"]"#), ("SetOnScreen", "b", "[true]"),
            ("ScrollTo", "sus", #"["o1",0,"start"]"#), ("ReportSizes", "a(sudd)", "[[]]"),
            ("Select", "su", #"["o1",0]"#), ("Deselect", "su", #"["o1",0]"#),
            ("ChangeSelection", "a(su)a(su)", #"[[["o1",0]],[]]"#),
            ("Invoke", "susa{sv}", #"["o1",0,"a",{}]"#),
            ("SetHighlighted", "sub", #"["o1",0,true]"#), ("MoveItem", "uuuu", "[0,0,1,0]"), ("Ack", "t", "[1]"),
            ("Resync", "", "[]"), ("Close", "", "[]"),
        ]
        for (member, signature, arguments) in calls {
            let answer = try await other.call(view, "View", member, signature, arguments)
            #expect(answer.error == Listd.error("NotOwner"), "\(member)")
        }
        // An administrator may control the view. The view's owner gets the signal.
        let sequence = try await stage.object(view, "View").call(
            "SetViewport", UInt64(0), 0.0, 0.0, 320.0, 480.0, returning: UInt64.self)
        #expect(sequence == 1)
        #expect(try await owner.call(view, "View", "Select", "su", #"["o1",0]"#) == .values("[1]"))
        #expect(try await owner.signals().contains(#""Changed",[1,1,"#))
        #expect(try await other.signals() == "[]")
        await stage.stop()
    }

    @Test("a user reaches a limit → only this user's next call is refused, until the user releases a resource")
    func quotas() async throws {
        let stage = try await Stage(files: [
            "listd.conf": "[Limits]\nAdaptersPerUser=1\nViewsPerUser=1\nObjectsPerUser=2\nBytesPerUser=4K\n"
        ])
        let user = try await Agent(stage.bus.address, user: Agent.nobody)
        let second = try await Agent(stage.bus.address, user: Agent.nobody)
        func create(_ agent: Agent, _ name: String) async throws -> String? {
            try await agent.call(
                Listd.manager, "Manager", "CreateAdapter", "sa{sv}", #"["\#(name)",{"durability":"memory"}]"#
            ).error
        }
        let path: ObjectPath = "/org/listd/Listd1/adapters/theirs"
        func perform(_ rows: String) async throws -> String? {
            try await second.call(path, "Adapter", "PerformUpdates", "ta(ssa{sv})a{sv}", "[0,\(rows),{}]").error
        }
        #expect(try await create(user, "theirs") == nil)
        #expect(try await create(second, "more") == Self.limit)
        _ = try await stage.createAdapter("roots")
        #expect(try await perform(#"[["a","",{}],["b","",{}],["c","",{}]]"#) == Self.limit)
        let text = String(repeating: "x", count: 5000)
        #expect(try await perform(#"[["a","",{"big":"\#(text)"}]]"#) == Self.limit)
        #expect(try await perform(#"[["a","",{}],["b","",{}]]"#) == nil)
        let opened = try await user.call(path, "Adapter", "OpenView", "a{sv}", "[{}]")
        #expect(opened.error == nil)
        #expect(try await second.call(path, "Adapter", "OpenView", "a{sv}", "[{}]").error == Self.limit)
        let counters = try await stage.statistics()
        #expect(counters["quota-refusals"] == 4)
        #expect(counters["adapters"] == 2 && counters["views"] == 1 && counters["objects"] == 2)
        #expect(counters["bytes"].map { $0 > 0 && $0 <= 4096 } == true)
        user.signal(9)
        let closed = EventLog<Void>()
        _ = try await stage.client.watchOwner(of: user.uniqueName) { if $0 == nil { closed.record(()) } }
        _ = try await closed.next()
        // When the list answers a later call, the list has closed the view.
        #expect(try await second.call(path, "Adapter", "GetObjects", "uu", "[0,0]").error == nil)
        #expect(try await second.call(path, "Adapter", "OpenView", "a{sv}", "[{}]").error == nil)
        #expect(try await second.call(Listd.manager, "Manager", "RemoveAdapter", "s", #"["theirs"]"#).error == nil)
        #expect(try await create(second, "more") == nil)
        await stage.stop()
    }
}

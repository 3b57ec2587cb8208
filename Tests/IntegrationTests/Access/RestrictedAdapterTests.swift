// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Access rules, tried by clients that run as other users (docs/rules/contract.md, "Access").
@Suite("Restricted adapters", .enabled(if: Agent.canBeOthers), .timeLimit(.minutes(3)))
@DBusActor
struct RestrictedAdapterTests {
    private static let denied = Listd.standardError("AccessDenied")

    private static let reading: [(member: String, signature: String, arguments: String)] = [
        ("GetObjects", "uu", "[0,10]"), ("GetObjectsByFileDescriptor", "uus", #"[0,10,"jsonl"]"#),
        ("FindObject", "s", #"["o0"]"#), ("GetItems", "uuas", "[0,10,[]]"), ("GetChanges", "st", #"["",0]"#),
        ("GetItemCounts", "uu", "[0,10]"), ("Search", "sasub", #"["o",[],0,false]"#),
        ("OpenView", "a{sv}", "[{}]"), ("Subscribe", "as", "[[]]"),
    ]
    private static let writing: [(member: String, signature: String, arguments: String)] = [
        ("PerformUpdates", "ta(ssa{sv})a{sv}", "[0,[],{}]"),
        ("ApplyChanges", "tasa(ssssa{sv})a{sv}", #"[0,["o0"],[],{}]"#),
        ("MoveObject", "tsss", #"[0,"o0","last",""]"#), ("PatchObject", "tsa{sv}as", #"[0,"o0",{},[]]"#),
        ("ReloadObjects", "as", #"[["o0"]]"#), ("ReloadData", "", "[]"),
    ]

    @Test(
        "a list that only its owner may read → other users see its name, but cannot read, write, follow or remove it",
        .rule("AC-05"),
        arguments: TransportKind.allCases)
    func ownerOnly(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter(
            "secret", ["readers": .string("owner"), "empty": .options(["text": .string("nothing")])])
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        try await stranger.match("sender='\(Listd.name)'")
        let own = EventLog<String>()
        _ = try await stage.client.subscribe(MatchRule(path: adapter.path), onBus: false) {
            own.record($0.member ?? "")
        }
        let subscribed = try await adapter.by(stage.client).call(
            "Subscribe", [String](), returning: UInt64.self, UInt64.self)
        #expect(subscribed == (1, 0))
        try await adapter.fill(3)
        for (member, signature, arguments) in Self.reading + Self.writing {
            let answer = try await stranger.call(adapter.path, "Adapter", member, signature, arguments)
            #expect(answer.error == Self.denied, "\(member)")
        }
        #expect(
            try await stranger.call(Listd.manager, "Manager", "RemoveAdapter", "s", #"["secret"]"#).error == Self.denied
        )
        #expect(try await stranger.property(adapter.path, "Adapter", "SelectedItems").error == Self.denied)
        #expect(try await stranger.property(adapter.path, "Adapter", "ObjectCount") == .values("[3]"))
        let properties = try await stranger.call(
            adapter.path, StandardInterface.properties, "GetAll", "s", #"["org.listd.Listd1.Adapter"]"#)
        let managed = try await stranger.call(
            Listd.manager, StandardInterface.objectManager, "GetManagedObjects")
        for text in [properties.values ?? "", managed.values ?? ""] {
            #expect(text.contains(#""Name":"secret""#) && text.contains(#""readers":"owner""#))
            #expect(!text.contains("SelectedItems") && !text.contains("nothing"))
        }
        #expect(!(try await stranger.signals()).contains("Updated"))
        #expect(own.recorded == ["Updated"])
        let mine = try await adapter.by(stage.client).property("Options", as: [String: DBusValue].self)
        #expect(mine["empty"] != nil)
        #expect(try await adapter.objects().revision == 1)
        await stage.stop()
    }

    @Test(
        "a list that a group may read → members can read and get signals, other users cannot", .rule("AC-02"),
        arguments: TransportKind.allCases)
    func group(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("shared", ["readers": .string("group:nogroup")])
        let member = try await Agent(stage.address(transport), user: Agent.nobody)
        let other = try await Agent(stage.address(transport), user: 2)
        let subscribed = try await member.call(adapter.path, "Adapter", "Subscribe", "as", #"[["updates"]]"#)
        #expect(subscribed == .values("[1,0]"))
        #expect(try await other.call(adapter.path, "Adapter", "Subscribe", "as", "[[]]").error == Self.denied)
        try await adapter.fill(2)
        let epoch = try await adapter.epoch()
        let objects = try await member.call(adapter.path, "Adapter", "GetObjects", "uu", "[0,0]")
        #expect(objects == .values(#"["\#(epoch)",1,2,[]]"#))
        #expect(try await member.signals().contains(#"["\#(epoch)",0,1,"update",1,2,2,"#))
        #expect(try await member.call(adapter.path, "Adapter", "Unsubscribe", "t", "[1]") == .values("[]"))
        try await adapter.fill(3)
        #expect(try await member.call(adapter.path, "Adapter", "ReloadData").error == Self.denied)
        #expect(try await member.signals() == "[]")
        await stage.stop()
    }

    @Test(
        "a view of a restricted list → the list's readers, the view's owner and administrators can read the view",
        arguments: TransportKind.allCases)
    func views(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("shared", ["readers": .string("group:nogroup")])
        try await adapter.fill(3)
        let owner = try await Agent(stage.address(transport), user: Agent.nobody)
        let reader = try await Agent(stage.address(transport), user: Agent.nobody)
        let stranger = try await Agent(stage.address(transport), user: 2)
        let opened = try await owner.call(adapter.path, "Adapter", "OpenView", "a{sv}", "[{}]").values ?? ""
        let view = try ObjectPath(opened.split(separator: #"""#).dropFirst().first.map(String.init) ?? "")
        let seen = try await owner.call(view, "View", "SetViewport", "tdddd", "[0,0,0,100,100]")
        #expect(seen == .values("[1]"))
        let shown = [
            "Sequence": "[1]", "AckedSequence": "[0]", "ContentSize": "[100.0,132.0]",
            "Viewport": "[0.0,0.0,100.0,100.0]", "WorkingRange": "[0,3]", "VisibleObjects": #"[["o0","o1","o2"]]"#,
        ]
        let all = (StandardInterface.properties, "GetAll", "s", #"["org.listd.Listd1.View"]"#)
        for agent in [owner, reader] {
            for (name, value) in shown {
                #expect(try await agent.property(view, "View", name) == .values(value), "\(name)")
            }
            let values = try await agent.call(view, all.0, all.1, all.2, all.3).values ?? ""
            for name in shown.keys { #expect(values.contains(#""\#(name)":"#)) }
            let views = try await agent.call(Listd.manager, "Manager", "ListViews").values ?? ""
            #expect(
                views.contains(#""sequence":1,"state":"active","user":65534,"visible":[0,3],"working-range":[0,3]}"#),
                "\(views)")
        }
        for name in shown.keys {
            #expect(try await stranger.property(view, "View", name).error == Self.denied, "\(name)")
        }
        let values = try await stranger.call(view, all.0, all.1, all.2, all.3).values ?? ""
        for name in shown.keys { #expect(!values.contains(#""\#(name)":"#), "\(values)") }
        #expect(values.contains(#""State":"active""#))
        let views = try await stranger.call(Listd.manager, "Manager", "ListViews").values ?? ""
        #expect(views.contains(#""sequence":0,"state":"active","user":65534}"#), "\(views)")
        #expect(try await stage.object(view, "View").property("Sequence", as: UInt64.self) == 1)
        await stage.stop()
    }

    private func remove(_ name: String, by agent: Agent) async throws -> String? {
        try await agent.call(Listd.manager, "Manager", "RemoveAdapter", "s", #"["\#(name)"]"#).error
    }

    @Test("a list that any user may write → another user can write, but cannot remove the list")
    func writers() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("open", ["writers": .string("any")])
        let stranger = try await Agent(stage.bus.address, user: Agent.nobody)
        let (member, signature, _) = Self.writing[0]
        let answer = try await stranger.call(adapter.path, "Adapter", member, signature, #"[0,[["a","",{}]],{}]"#)
        #expect(answer == .values("[1]"))
        #expect(
            try await stranger.call(Listd.manager, "Manager", "RemoveAdapter", "s", #"["open"]"#).error == Self.denied)
        await stage.stop()
    }

    @Test("a user's list → root can write and remove the list, another user can only read", .rule("AC-01"))
    func ownedByAnother() async throws {
        let stage = try await Stage()
        let owner = try await Agent(stage.bus.address, user: Agent.nobody)
        let third = try await Agent(stage.bus.address, user: 2)
        let options = #"["theirs",{"durability":"memory"}]"#
        #expect(try await owner.call(Listd.manager, "Manager", "CreateAdapter", "sa{sv}", options).error == nil)
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/theirs")
        try await adapter.fill(1)
        #expect(try await owner.call(adapter.path, "Adapter", "ReloadData") == .values("[2]"))
        #expect(try await third.call(adapter.path, "Adapter", "ReloadData").error == Self.denied)
        #expect(
            try await third.call(adapter.path, "Adapter", "GetObjects", "uu", "[0,0]").values?.hasSuffix(",2,1,[]]")
                == true)
        #expect(
            try await third.call(Listd.manager, "Manager", "RemoveAdapter", "s", #"["theirs"]"#).error == Self.denied)
        try await stage.manager.call("RemoveAdapter", "theirs")
        await stage.stop()
    }

    /// Replaces the file of the list `news`, and reloads the configuration.
    private func reload(_ stage: Stage, newsFile text: String) async throws {
        try text.write(
            toFile: stage.listd.directory.appending(path: "config/news.list").path, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
    }

    @Test(
        "a reload revokes a user's read access → the user's view is closed and the subscription ends",
        .rule("AC-06"))
    func readAccessRemoved() async throws {
        let stage = try await Stage(files: ["news.list": "[List]\nDescription=news\n"])
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/news")
        try await adapter.fill(3)
        let stranger = try await Agent(stage.bus.address, user: Agent.nobody)
        #expect(try await stranger.call(adapter.path, "Adapter", "Subscribe", "as", "[[]]").error == nil)
        #expect(try await stranger.call(adapter.path, "Adapter", "OpenView", "a{sv}", "[{}]").error == nil)
        try await reload(stage, newsFile: "[List]\nReaders=owner\n")
        try await adapter.fill(4)
        #expect(try await stranger.call(adapter.path, "Adapter", "ReloadData").error == Self.denied)
        let heard = try await stranger.signals()
        #expect(heard.contains(#""Closed",["closed"]"#) && !heard.contains("Updated"))
        #expect(try await stage.manager.property("ViewCount", as: UInt32.self) == 0)
        await stage.stop()
    }

    @Test("a reload revokes read access while a user's reads are queued → the queued reads are refused")
    func readAccessRemovedFromReads() async throws {
        let stage = try await Stage.withDirectSocket(files: ["news.list": "[List]\nDescription=news\n"])
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/news")
        _ = try await adapter.performUpdates([
            Row("large", "", ["text": .string(String(repeating: "x", count: 3 << 20))])
        ])
        let stranger = try await Agent(stage.address(.direct), user: Agent.nobody)
        try await stranger.begin(adapter.path, "GetObjects", "uu", "[0,1]", times: 20)
        while try await stage.statistics()["reads-held"] ?? 0 == 0 {}
        try await reload(stage, newsFile: "[List]\nReaders=owner\n")
        let outcomes = try await stranger.outcomes().split(separator: ",")
        // Two reads were already being answered. The other reads were still queued.
        #expect(outcomes.count { $0.contains("ok") } <= 2 && outcomes.count { $0.contains(Self.denied) } >= 18)
        await stage.stop()
    }

    @Test("a reload revokes write access while a user's file is being read → the write is refused")
    func writeAccessRemoved() async throws {
        let stage = try await Stage(files: ["news.list": "[List]\nWriters=any\n"])
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/news")
        try await adapter.fill(3)
        let stranger = try await Agent(stage.bus.address, user: Agent.nobody)
        try await stranger.begin(
            adapter.path, "PerformUpdatesFromFile", "thsa{sv}", #"[0,{"pipe":0},"jsonl",{}]"#)
        #expect(try await stranger.property(adapter.path, "Adapter", "Revision") == .values("[1]"))
        try await reload(stage, newsFile: "[List]\nWriters=owner\n")
        try await stranger.feed("")
        #expect(try await stranger.outcomes() == #"["\#(Self.denied)"]"#)
        #expect(try await adapter.objects().revision == 1)
        await stage.stop()
    }
}

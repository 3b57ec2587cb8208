// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Rights to read and to create lists that follow other lists.
@Suite("Access to lists that follow other lists", .enabled(if: Agent.canBeOthers), .timeLimit(.minutes(3)))
@DBusActor
struct FollowingAccessTests {
    private static let denied = Listd.standardError("AccessDenied")

    /// Replaces the file of the list `news`, and reloads the configuration.
    private func reload(_ stage: Stage, newsFile text: String) async throws {
        try text.write(
            toFile: stage.listd.directory.appending(path: "config/news.list").path, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
    }

    @Test(
        "a reload revokes a group's read access → members lose access to following lists, and their views end",
        .rule("FO-04"),
        arguments: TransportKind.allCases)
    func readAccessRemoved(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket(files: ["news.list": "[List]\nReaders=group:nogroup\n"])
        try await stage.list("news").fill(3)
        let found = try await stage.createFollower("found", of: "news", "sort=n")
        let second = try await stage.createFollower("second", of: "found")
        for list in [found, second] { try await list.wait(forCount: 3) }
        let member = try await Agent(stage.address(transport), user: Agent.nobody)
        let stranger = try await Agent(stage.address(transport), user: 2)
        for list in [found, second] {
            #expect(try await member.call(list.path, "Adapter", "GetObjects", "uu", "[0,0]").error == nil)
            #expect(try await stranger.call(list.path, "Adapter", "GetObjects", "uu", "[0,0]").error == Self.denied)
            #expect(try await stranger.call(list.path, "Adapter", "Subscribe", "as", "[[]]").error == Self.denied)
            #expect(try await member.call(list.path, "Adapter", "Subscribe", "as", "[[]]").error == nil)
            #expect(try await member.call(list.path, "Adapter", "OpenView", "a{sv}", "[{}]").error == nil)
        }
        try await reload(stage, newsFile: "[List]\nReaders=group:daemon\n")
        for list in [found, second] {
            #expect(try await member.call(list.path, "Adapter", "GetObjects", "uu", "[0,0]").error == Self.denied)
            #expect(try await member.call(list.path, "Adapter", "OpenView", "a{sv}", "[{}]").error == Self.denied)
        }
        _ = try await member.signals()
        try await stage.list("news").fill(5)
        for list in [found, second] { try await list.wait(forCount: 5) }
        #expect(!(try await member.signals()).contains("Updated"))
        #expect(try await stage.manager.property("ViewCount", as: UInt32.self) == 0)
        try await reload(stage, newsFile: "[List]\nReaders=any\n")
        #expect(try await stranger.call(second.path, "Adapter", "GetObjects", "uu", "[0,0]").error == nil)
        await stage.stop()
    }

    @Test(
        "a user leaves the group that may read a list → after a reload, the user cannot read the list's followers",
        arguments: TransportKind.allCases)
    func groupLeft(transport: TransportKind) async throws {
        // Only this listd sees these groups.
        let directory = TemporaryDirectory()
        let groups = directory.path + "/group"
        let others = try String(contentsOfFile: "/etc/group", encoding: .utf8)
        let gardeners = "gardeners:x:64998:"
        func write(_ members: String) throws {
            try (others + gardeners + members + "\n").write(toFile: groups, atomically: false, encoding: .utf8)
        }
        try write("nobody")
        let stage = try await Stage(
            on: try PrivateBus(.session), arguments: TransportKind.arguments,
            files: ["news.list": "[List]\nReaders=group:gardeners\n"],
            launcher: [
                "/usr/bin/unshare", "--mount", "/bin/sh", "-c", #"mount --bind "$0" /etc/group && exec "$@""#, groups,
            ])
        try await stage.list("news").fill(3)
        let found = try await stage.createFollower("found", of: "news", "sort=n")
        let second = try await stage.createFollower("second", of: "found")
        for list in [found, second] { try await list.wait(forCount: 3) }
        let member = try await Agent(stage.address(transport), user: Agent.nobody)
        func readError(_ list: TestAdapter) async throws -> String? {
            try await member.call(list.path, "Adapter", "GetObjects", "uu", "[0,0]").error
        }
        for list in [found, second] {
            #expect(try await readError(list) == nil)
            #expect(try await member.call(list.path, "Adapter", "Subscribe", "as", "[[]]").error == nil)
            #expect(try await member.call(list.path, "Adapter", "OpenView", "a{sv}", "[{}]").error == nil)
        }
        try write("")
        try await stage.manager.call("Reload")
        for list in [found, second] { #expect(try await readError(list) == Self.denied) }
        // Each list closes its views on its own executor, possibly after the reply.
        while try await stage.manager.property("ViewCount", as: UInt32.self) > 0 { await Task.yield() }
        _ = try await member.signals()
        try await stage.list("news").fill(5)
        for list in [found, second] { try await list.wait(forCount: 5) }
        #expect(!(try await member.signals()).contains("Updated"))
        try write("nobody")
        try await stage.manager.call("Reload")
        for list in [found, second] { #expect(try await readError(list) == nil) }
        await stage.stop()
    }

    @Test("a user may read a list → the user may follow it until the access is revoked; other users may not")
    func creators() async throws {
        let stage = try await Stage(files: [
            "listd.conf": "[Daemon]\nCreators=administrators\n", "news.list": "[List]\nReaders=group:nogroup\n",
        ])
        try await stage.list("news").fill(3)
        let member = try await Agent(stage.bus.address, user: Agent.nobody)
        let stranger = try await Agent(stage.bus.address, user: 2)
        func create(_ agent: Agent, _ name: String, _ options: String) async throws -> String? {
            try await agent.call(
                Listd.manager, "Manager", "CreateAdapter", "sa{sv}", #"["\#(name)",\#(options)]"#
            ).error
        }
        let transient = #"{"source":"list:news","transient":true}"#
        #expect(try await create(member, "mine", transient) == nil)
        #expect(try await create(member, "kept", #"{"source":"list:news"}"#) == Self.denied)
        #expect(try await create(member, "push", #"{"transient":true}"#) == Self.denied)
        #expect(try await create(stranger, "theirs", transient) == Self.denied)
        #expect(
            try await create(stranger, "theirs", #"{"source":"list:nowhere","transient":true}"#)
                == Listd.error("NoSuchAdapter"))
        let mine = try stage.list("mine")
        try await mine.wait(forCount: 3)
        #expect(
            try await member.call(mine.path, "Adapter", "SetSourceArgument", "s", #"["limit=2"]"#).error == nil)
        #expect(
            try await stranger.call(mine.path, "Adapter", "SetSourceArgument", "s", #"["limit=1"]"#).error
                == Self.denied)
        #expect(try await member.call(mine.path, "Adapter", "GetObjects", "uu", "[0,0]").error == nil)
        #expect(try await stranger.call(mine.path, "Adapter", "GetObjects", "uu", "[0,0]").error == Self.denied)
        // The creator loses the right to read the followed list. The follower fails, and its creator cannot read it.
        try await reload(stage, newsFile: "[List]\nReaders=group:daemon\n")
        try await mine.wait(until: "failed")
        #expect(try await mine.sourceError.contains("news"))
        #expect(try await member.call(mine.path, "Adapter", "GetObjects", "uu", "[0,0]").error == Self.denied)
        try await reload(stage, newsFile: "[List]\nReaders=any\n")
        try await mine.wait(until: "ready")
        member.signal(SIGKILL)
        while try await stage.manager.property("AdapterCount", as: UInt32.self) != 1 {}
        await stage.stop()
    }
}

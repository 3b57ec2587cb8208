// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// Followers of a list that is renamed, or whose worker dies.
@Suite("Followed lists that are renamed or run in a worker", .timeLimit(.minutes(5)))
@DBusActor
struct FollowingBaseTests {
    @Test(
        "the followed list is renamed → the follower fails, then follows a new list with the old name",
        arguments: TransportKind.allCases)
    func renamed(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let daemon = ListDaemonClient(connection: try await stage.connect(transport))
        try await stage.createAdapter("base").fill(4)
        let found = try await stage.createFollower("found", of: "base", "limit=3")
        try await found.wait(forCount: 3)
        try await daemon.renameAdapter("base", to: "other")
        try await found.wait(until: "failed")
        try await found.wait(forCount: 0)
        #expect(try await found.sourceError.contains("base"))
        // The list is not followed under its new name.
        try await stage.list("other").fill(2)
        try await stage.createAdapter("base").fill(1)
        try await found.wait(forIDs: ["o0"])
        try await found.wait(until: "ready")
        try await daemon.renameAdapter("base", to: "third")
        try await daemon.renameAdapter("other", to: "base")
        try await found.wait(forCount: 2)
        _ = try await stage.list("base").applyChanges(remove: ["o0"])
        try await found.wait(forIDs: ["o1"])
        #expect(try await found.sourceError == "")
        await stage.stop()
    }

    @Test("the following list is renamed → the list still follows", arguments: TransportKind.allCases)
    func followerRenamed(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let daemon = ListDaemonClient(connection: try await stage.connect(transport))
        let base = try await stage.createAdapter("base")
        try await base.fill(4)
        let found = try await stage.createFollower("found", of: "base", "limit=3")
        try await found.wait(forCount: 3)
        try await daemon.renameAdapter("found", to: "seen")
        let seen = try stage.list("seen")
        #expect(try await seen.by(stage.client).property("State", as: String.self) == "ready")
        _ = try await base.applyChanges(remove: ["o0"])
        try await seen.wait(forIDs: ["o1", "o2", "o3"])
        _ = try await seen.by(stage.client).call("SetSourceArgument", "limit=1", returning: UInt64.self)
        try await seen.wait(forIDs: ["o1"])
        await stage.stop()
    }

    @Test("a rename would create a cycle of following lists → InvalidArgs, and nothing changes")
    func circles() async throws {
        let stage = try await Stage()
        try await stage.createAdapter("base").fill(3)
        let first = try await stage.createFollower("first", of: "base")
        let second = try await stage.createFollower("second", of: "first")
        try await second.wait(forCount: 3)
        try await stage.manager.call("RenameAdapter", "base", "away")
        for list in [first, second] { try await list.wait(forCount: 0) }
        let names = try await stage.names()
        for name in ["first", "second"] {
            let error = await stage.error { try await stage.manager.call("RenameAdapter", name, "base") }
            #expect(error?.name == Listd.standardError("InvalidArgs"), "\(name)")
            #expect(error?.message.contains(name) == true)
        }
        #expect(try await stage.names() == names)
        try await first.wait(until: "failed")
        try await stage.manager.call("RenameAdapter", "away", "base")
        for list in [first, second] { try await list.wait(forCount: 3) }
        try await second.wait(until: "ready")
        await stage.stop()
    }

    @Test("the worker of the followed list dies → the follower stays up to date before, during and after the restart")
    func worker() async throws {
        let horrors = try await HorrorStage()
        let stage = horrors.stage
        let base = try await horrors.makeList("base", "Steady")
        try await base.fill(6)
        let found = try await stage.createFollower("found", of: "base", "limit=4")
        try await found.wait(forCount: 4)
        _ = try await base.applyChanges(remove: ["o0"])
        try await found.wait(forIDs: ["o1", "o2", "o3", "o4"])
        kill(try await horrors.process, SIGKILL)
        // The answer may arrive while the next worker is started.
        _ = try await base.applyChanges(remove: ["o1"])
        try await found.wait(forIDs: ["o2", "o3", "o4", "o5"])
        try await horrors.wait(for: "ready", restarts: 1)
        _ = try await base.applyChanges([Upsert("new", "", "first", "", [:])])
        try await found.wait(forIDs: ["new", "o2", "o3", "o4"])
        #expect(try await found.by(stage.client).property("State", as: String.self) == "ready")
        await horrors.stop()
    }
}

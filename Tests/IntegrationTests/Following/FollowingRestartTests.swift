// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

/// Stored lists that follow other lists, after a restart of listd.
@Suite("Following lists after a restart", .timeLimit(.minutes(3)))
@DBusActor
struct FollowingRestartTests {
    @Test("listd is killed and restarted → the following list keeps argument and epoch, and gets all later changes")
    func killed() async throws {
        let store = try StoreStage()
        let first = try await store.start()
        // Lists are restored in order of their names, so the follower is restored first.
        let base = try await first.createStored("base")
        try await base.fill(6)
        let found = try await first.createFollower("a", of: "base", "limit=5", ["durability": .string("disk")])
        try await found.wait(forCount: 5)
        _ = try await found.by(first.client).call("SetSourceArgument", "limit=4", returning: UInt64.self)
        let (epoch, revision) = (try await found.epoch(), try await found.objects().revision)
        await first.kill()
        try await store.run { stage in
            let found = try stage.list("a")
            try await found.wait(until: "ready")
            #expect(try await found.epoch() == epoch)
            #expect(try await found.objects().revision == revision)
            #expect(try await found.by(stage.client).property("Source", as: String.self) == "list:base?limit=4")
            _ = try await stage.list("base").applyChanges(remove: ["o0"])
            try await found.wait(forIDs: ["o1", "o2", "o3", "o4"])
        }
        // The followed list does not exist when listd starts, because it was not stored.
        try await store.run { stage in
            let lost = try await stage.createAdapter("lost")
            try await lost.fill(2)
            let follower = try await stage.createFollower("b", of: "lost", "", ["durability": .string("disk")])
            try await follower.wait(forCount: 2)
        }
        try await store.run { stage in
            let follower = try stage.list("b")
            #expect(try await follower.by(stage.client).property("State", as: String.self) == "failed")
            try await follower.wait(forCount: 0)
            #expect(try await follower.sourceError.contains("lost"))
            try await stage.list("a").wait(forCount: 4)
        }
    }

    @Test(
        "the store fails → a new source argument is refused; the store recovers → the following list catches up")
    func refused() async throws {
        let store = try StoreStage()
        let stage = try await store.start()
        let base = try await stage.createAdapter("base")
        try await base.fill(6)
        let found = try await stage.createFollower("a", of: "base", "limit=5", ["durability": .string("disk")])
        try await found.wait(forCount: 5)
        try store.hideFile()
        let error = await stage.error {
            _ = try await found.by(stage.client).call("SetSourceArgument", "limit=4", returning: UInt64.self)
        }
        #expect(error?.name == Listd.error("StoreFailed"))
        #expect(try await found.by(stage.client).property("Source", as: String.self) == "list:base?limit=5")
        _ = try await base.applyChanges(remove: ["o0", "o1"])
        try await found.wait(until: "failed")
        try store.restoreFile()
        try await found.wait(forIDs: ["o2", "o3", "o4", "o5"])
        await stage.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Stored lists after a restart of listd", .timeLimit(.minutes(5)))
@DBusActor
struct RestartTests {
    private func rows(_ ids: String...) -> [Row] { ids.map { Row($0, "t", ["v": .string($0)]) } }

    @Test(
        "listd is stopped and restarted → a list's objects, order, options, epoch and revision are unchanged",
        .rule("AO-05"))
    func restart() async throws {
        let stages = try StoreStage()
        let options: [String: DBusValue] = [
            "durability": .string("fsync"), "layout": .string("none"), "readers": .string("owner"),
        ]
        let before = try await stages.run { stage in
            let adapter = try await stage.createAdapter("a list", options)
            _ = try await adapter.performUpdates(rows("a", "b", "c"))
            _ = try await adapter.moveObject("c", "first", "")
            return try await (epoch: adapter.epoch(), state: adapter.objects())
        }
        var mirror = ListMirror(before.state)
        try await stages.run { stage in
            let adapter = try await stage.adapter("a list")
            let state = try await adapter.objects()
            #expect(state.revision == 2 && state.rows == before.state.rows)
            #expect(try await adapter.epoch() == before.epoch)
            let shown = try await adapter.by(stage.client).property("Options", as: [String: DBusValue].self)
            for (name, value) in options { #expect(shown[name] == value) }
            #expect(try await adapter.changes(since: 0).map(\.revision) == [1, 2])
            #expect(try await adapter.applyChanges([Upsert("d", "t", "last", "", [:])]) == 3)
            mirror = try await mirror.caughtUp(with: adapter)
        }
        try await stages.run { stage in
            #expect(try await stage.adapter("a list").objects().rows.map(\.id) == ["c", "a", "b", "d"])
            try await stage.manager.call("RemoveAdapter", "a list")
        }
        try await stages.run { stage in
            #expect(try await stage.names().isEmpty)
            let again = try await stage.createStored("a list")
            #expect(try await again.epoch() != before.epoch)
            #expect(try await again.objects().revision == 0)
        }
    }

    @Test(
        "a list is stored with the empty name → it is restored with its objects as unnamed, or unnamed-2 if that is taken",
        .rule("NA-09"))
    func unnamed() async throws {
        let stages = try StoreStage()
        try await stages.run { stage in
            _ = try await stage.createStored("unnamed")
            _ = try await stage.createStored("nameless").performUpdates(rows("a", "b"))
        }
        let script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.executescript(sys.argv[2])"
        // Only a store of an earlier version, without digests, can have such a name.
        let statement = "UPDATE adapter SET name = '' WHERE name = 'nameless'; " + StoreStage.earlierSchema
        let outcome = try await ChildProcess.run(
            "/usr/bin/env", ["python3", "-c", script, stages.file, statement], timeout: .seconds(60))
        try #require(outcome.status == 0, "\(outcome.lines)")
        for _ in 0..<2 {
            let (names, ids) = try await stages.run { stage in
                (try await stage.names(), try await stage.adapter("unnamed-2").objects().rows.map(\.id))
            }
            #expect(names == ["unnamed", "unnamed-2"] && ids == ["a", "b"])
        }
    }

    @Test(
        "a restored list is not used yet → its revision and recorded changes are readable without creating its engine")
    func resting() async throws {
        let stages = try StoreStage()
        let before = try await stages.run { stage in
            let adapter = try await stage.createStored("a list")
            _ = try await adapter.performUpdates(rows("a", "b", "c"))
            return try await adapter.objects()
        }
        try await stages.run { stage in
            let adapter = try await stage.adapter("a list")
            let remote = adapter.by(stage.client)
            #expect(try await remote.property("Revision", as: UInt64.self) == 1)
            #expect(try await remote.property("ObjectCount", as: UInt32.self) == 3)
            #expect(try await remote.property("ItemCount", as: UInt32.self) == 3)
            #expect(try await adapter.changes(since: 0).map(\.revision) == [1])
            let counters = try await stage.manager.call("GetStatistics", returning: [String: UInt64].self)
            #expect(counters["objects"] == 3 && counters["items"] == 3)
            #expect(try await stage.manager.call("Dump", returning: String.self).contains("not used yet"))
            let state = try await adapter.objects()
            #expect(state.revision == before.revision && state.rows == before.rows)
            #expect(try await !stage.manager.call("Dump", returning: String.self).contains("not used yet"))
        }
        // A restored list that was never used loses nothing when listd ends.
        try await stages.run { stage async throws in
            #expect(try await stage.adapter("a list").epoch().isEmpty == false)
        }
        #expect(try await stages.names() == ["a list"])
    }

    @Test("a list has durability memory → the list ends with the daemon, and the store contains no part of the list")
    func memory() async throws {
        let stages = try StoreStage()
        try await stages.run { stage in
            _ = try await stage.createAdapter("forgotten").performUpdates(rows("a"))
            _ = try await stage.createStored("kept").performUpdates(rows("b"))
        }
        #expect(try await stages.names() == ["kept"])
    }

    @Test("listd restarts → a configured list keeps its objects, unless its source changed or its file was removed")
    func configured() async throws {
        let stages = try StoreStage()
        let plain = "[List]\nDescription=one\n"
        let epochs = try await stages.run(files: ["a.list": plain, "b.list": plain, "c.list": plain]) { stage in
            var epochs: [String: String] = [:]
            for name in ["a", "b", "c"] {
                let adapter = try await stage.adapter(name)
                _ = try await adapter.performUpdates(rows(name))
                epochs[name] = try await adapter.epoch()
            }
            return epochs
        }
        let source = TemporaryDirectory()
        try "{\"id\": \"from the file\"}\n".write(toFile: source.path + "/x.jsonl", atomically: true, encoding: .utf8)
        let other = "[List]\nSource=jsonl:\(source.path)/x.jsonl\n"
        // A file with an error does not remove the list that it configured.
        let faulty = ["a.list": plain + "Layout=none\n", "c.list": "[List]\nLayout=round\n"]
        #expect(try await stages.names(files: faulty) == ["a"])
        try await stages.run(files: ["a.list": plain, "b.list": other, "c.list": plain]) { stage in
            for name in ["a", "c"] {
                let adapter = try await stage.adapter(name)
                #expect(try await adapter.objects().rows.map(\.id) == [name])
                #expect(try await adapter.epoch() == epochs[name])
            }
            #expect(try await stage.adapter("b").epoch() != epochs["b"])
        }
        #expect(try await stages.names(files: ["c.list": plain]) == ["c"])
        try await stages.run(files: ["a.list": plain, "c.list": plain]) { stage async throws in
            #expect(try await stage.adapter("a").objects().rows.isEmpty)
            #expect(try await stage.adapter("a").epoch() != epochs["a"])
        }
    }

    @Test(
        "a list's file has an error at startup → the list is left out, and its name is reserved until a correction"
    )
    func leftOut() async throws {
        let stages = try StoreStage()
        let plain = "[List]\nDescription=one\n"
        let epoch = try await stages.run(files: ["x.list": plain]) { stage in
            let adapter = try await stage.adapter("x")
            _ = try await adapter.performUpdates(rows("a"))
            return try await adapter.epoch()
        }
        let stage = try await stages.start(files: ["x.list": plain + "Foo=1\n"])
        #expect(try await stage.names().isEmpty)
        let taken = await #expect(throws: DBusError.self) { try await stage.createStored("x") }
        #expect(taken?.name == Listd.error("AdapterExists"))
        let file = stage.listd.directory.path + "/config/x.list"
        // A reload that fails keeps the stored list.
        await #expect(throws: DBusError.self) { try await stage.manager.call("Reload") }
        try plain.write(toFile: file, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
        let adapter = try await stage.adapter("x")
        #expect(try await adapter.by(stage.client).property("ObjectCount", as: UInt32.self) == 1)
        #expect(try await adapter.objects().rows.map(\.id) == ["a"])
        #expect(try await adapter.epoch() == epoch)
        #expect(try await adapter.applyChanges([Upsert("b", "t", "last", "", [:])]) == 2)
        await stage.stop()
        try await stages.run(files: ["x.list": plain]) { stage async throws in
            #expect(try await stage.adapter("x").objects().rows.map(\.id) == ["a", "b"])
        }
        // When the faulty file is deleted, a reload removes the stored list.
        let other = try await stages.start(files: ["x.list": plain + "Foo=1\n"])
        try FileManager.default.removeItem(atPath: other.listd.directory.path + "/config/x.list")
        try await other.manager.call("Reload")
        #expect(try await other.createStored("x").objects().rows.isEmpty)
        await other.stop()
        #expect(try await stages.names() == ["x"])
    }

    @Test("Reload changes durability → a list with disk is stored from then on, and a list with memory is forgotten")
    func reloadedDurability() async throws {
        let stages = try StoreStage()
        let (memory, disk) = ("[List]\nDurability=memory\n", "[List]\nDurability=disk\n")
        let stage = try await stages.start(files: ["a.list": memory, "b.list": disk])
        for name in ["a", "b"] { _ = try await stage.adapter(name).performUpdates(rows(name, "2", "3")) }
        for (name, text) in [("a", disk), ("b", memory)] {
            try text.write(
                toFile: stage.listd.directory.path + "/config/\(name).list", atomically: true, encoding: .utf8)
        }
        try await stage.manager.call("Reload")
        _ = try await stage.adapter("a").applyChanges(remove: ["2"])
        let epoch = try await stage.adapter("a").epoch()
        await stage.kill()
        try await stages.run(files: ["a.list": disk, "b.list": disk]) { stage in
            let state = try await stage.adapter("a").objects()
            #expect(state.revision == 2 && state.rows.map(\.id) == ["a", "3"])
            #expect(try await stage.adapter("a").epoch() == epoch)
            // listd was killed, so the record of the last changes is lost.
            #expect(try await stage.adapter("a").oldestRevision() == 2)
            #expect(try await stage.adapter("b").objects().rows.isEmpty)
        }
    }

    @Test(
        "the database is damaged → listd keeps it aside, and names what is lost until that is acknowledged",
        .rule("DU-05"))
    func damage() async throws {
        let stages = try StoreStage()
        let epoch = try await stages.run { stage in
            let adapter = try await stage.createStored("mail")
            _ = try await adapter.performUpdates(rows("a"))
            return try await adapter.epoch()
        }
        try #require(unsafe truncate(stages.file, 5000) == 0)
        try await stages.run { stage async throws in
            #expect(try await stage.names().isEmpty)
            #expect(stage.listd.standardError.contains("the list “mail” was lost: \(stages.file) is damaged"))
            #expect(stage.listd.standardError.contains("listd.db.damaged-"))
            #expect(try await stage.createStored("mail").epoch() != epoch)
        }
        try await stages.run { stage async throws in
            let losses = try await stage.losses()
            #expect(losses.count == 1 && losses[0].hasPrefix("the list “mail” was lost"), "\(losses)")
            #expect(try await stage.statistics()["losses"] == 1)
            #expect(stage.listd.standardError.contains("1 losses are not acknowledged"))
            let heard = EventLog<Bool>()
            let rule = MatchRule(path: Listd.manager, member: "PropertiesChanged")
            _ = try await stage.client.subscribe(rule) { message in
                let arguments = try? message.decode(as: String.self, [String: DBusValue].self, [String].self)
                heard.record(arguments?.1["Losses"] != nil)
            }
            try await stage.manager.call("AcknowledgeLosses")
            #expect(heard.recorded == [true])
            #expect(try await stage.losses().isEmpty)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: stages.state.path)
        #expect(files.contains { $0.hasPrefix("listd.db.damaged-") })
        #expect(try await stages.names() == ["mail"])
    }

    @Test("the state directory is unusable, or another listd uses the directory → listd exits with code 74")
    func noStore() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start()
        let other = try PrivateBus()
        for directory in [stages.state.path, "/proc/listd"] {
            let (outcome, text) = try await ListdProcess.run(bus: other.address, arguments: ["--state", directory])
            #expect(outcome == ListdProcess.Outcome(status: 74), "\(text)")
            let isInUse = text.contains("another process has \(stages.file) open")
            #expect(isInUse == (directory == stages.state.path), "\(text)")
        }
        await stage.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Stored lists with a source", .timeLimit(.minutes(3)), .enabled(if: Agent.canBeOthers))
@DBusActor
struct StoredSourceTests {
    /// Makes another user the creator of all stored lists.
    private func setCreator(_ stages: StoreStage, to user: UInt32) async throws {
        let statement = "update adapter set owner = \(user); " + StoreStage.earlierSchema
        let script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.executescript(sys.argv[2])"
        let outcome = try await ChildProcess.run(
            "/usr/bin/env", ["python3", "-c", script, stages.file, statement], timeout: .seconds(60))
        try #require(outcome.status == 0, "\(outcome.lines)")
    }

    @Test(
        "a stored list's owner is not an administrator → the list is restored as failed, and its file is not read"
    )
    func foreign() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/rows.jsonl"
        try #"{"id": "a"}\#n"#.write(toFile: path, atomically: true, encoding: .utf8)
        let stages = try StoreStage()
        try await stages.run { stage in
            let list = try await stage.createAdapter(
                "list", ["source": .string("jsonl:\(path)"), "durability": .string("disk")])
            while try await list.state != "ready" { await Task.yield() }
        }
        try #"{"id": "b"}\#n"#.write(toFile: path, atomically: true, encoding: .utf8)
        try await stages.run { stage in
            let list = try await stage.adapter("list")
            while try await list.objects().rows.map(\.id) != ["b"] { await Task.yield() }
        }
        try await setCreator(stages, to: Agent.nobody)
        try #"{"id": "c"}\#n"#.write(toFile: path, atomically: true, encoding: .utf8)
        try await stages.run { stage in
            let list = try await stage.adapter("list")
            #expect(try await list.state == "failed")
            let reason = try await list.by(stage.client).property("SourceError", as: String.self)
            #expect(reason.contains("jsonl:\(path)") && reason.contains("administrators"))
            // A reload does not read the file either.
            try await stage.manager.call("Reload")
            #expect(try await list.state == "failed")
            #expect(try await list.objects().rows.map(\.id) == ["b"])
            let owner = try await Agent(stages.bus.address, user: Agent.nobody)
            let removed = try await owner.call(Listd.manager, "Manager", "RemoveAdapter", "s", #"["list"]"#)
            #expect(removed.error == nil)
        }
    }
}

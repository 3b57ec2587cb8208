// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Log lines that name the client that created, removed, emptied or granted access to a list.
@Suite("Log lines that name the caller who made a change", .timeLimit(.minutes(3)))
@DBusActor
struct OriginLogTests {
    /// Returns the log lines about a list that name this user and a process.
    private func logLines(_ stage: Stage, containing words: String) -> [String] {
        stage.listd.standardError.split(separator: "\n").map(String.init).filter { line in
            line.contains(words) && line.contains(" by user \(geteuid()), process ") && line.contains("LISTD_PROCESS=")
                && line.contains("LISTD_USER=\(geteuid())")
        }
    }

    private func write(_ text: String?, to name: String, of stage: Stage) throws {
        let path = stage.listd.directory.appending(path: "config").appending(path: name).path
        if let text {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test(
        "a list is created and removed → the log lines have the user, the process and the list",
        arguments: TransportKind.allCases)
    func life(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let manager = stage.object(Listd.manager, "Manager", by: try await stage.connect(transport))
        let options: [String: DBusValue] = ["durability": .string("memory")]
        _ = try await manager.call("CreateAdapter", "mine", options, returning: ObjectPath.self)
        try await manager.call("RemoveAdapter", "mine")
        await stage.stop()
        #expect(logLines(stage, containing: "adapter “mine” was created").count == 1)
        #expect(logLines(stage, containing: "adapter “mine” was removed").count == 1)
    }

    @Test("Reload adds, removes and replaces lists, and grants access → each change has a log line with the caller")
    func reload() async throws {
        let plain = "[List]\nDescription=x\n"
        let stage = try await Stage(files: ["goes.list": plain, "stays.list": plain, "same.list": plain])
        try write(nil, to: "goes.list", of: stage)
        try write(plain, to: "comes.list", of: stage)
        try write("[List]\nReaders=owner\nWriters=any\n", to: "stays.list", of: stage)
        try write("[List]\nLayout=none\n", to: "same.list", of: stage)
        try await stage.manager.call("Reload")
        await stage.stop()
        #expect(logLines(stage, containing: "adapter “goes” was removed").count == 1)
        #expect(logLines(stage, containing: "adapter “comes” was created").count == 1)
        let changed = "was changed (readers from any to owner, writers from owner to any)"
        #expect(logLines(stage, containing: #"adapter “stays” \#(changed)"#).count == 1)
        #expect(!stage.listd.standardError.contains("adapter “same” was"))
    }

    @Test("SIGHUP grants access to a list → the log line names the signal")
    func signal() async throws {
        let stage = try await Stage(files: ["a.list": "[List]\nDescription=x\n"])
        try write("[List]\nWriters=any\n", to: "a.list", of: stage)
        stage.listd.send(SIGHUP)
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/a")
        while try await adapter.by(stage.client).property("Options", as: [String: DBusValue].self)["writers"]?.unwrapped
            != .string("any")
        {}
        await stage.stop()
        #expect(
            stage.listd.standardError.contains("adapter “a” was changed (writers from owner to any) by SIGHUP"))
    }

    private func rows(_ range: Range<Int>) -> [Row] { range.map { Row("\($0)", "", [:]) } }

    @Test(
        "PerformUpdates removes over half of 1,000 objects → listd logs it; half, or a smaller list → it does not")
    func emptied() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list", ["updater": .string("reload")])
        for range in [0..<999, 0..<0, 0..<1000, 0..<500, 0..<1000, 600..<1600, 600..<2600] {
            _ = try await adapter.performUpdates(rows(range))
        }
        // The list keeps its size, but all objects are new.
        _ = try await adapter.performUpdates(rows(3000..<5000))
        _ = try await adapter.applyChanges(remove: (3000..<4500).map(String.init))
        await stage.stop()
        let lines = logLines(stage, containing: "PerformUpdates by ")
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.contains("revision 6 of adapter “list”, which removed 600 of 1000 objects") == true)
        #expect(lines.last?.contains("revision 8 of adapter “list”, which removed 2000 of 2000 objects") == true)
    }
}

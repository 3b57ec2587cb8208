// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A daemon whose files are removed or damaged", .timeLimit(.minutes(2)))
@DBusActor
struct LostFilesTests {
    private let stages: StoreStage

    init() throws { stages = try StoreStage() }

    private func upserts(_ id: String) -> [Upsert] { [Upsert(id, "t", "last", "", ["v": .string(id)])] }

    private func expectRefused(_ body: () async throws -> Void) async {
        let error = await #expect(throws: DBusError.self) { try await body() }
        #expect(error?.name == Listd.error("StoreFailed"))
    }

    /// Returns the log lines about lost files.
    private func lines(_ stage: Stage) -> [Substring] {
        stage.listd.standardError.split(separator: "\n").filter {
            $0.contains("lost: ") || $0.contains("are not those that listd had last")
        }
    }

    @Test(
        "the state directory cannot be reached → StoreFailed has the reason, the log says that nothing is lost; it can be reached again → changes are stored"
    )
    func unreachable() async throws {
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        #expect(try await adapter.applyChanges(upserts("a")) == 1)
        let (files, moved) = (FileManager.default, stages.state.path + "-moved")
        try files.moveItem(atPath: stages.state.path, toPath: moved)
        try files.createSymbolicLink(atPath: stages.state.path, withDestinationPath: stages.state.path)
        for _ in 0..<3 {
            let error = await #expect(throws: DBusError.self) { try await adapter.applyChanges(upserts("b")) }
            #expect(error?.message.contains("Too many levels of symbolic links") == true, "\(error?.message ?? "")")
        }
        try files.removeItem(atPath: stages.state.path)
        try files.moveItem(atPath: moved, toPath: stages.state.path)
        #expect(try await adapter.applyChanges(upserts("b")) == 2)
        await stage.stop()
        let text = stage.listd.standardError
        #expect(text.contains("cannot be reached: ") && text.contains("nothing is lost"), "\(text)")
        #expect(lines(stage).isEmpty)
        #expect(text.split(separator: "\n").filter { $0.contains("could not be stored") }.count == 1)
        try await stages.run { stage in
            let rows = try await stage.adapter("mail").objects().rows
            #expect(rows.count == 2)
        }
    }

    @Test(
        "the state directory, database or write-ahead log is lost → StoreFailed, and one log line names the file",
        arguments: ["directory", "other directory", "database", "other database", "log"])
    func filesRemoved(what: String) async throws {
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        #expect(try await adapter.applyChanges(upserts("a")) == 1)
        let files = FileManager.default
        let other = TemporaryDirectory()
        var missing = stages.file
        switch what {
        case "directory": try files.removeItem(atPath: stages.state.path)
        case "other directory":
            try files.removeItem(atPath: stages.state.path)
            try files.createDirectory(atPath: stages.state.path, withIntermediateDirectories: true)
        case "database": try files.moveItem(atPath: stages.file, toPath: other.path + "/listd.db")
        case "other database":
            let bytes = files.contents(atPath: stages.file)
            try files.removeItem(atPath: stages.file)
            try #require(files.createFile(atPath: stages.file, contents: bytes))
        default:
            missing += "-wal"
            try files.removeItem(atPath: missing)
        }
        for _ in 0..<2 {
            await expectRefused { _ = try await adapter.applyChanges(upserts("b")) }
            await expectRefused { _ = try await stage.createStored("other") }
            await expectRefused { try await stage.manager.call("RemoveAdapter", "mail") }
        }
        #expect(try await adapter.objects().rows.map(\.id) == ["a"])
        #expect(lines(stage).count == 1 && lines(stage)[0].contains(missing), "\(stage.listd.standardError)")
        // Without the database, all lists are gone.
        await stage.stop()
        let isLog = what == "log"
        #expect(try await stages.names() == (isLog || what == "other database" ? ["mail"] : []))
    }

    @Test("the database is moved away → StoreFailed; the database is moved back → the same call succeeds")
    func movedBack() async throws {
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        #expect(try await adapter.applyChanges(upserts("a")) == 1)
        try #require(unsafe rename(stages.file, stages.file + "-moved") == 0)
        await expectRefused { _ = try await adapter.applyChanges(upserts("b")) }
        try #require(unsafe rename(stages.file + "-moved", stages.file) == 0)
        #expect(try await adapter.applyChanges(upserts("b")) == 2)
        await stage.kill()
        try await stages.run { stage async throws in
            #expect(try await stage.adapter("mail").objects().rows.map(\.id) == ["a", "b"])
        }
    }

    @Test(
        "the database is truncated while listd runs → StoreFailed, and one log line names the file",
        arguments: [0, 4096])
    func cut(size: Int) async throws {
        _ = try await stages.run { stage in
            try await stage.createStored("mail").performUpdates((0..<400).map { Row("\($0)", "t", [:]) })
        }
        let stage = try await stages.start()
        let adapter = try await stage.adapter("mail")
        #expect(try await adapter.applyChanges(upserts("a")) == 2)
        try #require(unsafe truncate(stages.file, size) == 0)
        for _ in 0..<2 { await expectRefused { _ = try await adapter.applyChanges(upserts("b")) } }
        #expect(lines(stage).count == 1 && lines(stage)[0].contains(stages.file), "\(stage.listd.standardError)")
        await stage.kill()
        try await stages.run { stage async throws in
            #expect(try await stage.names().isEmpty)
            #expect(lines(stage).count == 1 && lines(stage)[0].contains(stages.file), "\(stage.listd.standardError)")
        }
        // listd has moved aside all files of the truncated database, including the write-ahead log.
        let names = try FileManager.default.contentsOfDirectory(atPath: stages.state.path)
        #expect(names.contains { $0.hasPrefix("listd.db.damaged-") && $0.hasSuffix("-wal") }, "\(names)")
    }

    @Test(
        "the write-ahead log is damaged or gone after a kill → listd logs its path, keeps a copy, and changes epochs",
        arguments: ["first frame", "last frame", "cut", "empty", "gone"])
    func badFrames(what: String) async throws {
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        for id in ["a", "b", "c"] { _ = try await adapter.applyChanges(upserts(id)) }
        let epoch = try await adapter.epoch()
        await stage.kill()
        let log = stages.file + "-wal"
        var bytes = try #require(FileManager.default.contents(atPath: log))
        switch what {
        case "first frame": bytes[300] ^= 1
        case "last frame": bytes[bytes.count - 4000] ^= 1
        case "cut": bytes = bytes.prefix(bytes.count - 1)
        case "empty": bytes = Data()
        default: bytes = Data()
        }
        if what == "gone" {
            try FileManager.default.removeItem(atPath: log)
        } else {
            try bytes.write(to: URL(fileURLWithPath: log))
        }
        try await stages.run { stage async throws in
            #expect(lines(stage).count == 1 && lines(stage)[0].contains(log), "\(stage.listd.standardError)")
            if try await stage.names().contains("mail") {
                #expect(try await stage.adapter("mail").epoch() != epoch)
            }
        }
        guard !bytes.isEmpty else { return }
        let names = try FileManager.default.contentsOfDirectory(atPath: stages.state.path)
        let copy = try #require(names.first { $0.hasPrefix("listd.db.damaged-") && $0.hasSuffix("-wal") })
        #expect(FileManager.default.contents(atPath: stages.state.path + "/" + copy) == bytes)
    }
}

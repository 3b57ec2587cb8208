// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ListDaemon
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("A store that is damaged, full or killed", .timeLimit(.minutes(2)))
struct StoreDamageTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.file(SQLiteStore.fileName) }

    private func makeStore() async throws {
        let store = try SQLiteStore.open(directory: directory.path).store
        try await store.write(.create(adapter("x")))
        try await store.write(.update("x", 1, .replace((0..<400).map { try object("i\($0)", $0) })))
        await store.close()
    }

    private func expectSetAside(_ reason: String? = nil) async throws {
        let bytes = FileManager.default.contents(atPath: file)
        let opened = try SQLiteStore.open(directory: directory.path, now: 77)
        #expect(opened.adapters.isEmpty && opened.damage?.file == file + ".damaged-77")
        if let reason { #expect(opened.damage?.reason == reason) }
        #expect(FileManager.default.contents(atPath: file + ".damaged-77") == bytes)
        try await opened.store.write(.create(adapter("y")))
        await opened.store.close()
        #expect(try SQLiteStore.open(directory: directory.path).adapters.map(\.adapter.name) == ["y"])
    }

    private func executeSQL(_ sql: String) async throws {
        let result = try await ChildProcess.run("/usr/bin/sqlite3", [file, sql])
        try #require(result.status == 0, "\(result.lines)")
    }

    @Test("the database is a file of random text → it is moved aside, and the service continues")
    func nonsense() async throws {
        try Writing.write(String(repeating: "nonsense", count: 1000), to: file)
        try await expectSetAside("file is not a database")
    }

    @Test("the database is truncated to zero bytes → it is moved aside as damaged")
    func empty() async throws {
        try await makeStore()
        try Writing.write("", to: file)
        try await expectSetAside("the file is empty")
    }

    @Test(
        "the database is another program's, has a newer version or lacks tables → it is moved aside",
        arguments: [
            ("PRAGMA application_id = 1", "the file belongs to another program"),
            ("PRAGMA user_version = 99", "the file has version 99, but this listd supports at most 3"),
            ("DROP TABLE object", "no such table: object"),
        ])
    func foreign(sql: String, reason: String) async throws {
        try await makeStore()
        try await executeSQL(sql)
        try await expectSetAside(reason)
    }

    @Test("the database has an older version → it is migrated without loss")
    func migration() async throws {
        try await makeStore()
        try await executeSQL(
            SQLiteStore.firstVersion
        )
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.damage == nil && opened.adapters.map(\.objects.count) == [400])
        #expect(opened.adapters.map(\.revision) == [1])
        // It is unknown whether the machine was down in between, so the list gets a new epoch, once.
        let epoch = try #require(opened.adapters.first?.adapter.epoch)
        #expect(opened.adapters.map(\.adapter) == [adapter("x", epoch: epoch)] && epoch != "e1")
        await opened.store.close()
        #expect(try await queryRows("PRAGMA user_version; SELECT epoch FROM adapter") == ["3", epoch])
    }

    @Test("the database cannot be migrated → it is moved aside unchanged")
    func failedMigration() async throws {
        try await makeStore()
        try await executeSQL("PRAGMA user_version = 1")
        try await expectSetAside("duplicate column name: configured")
    }

    private func queryRows(_ sql: String) async throws -> [String] {
        let result = try await ChildProcess.run("/usr/bin/sqlite3", [file, sql])
        try #require(result.status == 0, "\(result.lines)")
        return result.lines
    }

    @Test("the database is truncated → it is moved aside")
    func truncated() async throws {
        try await makeStore()
        try #require(unsafe truncate(file, 20000) == 0)
        try await expectSetAside()
    }

    @Test("fields have a form that is not canonical → the database is moved aside with the reason")
    func malformedFields() async throws {
        try await makeStore()
        try await executeSQL("UPDATE object SET fields = x'FF' WHERE position = (SELECT max(position) FROM object)")
        try await expectSetAside(
            "a stored object is malformed: fields: the 1 bytes are not a canonical encoding")
    }

    @Test(
        "the log has a damaged header → it is reported by name, and lists have the state of the last checkpoint",
        arguments: [0, 13, 20, 31])
    func unreadableLog(byte: Int) async throws {
        try await makeStore()
        let live = try SQLiteStore.open(directory: directory.path).store
        try await live.write(.create(adapter("y")))
        let copy = TemporaryDirectory()
        for suffix in ["", "-wal"] {
            let bytes = try #require(FileManager.default.contents(atPath: file + suffix))
            #expect(FileManager.default.createFile(atPath: copy.file(SQLiteStore.fileName) + suffix, contents: bytes))
        }
        await live.close()
        let log = copy.file(SQLiteStore.fileName) + "-wal"
        var bytes = try #require(FileManager.default.contents(atPath: log))
        bytes[byte] ^= 0x40
        try bytes.write(to: URL(fileURLWithPath: log))
        let opened = try SQLiteStore.open(directory: copy.path)
        #expect(opened.logDamage?.file == log && opened.damage == nil && opened.adapters.map(\.adapter.name) == ["x"])
        await opened.store.close()
    }

    @Test(
        "a crash truncates the log at any position → no damage is reported", arguments: [0, 12, 32, 40, 3000, 5000])
    func unfinishedLog(size: Int) async throws {
        try await makeStore()
        let live = try SQLiteStore.open(directory: directory.path).store
        try await live.write(.create(adapter("y")))
        let copy = TemporaryDirectory()
        for suffix in ["", "-wal"] {
            let bytes = try #require(FileManager.default.contents(atPath: file + suffix))
            let left = suffix.isEmpty ? bytes : bytes.prefix(size)
            #expect(FileManager.default.createFile(atPath: copy.file(SQLiteStore.fileName) + suffix, contents: left))
        }
        await live.close()
        let opened = try SQLiteStore.open(directory: copy.path)
        #expect(opened.logDamage == nil && opened.damage == nil)
        await opened.store.close()
    }

    @Test("a log has no database → it is moved aside and reported; it is empty → it is ignored")
    func logWithoutDatabase() async throws {
        try await makeStore()
        let live = try SQLiteStore.open(directory: directory.path).store
        try await live.write(.create(adapter("y")))
        let log = try #require(FileManager.default.contents(atPath: file + "-wal"))
        await live.close()
        for (count, name) in ["77-wal", "77+-wal"].enumerated() {
            try FileManager.default.removeItem(atPath: file)
            try log.write(to: URL(fileURLWithPath: file + "-wal"))
            // The loss is logged even if the shutdown was already requested, because the next start would not
            // notice the loss.
            let opened = try SQLiteStore.open(directory: directory.path, now: 77) { true }
            #expect(opened.adapters.isEmpty && opened.logDamage == nil)
            let damage = try #require(opened.damage, "time \(count)")
            #expect(damage.file == "\(file).damaged-\(name)")
            #expect(damage.reason == "listd.db is missing, only its log is there")
            #expect(damage.file.flatMap { FileManager.default.contents(atPath: $0) } == log)
            await opened.store.close()
        }
        try FileManager.default.removeItem(atPath: file)
        try Writing.write("", to: file + "-wal")
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.damage == nil)
        await opened.store.close()
    }

    @Test("listd is killed between commits → every answered change is stored", arguments: [1, 7, 40])
    func killed(after count: Int) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String, count = count as Int] in
            let store = try SQLiteStore.open(directory: path).store
            try await store.write(.create(adapter("x")))
            for number in 1...100 {
                try await store.write(.update("x", UInt64(number), .replace([object("a", number)])))
                if number == count {
                    store.write(.update("x", UInt64(number + 1), .replace([])), durability: .disk) { _ in }
                    kill(getpid(), SIGKILL)
                }
            }
        }
        let opened = try SQLiteStore.open(directory: directory.path)
        let restored = try #require(opened.adapters.first)
        #expect(opened.damage == nil && restored.adapter == adapter("x"))
        let isNext = restored.revision == UInt64(count + 1) && restored.objects.isEmpty
        #expect(try isNext || restored.revision == UInt64(count) && restored.objects == [object("a", count)])
        await opened.store.close()
    }

    @Test("the directory cannot be written → StoreFailed")
    func unwritable() {
        let error = #expect(throws: ListError.self) { try SQLiteStore.open(directory: "/proc/listd") }
        #expect(error?.code == .storeFailed)
    }

    @Test(
        "the disk is full → StoreFailed, and nothing is applied; space is available again → writes succeed",
        .enabled(if: SmallDisk.isPossible, "mounting is not allowed here"))
    func fullDisk() async throws {
        let disk = try SmallDisk(at: directory.path)
        defer { disk.remove() }
        let path = directory.file("state")
        let store = try SQLiteStore.open(directory: path).store
        try await store.write(.create(adapter("x")))
        let large = try (0..<40).map {
            try ListObject(id: "l\($0)", fields: ["v": .string(String(repeating: "x", count: 40000))])
        }
        let error = await #expect(throws: ListError.self) { try await store.write(.update("x", 1, .replace(large))) }
        #expect(error?.code == .storeFailed)
        #expect(error?.cause?.contains("full") == true)
        try await store.write(.update("x", 1, .replace([object("a", 1)])))
        await store.close()
        let opened = try SQLiteStore.open(directory: path)
        #expect(opened.adapters.map(\.revision) == [1])
        #expect(opened.adapters.first?.objects == [try object("a", 1)])
        await opened.store.close()
    }
}

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

    /// Expects that the damaged file is kept, that the lists in it are lost by name, and that the store works.
    private func expectLoss(of names: [String] = ["x"], _ reason: String = "") async throws {
        let bytes = FileManager.default.contents(atPath: file)
        let opened = try SQLiteStore.open(directory: directory.path, now: 77)
        #expect(opened.adapters.isEmpty)
        #expect(opened.lost.count == max(1, names.count), "\(opened.lost)")
        for name in names {
            #expect(
                opened.lost.contains {
                    $0.hasPrefix("the list “\(name)” was lost") && (reason.isEmpty || $0.contains(reason))
                        && $0.hasSuffix("the file is kept as \(file).damaged-77")
                }, "\(opened.lost)")
        }
        #expect(FileManager.default.contents(atPath: file + ".damaged-77") == bytes)
        try await opened.store.write(.create(adapter("y")))
        await opened.store.close()
        let again = try SQLiteStore.open(directory: directory.path)
        // A loss stays in sight until it is acknowledged.
        #expect(again.names == ["y"] && again.losses == opened.losses && again.news.isEmpty)
        await again.store.acknowledgeLosses()
        await again.store.close()
        let last = try SQLiteStore.open(directory: directory.path)
        #expect(last.losses.isEmpty)
        await last.store.close()
    }

    /// Expects that the list is kept with a new epoch, and the damaged file too.
    private func expectKept() async throws {
        let bytes = FileManager.default.contents(atPath: file)
        let opened = try SQLiteStore.open(directory: directory.path, now: 77)
        #expect(opened.adapters.map(\.objects.count) == [400] && opened.adapters.map(\.revision) == [1])
        #expect(opened.adapters.first?.adapter.epoch.count == 32 && opened.lost.isEmpty && opened.news.count == 1)
        #expect(FileManager.default.contents(atPath: file + ".damaged-77") == bytes)
        try await opened.store.write(.update("x", 2, .replace([])))
        await opened.store.close()
        let again = try SQLiteStore.open(directory: directory.path)
        #expect(again.adapters.map(\.adapter.epoch) == opened.adapters.map(\.adapter.epoch) && again.news.isEmpty)
        await again.store.close()
    }

    private func executeSQL(_ sql: String) async throws {
        let result = try await ChildProcess.run("/usr/bin/sqlite3", [file, sql])
        try #require(result.status == 0, "\(result.lines)")
    }

    @Test("the database is a file of random text → it is kept aside, and the service continues", .rule("DU-05"))
    func nonsense() async throws {
        try Writing.write(String(repeating: "nonsense", count: 1000), to: file)
        try await expectLoss(of: [])
    }

    @Test("the database is truncated to zero bytes → its list is lost by name", .rule("DU-05"))
    func empty() async throws {
        try await makeStore()
        try Writing.write("", to: file)
        try await expectLoss(of: ["x"], "the file is empty")
    }

    @Test("the database lacks a table → its list is lost by name", .rule("DU-05"))
    func missingTable() async throws {
        try await makeStore()
        try await executeSQL("DROP TABLE object")
        try await expectLoss(of: ["x"], "no such table: object")
    }

    @Test(
        "a number of the header or the index is damaged → every list is kept, with a new epoch", .rule("DU-05"),
        arguments: [
            "PRAGMA application_id = 1", "PRAGMA user_version = 0", "PRAGMA user_version = 70000",
            "PRAGMA user_version = 1",
            "PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = 'object_by_id'",
        ])
    func harmless(sql: String) async throws {
        try await makeStore()
        try await executeSQL(sql)
        try await expectKept()
    }

    @Test(
        "a newer listd has written the database → it is refused with the version and the copy, and no file changes",
        .rule("DU-09"), arguments: [false, true])
    func newer(hasCopy: Bool) async throws {
        try await makeStore()
        try await executeSQL("PRAGMA user_version = 5")
        let copy = file + ".version-4"
        if hasCopy { try FileManager.default.copyItem(atPath: file, toPath: copy) }
        func contents() throws -> [String: Data?] {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            return Dictionary(
                uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: directory.file($0))) })
        }
        let before = try contents()
        let error = #expect(throws: ListError.self) { try SQLiteStore.open(directory: directory.path) }
        #expect(error?.message.contains("has version 5, but this listd knows versions up to 4") == true)
        #expect(error?.message.contains(hasCopy ? "mv \(copy) \(file).next" : "there is no copy") == true)
        #expect(SQLiteStore.refusal(directory: directory.path) == error?.message)
        #expect(try contents() == before)
    }

    @Test("the database has an older version → it is copied and migrated without loss", .rule("DU-09"))
    func migration() async throws {
        try await makeStore()
        try await executeSQL(SQLiteStore.firstVersion)
        try Writing.write("", to: file + ".version-0")
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.lost.isEmpty && opened.adapters.map(\.objects.count) == [400])
        #expect(opened.adapters.map(\.revision) == [1])
        // It is unknown whether the machine was down in between, so the list gets a new epoch, once.
        let epoch = try #require(opened.adapters.first?.adapter.epoch)
        #expect(opened.adapters.map(\.adapter) == [adapter("x", epoch: epoch)] && epoch != "e1")
        await opened.store.close()
        #expect(try await queryRows("PRAGMA user_version; SELECT epoch FROM adapter") == ["4", epoch])
        let copies = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
            $0.contains("version")
        }
        #expect(copies == ["listd.db.version-1"])
        #expect(try await queryRows("PRAGMA user_version", in: file + ".version-1") == ["1"])
    }

    private func queryRows(_ sql: String, in other: String? = nil) async throws -> [String] {
        let result = try await ChildProcess.run("/usr/bin/sqlite3", [other ?? file, sql])
        try #require(result.status == 0, "\(result.lines)")
        return result.lines
    }

    @Test("the database is truncated → its list is lost by name", .rule("DU-05"))
    func truncated() async throws {
        try await makeStore()
        try #require(unsafe truncate(file, 20000) == 0)
        try await expectLoss()
    }

    @Test("fields have a form that is not canonical → the list is lost with the reason", .rule("DU-05"))
    func malformedFields() async throws {
        try await makeStore()
        try await executeSQL("UPDATE object SET fields = x'FF' WHERE position = (SELECT max(position) FROM object)")
        try await expectLoss(
            of: ["x"], "a stored object is malformed: fields: the 1 bytes are not a canonical encoding")
    }

    @Test(
        "stored values change behind SQLite's back → the list is lost, and never shows them", .rule("DU-05"),
        arguments: [
            "UPDATE object SET type = 'other' WHERE id = CAST('i3' AS BLOB)",
            "DELETE FROM object WHERE id = CAST('i3' AS BLOB)",
            "UPDATE object SET position = position + 2147483649 WHERE id = CAST('i3' AS BLOB)",
            "UPDATE adapter SET revision = 2",
        ])
    func changedValues(sql: String) async throws {
        try await makeStore()
        try await executeSQL(sql)
        try await expectLoss()
    }

    @Test("a row of a list is gone → the list is lost by its name in the mark", .rule("DU-05"))
    func missingRow() async throws {
        try await makeStore()
        let store = try SQLiteStore.open(directory: directory.path).store
        try await store.write(.create(adapter("z")))
        await store.close()
        try await executeSQL("PRAGMA foreign_keys = OFF; DELETE FROM adapter WHERE name = 'x'")
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.names == ["z"] && opened.lost.count == 1, "\(opened.lost)")
        #expect(opened.lost.first?.hasPrefix("the list “x” was lost") == true, "\(opened.lost)")
        await opened.store.close()
    }

    @Test("the log of changes is damaged → the list is kept with a new epoch", .rule("DU-05"))
    func damagedChanges() async throws {
        try await makeStore()
        try await executeSQL("INSERT INTO change VALUES (1, 1, x'00', 0)")
        try await expectKept()
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
        #expect(opened.names == ["x"] && opened.adapters.allSatisfy { $0.adapter.epoch != "e1" })
        #expect(opened.lost.first?.contains("\(log) is damaged in its header") == true, "\(opened.lost)")
        await opened.store.close()
    }

    @Test("a log has no database → it is kept aside, and its lists are lost by name; it is empty → it is ignored")
    func logWithoutDatabase() async throws {
        try await makeStore()
        let live = try SQLiteStore.open(directory: directory.path).store
        try await live.write(.create(adapter("y")))
        let log = try #require(FileManager.default.contents(atPath: file + "-wal"))
        await live.close()
        try FileManager.default.removeItem(atPath: file)
        try log.write(to: URL(fileURLWithPath: file + "-wal"))
        // The loss is reported even if the shutdown was already requested.
        let opened = try SQLiteStore.open(directory: directory.path, now: 77) { true }
        #expect(
            opened.lost
                == ["x", "y"].map {
                    "the list “\($0)” was lost: \(file) is missing; its log is kept as \(file).damaged-77-wal"
                })
        #expect(FileManager.default.contents(atPath: file + ".damaged-77-wal") == log)
        await opened.store.acknowledgeLosses()
        await opened.store.close()
        try FileManager.default.removeItem(atPath: file)
        try Writing.write("", to: file + "-wal")
        let again = try SQLiteStore.open(directory: directory.path)
        #expect(again.lost.isEmpty)
        await again.store.close()
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
        #expect(opened.lost.isEmpty && restored.adapter == adapter("x"))
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ListDaemon
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Detecting lost content of a store", .timeLimit(.minutes(2)))
struct StoreLossTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.file(SQLiteStore.fileName) }
    private var log: String { file + "-wal" }

    private func open(_ boot: String = "this") throws -> OpenedStore {
        try SQLiteStore.open(directory: directory.path, boot: boot, now: 77)
    }

    /// Leaves the files of a store that was killed after a number of updates.
    private func makeKilledStore(updates: Int = 5, durability: Durability = .disk) async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")), durability: durability)
        for revision in 0..<updates {
            let content = try Change.replace([object("a", revision)])
            try await store.write(.update("x", UInt64(revision + 1), content), durability: durability)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let kept = names.map { ($0, FileManager.default.contents(atPath: directory.file($0))) }
        await store.close()
        for (name, bytes) in kept { try #require(bytes).write(to: URL(fileURLWithPath: directory.file(name))) }
    }

    @Test("any byte changes in the part of the log that SQLite has read → it is reported, copied, and epochs change")
    func changedBytes() async throws {
        try await makeKilledStore()
        let bytes = try ["", "-wal", "-mark"].map { try #require(FileManager.default.contents(atPath: file + $0)) }
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            for (suffix, bytes) in zip(["", "-wal", "-mark"], bytes) {
                try bytes.write(to: URL(fileURLWithPath: file + suffix))
            }
            var changed = bytes[1]
            let place = Int.random(in: 0..<changed.count, using: &random)
            changed[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
            try changed.write(to: URL(fileURLWithPath: log))
            let opened = try open()
            let damage = try #require(opened.logDamage, "seed \(seed), byte \(place)")
            #expect(damage.file == log && damage.lists == 1 && damage.reason.hasPrefix("damaged in "))
            let copy = try #require(damage.copy)
            #expect(FileManager.default.contents(atPath: copy) == changed)
            #expect(opened.adapters.allSatisfy { $0.adapter.epoch != "e1" })
            await opened.store.close()
            try FileManager.default.removeItem(atPath: copy)
        }
    }

    @Test("the log is intact, in the same or another boot → no damage is reported", arguments: ["this", "other"])
    func wholeLog(boot: String) async throws {
        try await makeKilledStore()
        let opened = try open(boot)
        #expect(opened.logDamage == nil && opened.damage == nil && opened.adapters.map(\.revision) == [5])
        await opened.store.close()
    }

    @Test(
        "a power failure loses the end of the log → reported if that end was synced",
        arguments: [Durability.disk, .fsync])
    func unsyncedEnd(durability: Durability) async throws {
        try await makeKilledStore(durability: durability)
        let size = try #require(FileManager.default.contents(atPath: log)?.count)
        try #require(unsafe truncate(log, size - 100) == 0)
        let opened = try open("other")
        #expect((opened.logDamage == nil) == (durability == .disk), "\(String(describing: opened.logDamage))")
        await opened.store.close()
    }

    @Test(
        "SQLite has restarted its log, and the file -mark is old, damaged or missing → no damage is reported",
        arguments: 0..<3)
    func staleMark(kind: Int) async throws {
        try await makeKilledStore()
        let mark = try #require(FileManager.default.contents(atPath: file + "-mark"))
        let store = try open().store
        // More updates than fit in the log before a checkpoint.
        for revision in 6..<40 {
            let large = try (0..<40).map {
                try ListObject(id: "\($0)", fields: ["v": .string(String(repeating: "x", count: 4000))])
            }
            try await store.write(.update("x", UInt64(revision), .replace(large)))
        }
        let bytes = try ["", "-wal"].map { try #require(FileManager.default.contents(atPath: file + $0)) }
        await store.close()
        for (suffix, bytes) in zip(["", "-wal"], bytes) { try bytes.write(to: URL(fileURLWithPath: file + suffix)) }
        var old = mark
        if kind == 1 { old[9] ^= 1 }
        try old.write(to: URL(fileURLWithPath: file + "-mark"))
        if kind == 2 { try FileManager.default.removeItem(atPath: file + "-mark") }
        let opened = try open()
        #expect(opened.logDamage == nil && opened.adapters.map(\.revision) == [39])
        await opened.store.close()
    }

    @Test("a database that contained lists is missing → this is reported once")
    func missingFile() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        await store.close()
        try FileManager.default.removeItem(atPath: file)
        let opened = try open()
        #expect(opened.damage?.reason == "the file is missing" && opened.damage?.file == nil)
        await opened.store.close()
        try FileManager.default.removeItem(atPath: file)
        let again = try open()
        #expect(again.damage == nil)
        await again.store.close()
    }

    @Test("a database file is empty and has a log → both files are moved aside unchanged")
    func emptyFile() async throws {
        try await makeKilledStore()
        let bytes = FileManager.default.contents(atPath: log)
        try #require(unsafe truncate(file, 0) == 0)
        let opened = try open()
        #expect(opened.damage?.file == file + ".damaged-77" && opened.adapters.isEmpty)
        #expect(FileManager.default.contents(atPath: file + ".damaged-77-wal") == bytes)
        await opened.store.close()
    }

    @Test("a database file is damaged and has a log → both files are moved aside unchanged, with the lists' names")
    func damagedFile() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        try await store.write(.update("x", 1, .replace((0..<400).map { try object("i\($0)", $0) })))
        await store.close()
        try await makeKilledStore(updates: 2)
        try #require(unsafe truncate(file, 20000) == 0)
        let bytes = try ["", "-wal"].map { try #require(FileManager.default.contents(atPath: file + $0)) }
        let opened = try open()
        #expect(opened.damage?.file == file + ".damaged-77" && opened.adapters.isEmpty)
        #expect(opened.damage?.lists == ["x"])
        for (suffix, bytes) in zip(["", "-wal"], bytes) {
            #expect(FileManager.default.contents(atPath: file + ".damaged-77" + suffix) == bytes, "\(suffix)")
        }
        await opened.store.close()
    }
}

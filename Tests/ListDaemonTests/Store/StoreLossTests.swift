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
    private var mark: String { directory.file("store.mark") }

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
        let files = [file, log, mark]
        let bytes = try files.map { try #require(FileManager.default.contents(atPath: $0)) }
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            for (path, bytes) in zip(files, bytes) { try bytes.write(to: URL(fileURLWithPath: path)) }
            var changed = bytes[1]
            let place = Int.random(in: 0..<changed.count, using: &random)
            changed[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
            try changed.write(to: URL(fileURLWithPath: log))
            let opened = try open()
            let lost = try #require(opened.lost.first, "seed \(seed), byte \(place)")
            let copy = file + ".damaged-77-wal"
            #expect(lost.contains("\(log) is damaged in ") && lost.contains("(kept as \(copy))"), "\(lost)")
            #expect(lost.contains("“x” (up to ") || lost.contains("“x” (the whole list)"), "\(lost)")
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
        // After a crash of the machine it is never sure that a list of durability disk is whole.
        #expect(opened.lost.isEmpty == (boot == "this") && opened.adapters.map(\.revision) == [5])
        #expect(opened.lost.allSatisfy { $0.contains("no change is known to be missing") }, "\(opened.lost)")
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
        let isPowerCut = opened.lost.allSatisfy { $0.hasPrefix("the machine went down while listd ran") }
        #expect(isPowerCut == (durability == .disk) && opened.lost.count == 1, "\(opened.lost)")
        #expect(opened.lost.allSatisfy { $0.contains("at least 1 change is missing, of “x” (up to 1 change)") })
        await opened.store.close()
    }

    @Test(
        "SQLite has restarted its log, and the mark is older → nothing is lost; it is damaged or gone → the files are new",
        .rule("DU-08"), arguments: 0..<3)
    func staleMark(kind: Int) async throws {
        try await makeKilledStore()
        let store = try open().store
        let old = try #require(FileManager.default.contents(atPath: mark))
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
        var damaged = old
        if kind == 1 { damaged[9] ^= 1 }
        try damaged.write(to: URL(fileURLWithPath: mark))
        if kind == 2 { try FileManager.default.removeItem(atPath: mark) }
        let opened = try open()
        #expect(opened.adapters.map(\.revision) == [39] && opened.lost.count == (kind == 0 ? 0 : 1), "\(opened.lost)")
        #expect(opened.lost.allSatisfy { $0.contains("it is unknown how many changes are missing") })
        #expect((opened.adapters.first?.adapter.epoch == "e1") == (kind == 0))
        await opened.store.close()
    }

    @Test(
        "the directory is copied away and back after a kill, with a log that is cut or missing → new epochs, and a loss",
        .rule("DU-08"), arguments: [nil, 0, 9000])
    func copied(size: Int?) async throws {
        try await makeKilledStore(updates: 20)
        let away = TemporaryDirectory()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            try FileManager.default.copyItem(atPath: directory.file(name), toPath: away.file(name))
            try FileManager.default.removeItem(atPath: directory.file(name))
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: away.path) {
            try FileManager.default.copyItem(atPath: away.file(name), toPath: directory.file(name))
        }
        if let size {
            try #require(unsafe truncate(log, off_t(size)) == 0)
        } else {
            try FileManager.default.removeItem(atPath: log)
        }
        let opened = try open()
        let lost = try #require(opened.lost.first)
        #expect(opened.lost.count == 1 && lost.contains("at least ") && lost.contains("of “x” ("), "\(opened.lost)")
        #expect(opened.adapters.allSatisfy { $0.adapter.epoch != "e1" })
        await opened.store.close()
    }

    @Test(
        "an earlier copy of the database is put back in place → new epochs, and the number of changes", .rule("DU-08"))
    func earlier() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        await store.close()
        let bytes = try #require(FileManager.default.contents(atPath: file))
        let later = try open().store
        for revision in 1...3 {
            try await later.write(.update("x", UInt64(revision), .replace([object("a", revision)])))
        }
        try await later.write(.create(adapter("y")))
        await later.close()
        try bytes.write(to: URL(fileURLWithPath: file))
        let opened = try open()
        #expect(opened.names == ["x"] && opened.adapters[0].adapter.epoch != "e1")
        #expect(
            opened.lost.first?.contains(
                "at least 4 changes are missing, of “x” (up to 3 changes), “y” (the whole list)") == true,
            "\(opened.lost)")
        #expect(opened.news.count == 3, "\(opened.news)")
        await opened.store.close()
        let again = try open()
        #expect(again.adapters == opened.adapters && again.losses == opened.losses && again.news.isEmpty)
        await again.store.close()
    }

    @Test("a database that contained lists is missing → each list is lost by name, once", .rule("DU-08"))
    func missingFile() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        await store.close()
        try FileManager.default.removeItem(atPath: file)
        let opened = try open()
        #expect(opened.lost == ["the list “x” was lost: \(file) is missing"])
        await opened.store.acknowledgeLosses()
        await opened.store.close()
        try FileManager.default.removeItem(atPath: file)
        let again = try open()
        #expect(again.lost.isEmpty)
        await again.store.close()
    }

    @Test("a database file is empty or damaged and has a log → both files are kept unchanged", arguments: [0, 20000])
    func emptyFile(size: Int) async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        try await store.write(.update("x", 1, .replace((0..<400).map { try object("i\($0)", $0) })))
        await store.close()
        try await makeKilledStore(updates: 2)
        try #require(unsafe truncate(file, off_t(size)) == 0)
        let bytes = try ["", "-wal"].map { try #require(FileManager.default.contents(atPath: file + $0)) }
        let opened = try open()
        // With the log, what is left of the database is enough for the list.
        #expect(opened.names == (size == 0 ? [] : ["x"]))
        #expect(opened.lost.contains { $0.hasPrefix("the list “x” was lost: ") } == (size == 0), "\(opened.lost)")
        #expect(opened.adapters.allSatisfy { $0.adapter.epoch != "e1" })
        for (suffix, bytes) in zip(["", "-wal"], bytes) {
            #expect(FileManager.default.contents(atPath: file + ".damaged-77" + suffix) == bytes, "\(suffix)")
        }
        await opened.store.close()
    }
}

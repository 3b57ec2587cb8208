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

@Suite("Disk space of removed lists", .timeLimit(.minutes(2)))
struct StoreRoomTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.file(SQLiteStore.fileName) }

    /// Returns objects of some 2 KiB each, with ids in random order.
    private func objects(_ count: Int, _ random: inout SeededRandom) throws -> [ListObject] {
        try (0..<count).map { number in
            let text = String(repeating: "x", count: Int.random(in: 10...4000, using: &random))
            return try ListObject(id: "\(random.next()) \(number)", fields: ["v": .string(text)])
        }
    }

    /// Returns rows of a closed database. Reads a copy, because SQLite needs disk space even for reading.
    private func queryRows(_ sql: String) async throws -> [String] {
        let copy = TemporaryDirectory()
        try FileManager.default.copyItem(atPath: file, toPath: copy.file("copy"))
        let result = try await ChildProcess.run("/usr/bin/sqlite3", [copy.file("copy"), sql])
        try #require(result.status == 0, "\(result.lines)")
        return result.lines
    }

    @Test(
        "on a full disk, a list larger than the store's reserved space is removed → other lists use its space",
        .enabled(if: SmallDisk.isPossible, "mounting is not allowed here"), arguments: [false, true])
    func fullDisk(isRestarted: Bool) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        let disk = try SmallDisk(at: directory.path, options: "size=24m")
        defer { disk.remove() }
        var store = try SQLiteStore.open(directory: directory.path).store
        for name in ["large", "small"] { try await store.write(.create(adapter(name))) }
        for revision in 1..<4 {
            try await store.write(.update("large", UInt64(revision), .replace(try objects(1000, &random))))
        }
        if isRestarted {
            await store.close()
            store = try SQLiteStore.open(directory: directory.path).store
        }
        disk.fill()
        let next = try objects(400, &random)
        let error = await #expect(throws: ListError.self) { try await store.write(.update("small", 1, .replace(next))) }
        #expect(error?.cause?.contains("full") == true, "seed \(seed)")
        try await store.write(.remove(name: "large"), durability: .fsync)
        // More data than the reserved space can hold, while the disk is still full.
        for (index, object) in next.enumerated() {
            let change = Change.changes(placed: [(object, after: index > 0 ? next[index - 1] : nil)])
            try await store.write(.update("small", UInt64(index + 1), change))
        }
        #expect(try await store.faults().isEmpty, "seed \(seed)")
        await store.close()
        #expect(try await queryRows("SELECT count(*) FROM adapter; SELECT count(*) FROM object") == ["1", "400"])
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.adapters.map(\.objects) == [next], "seed \(seed)")
        try await opened.store.write(.remove(name: "small"))
        await opened.store.close()
    }

    @Test(
        "listd is killed right after a removal → the list is gone, and its remaining rows are deleted at the next start"
    )
    func killed() async throws {
        var random = SeededRandom(seed: 1)
        let store = try SQLiteStore.open(directory: directory.path).store
        for name in ["large", "other"] {
            try await store.write(.create(adapter(name)))
            let write = StoreWrite(
                .replace(try objects(2000, &random)), log: (1...100).map { transaction($0) }, oldestRevision: 0,
                revision: 100, limit: 100)
            try await store.write(.update(name: name, write))
        }
        try await store.write(.remove(name: "large"))
        // The name of the list is free immediately.
        try await store.write(.create(adapter("large", epoch: "e2")))
        let bytes = try ["", "-wal"].map { try #require(FileManager.default.contents(atPath: file + $0)) }
        await store.close()
        for (suffix, bytes) in zip(["", "-wal"], bytes) { try bytes.write(to: URL(fileURLWithPath: file + suffix)) }
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.lost.isEmpty && opened.adapters.map(\.adapter.name) == ["large", "other"])
        #expect(opened.adapters.map(\.objects.count) == [0, 2000] && opened.adapters.map(\.changes.count) == [0, 100])
        #expect(opened.adapters[0].adapter.epoch == "e2")
        // Each query and each partial deletion is a separate piece of work in the store's queue.
        for _ in 0..<40 { _ = try await opened.store.byteCount() }
        #expect(try await opened.store.faults().isEmpty)
        await opened.store.close()
        let counts = "SELECT count(*) FROM adapter; SELECT count(*) FROM object; SELECT count(*) FROM change"
        #expect(try await queryRows(counts) == ["2", "2000", "100"])
    }
}

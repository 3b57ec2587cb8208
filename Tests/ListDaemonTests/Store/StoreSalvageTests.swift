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

@Suite("What is left of a damaged store", .timeLimit(.minutes(5)))
struct StoreSalvageTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.file(SQLiteStore.fileName) }

    private func objects(_ list: Int) throws -> [ListObject] {
        try (0..<40).map {
            try ListObject(id: "\(list) \($0)", fields: ["v": .string(String(repeating: "\(list)", count: 300))])
        }
    }

    /// Makes a store of ten lists, and returns the bytes of its file.
    private func makeTenLists() async throws -> [UInt8] {
        let store = try SQLiteStore.open(directory: directory.path).store
        for number in 0..<10 {
            try await store.write(.create(adapter("list \(number)")))
            try await store.write(.update("list \(number)", 1, .replace(try objects(number))))
        }
        await store.close()
        return Array(try #require(FileManager.default.contents(atPath: file)))
    }

    @Test(
        "each page of a database of ten lists is overwritten → of leaf pages the lists on them are lost, and every loss is named",
        .rule("DU-05"), arguments: [false, true])
    func pages(isWhole: Bool) async throws {
        let bytes = try await makeTenLists()
        let mark = try #require(FileManager.default.contents(atPath: directory.file("store.mark")))
        var random = SeededRandom(seed: 1)
        var (kept, hit) = (0, 0)
        for page in 0..<bytes.count / 4096 {
            var damaged = bytes
            // A whole page, or 40 bytes in it.
            for _ in 0..<(isWhole ? 4096 : 40) {
                damaged[page * 4096 + Int.random(in: 0..<4096, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            try Data(damaged).write(to: URL(fileURLWithPath: file))
            try mark.write(to: URL(fileURLWithPath: directory.file("store.mark")))
            let opened = try SQLiteStore.open(directory: directory.path)
            for number in 0..<10 {
                let list = opened.adapters.first { $0.adapter.name == "list \(number)" }
                if let list {
                    #expect(try list.objects == objects(number) && list.revision == 1, "page \(page)")
                    kept += 1
                } else {
                    #expect(
                        opened.lost.contains { $0.hasPrefix("the list “list \(number)” was lost") },
                        "page \(page): \(opened.lost)")
                    hit += 1
                }
            }
            await opened.store.close()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                // The database keeps its identity in the mark for the next page.
                let isKept = name.contains(".damaged-") && !name.hasSuffix("-wal")
                if isKept { try FileManager.default.removeItem(atPath: file) }
                if isKept { try FileManager.default.moveItem(atPath: directory.file(name), toPath: file) }
            }
        }
        // The header, the schema, the list of lists and inner pages lose all; the other pages few.
        #expect(kept > 6 * (kept + hit) / 10, "\(kept) kept, \(hit) lost")
        print("\(bytes.count / 4096) pages of ten lists: \(kept) lists kept, \(hit) lost by name")
    }

    @Test("a damaged store is backed up → StoreFailed, and no backup that is taken for one", .rule("DU-11"))
    func damagedBackup() async throws {
        let store = try SQLiteStore.open(directory: directory.path).store
        // More than SQLite keeps in memory, so that the backup reads the file.
        try await store.write(.create(adapter("x")))
        let many = try (0..<6000).map {
            try ListObject(id: "\($0)", fields: ["v": .string(String(repeating: "y", count: 4000))])
        }
        try await store.write(.update("x", 1, .replace(many)))
        await store.close()
        let opened = try SQLiteStore.open(directory: directory.path)
        let descriptor = unsafe Glibc.open(file, O_RDWR | O_CLOEXEC)
        let byte: [UInt8] = [0x7A]
        try #require(unsafe pwrite(descriptor, byte, 1, 4 << 20) == 1)
        let other = TemporaryDirectory()
        let target = unsafe Glibc.open(other.file("backup"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        let error = await #expect(throws: ListError.self) { try await opened.store.backUp(toDescriptor: target) }
        #expect(error?.code == .storeFailed && error?.message.hasPrefix("the store is damaged") == true, "\(error)")
        await opened.store.close()
        close(target)
        close(descriptor)
    }

    @Test("a large list is removed → the file shrinks while nothing is written", .rule("DU-13"))
    func shrinking() async throws {
        let store = try SQLiteStore.open(directory: directory.path).store
        try await store.write(.create(adapter("large")))
        try await store.write(.create(adapter("small")))
        let many = try (0..<1000).map {
            try ListObject(id: "\($0)", fields: ["v": .string(String(repeating: "y", count: 9000))])
        }
        try await store.write(.update("large", 1, .replace(many)))
        try await store.write(.update("small", 1, .replace([object("a", 1)])))
        let before = try await store.byteCount()
        #expect(before > 9_000_000)
        try await store.write(.remove(name: "large"))
        // Each question waits for its turn in the store's queue.
        while try await store.byteCount() > 1_000_000 {}
        while (try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? .max) > 1_000_000 {
            _ = try await store.byteCount()
        }
        try await store.write(.update("small", 2, .replace([object("b", 1)])))
        #expect(try await store.faults().isEmpty)
        await store.close()
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.names == ["small"] && opened.lost.isEmpty)
        await opened.store.close()
    }
}

// SPDX-License-Identifier: Apache-2.0

import CFaultyFiles
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

/// Tests of disk failures. They run one at a time, because they share the faulty file system.
@Suite("A store on a failing disk", .serialized, .timeLimit(.minutes(5)))
struct StoreFaultTests {
    let directory = TemporaryDirectory()
    var file: String { directory.file(SQLiteStore.fileName) }

    private enum Code {
        static let readError: Int32 = 10 | 1 << 8
        static let writeError: Int32 = 10 | 3 << 8
        static let syncError: Int32 = 10 | 4 << 8
        static let full: Int32 = 13
        static let readOnly: Int32 = 8
    }

    /// Runs `body` while files in the directory go through the faulty file system.
    func withFaultyFiles(below path: String? = nil, _ body: () async throws -> Void) async throws {
        try #require(unsafe faulty_begin(path ?? directory.path) == 0)
        defer { faulty_end() }
        try await body()
    }

    @Test(
        "writing fails at a random moment → StoreFailed, and nothing is applied; the disk recovers → writes succeed",
        arguments: [Code.writeError, Code.syncError, Code.full, Code.readOnly])
    func failingWrites(code: Int32) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        try await withFaultyFiles {
            let store = try SQLiteStore.open(directory: directory.path).store
            try await store.write(.create(adapter("x")))
            var model = ModelList()
            var failures = 0
            for step in 0..<300 {
                if step % 10 == 0 { faulty_fail(Int.random(in: 0..<8, using: &random), code, 0) }
                if step % 10 == 5 { faulty_fail(-1, 0, 0) }
                let content = try model.transaction(&random)
                do throws(ListError) {
                    try await store.write(.update("x", model.revision + 1, content), durability: .fsync)
                    model.apply(content)
                } catch {
                    #expect(error.code == .storeFailed && mayFail(at: step), "seed \(seed), step \(step): \(error)")
                    failures += 1
                }
            }
            faulty_fail(-1, 0, 0)
            #expect(failures > 20, "seed \(seed)")
            #expect(try await store.faults().isEmpty)
            await store.close()
            let opened = try SQLiteStore.open(directory: directory.path)
            #expect(opened.lost.isEmpty)
            #expect(opened.adapters.map(\.objects) == [model.objects] && opened.adapters[0].revision == model.revision)
            await opened.store.close()
        }
    }

    private func mayFail(at step: Int) -> Bool { step % 10 < 5 }

    @Test("reading fails while the store is opened → StoreFailed, and the file is unchanged")
    func failingReads() async throws {
        let store = try SQLiteStore.open(directory: directory.path).store
        try await store.write(.create(adapter("x")))
        try await store.write(.update("x", 1, .replace((0..<400).map { try object("i\($0)", $0) })))
        await store.close()
        let bytes = FileManager.default.contents(atPath: file)
        try await withFaultyFiles {
            var refused = 0
            for count in 0..<60 {
                faulty_fail(count, Code.readError, 1)
                do throws(ListError) {
                    let opened = try SQLiteStore.open(directory: directory.path)
                    faulty_fail(-1, 0, 0)
                    #expect(opened.lost.isEmpty && opened.adapters.map(\.objects.count) == [400])
                    await opened.store.close()
                } catch {
                    #expect(error.code == .storeFailed)
                    refused += 1
                }
            }
            faulty_fail(-1, 0, 0)
            #expect(refused > 3)
        }
        #expect(FileManager.default.contents(atPath: file)?.count == bytes?.count)
        #expect(try SQLiteStore.open(directory: directory.path).adapters.map(\.objects.count) == [400])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.contains("damaged") } == [])
    }

    @Test("the disk fails during a migration → the old file is unchanged, and the next start reads the old file")
    func failingMigration() async throws {
        let store = try SQLiteStore.open(directory: directory.path).store
        try await store.write(.create(adapter("x")))
        await store.close()
        let older =
            SQLiteStore.firstVersion
        try #require(try await ChildProcess.run("/usr/bin/sqlite3", [file, older]).status == 0)
        try await withFaultyFiles {
            var refused = 0
            for count in 0..<20 {
                faulty_fail(count, Code.writeError, 0)
                do throws(ListError) {
                    let opened = try SQLiteStore.open(directory: directory.path)
                    faulty_fail(-1, 0, 0)
                    #expect(opened.adapters.map(\.adapter.name) == ["x"])
                    await opened.store.close()
                } catch {
                    refused += 1
                }
            }
            faulty_fail(-1, 0, 0)
            #expect(refused > 0)
        }
        let opened = try SQLiteStore.open(directory: directory.path)
        #expect(opened.lost.isEmpty && opened.adapters.map(\.adapter.name) == ["x"])
        await opened.store.close()
    }
}

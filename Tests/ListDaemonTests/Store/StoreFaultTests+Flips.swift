// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListDaemon
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

extension StoreFaultTests {
    @Test("random bytes of the file or its log change → the store is restored, moved aside or refused, without a crash")
    func flippedBytes() async throws {
        let store = try SQLiteStore.open(directory: directory.path).store
        try await store.write(.create(adapter("x")))
        try await store.write(.update("x", 1, .replace((0..<60).map { try object("i\($0)", $0) })))
        await store.close()
        let live = try SQLiteStore.open(directory: directory.path).store
        for revision in 2..<9 {
            try await live.write(.update("x", UInt64(revision), .replace([object("a", revision)])))
        }
        // The files are as after a crash: the last changes are only in the log.
        let original = ["", "-wal"].map { FileManager.default.contents(atPath: file + $0) ?? Data() }
        await live.close()
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        // The faulty file system does not wait for the disk.
        try await withFaultyFiles(below: TemporaryDirectory.parent) {
            for step in 0..<1000 { try await flip(original, &random, "seed \(seed), step \(step)") }
        }
    }

    private func flip(_ original: [Data], _ random: inout SeededRandom, _ comment: Comment) async throws {
        let other = TemporaryDirectory()
        let which = Int.random(in: 0..<2, using: &random)
        for (index, suffix) in ["", "-wal"].enumerated() {
            let bytes = index == which ? corrupted(original[index], &random) : original[index]
            try bytes.write(to: URL(fileURLWithPath: other.file(SQLiteStore.fileName + suffix)))
        }
        try await expectSurvival(of: other, comment)
    }

    private func corrupted(_ original: Data, _ random: inout SeededRandom) -> Data {
        var bytes = original
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let end = random.chance(oneIn: 2) ? min(200, bytes.count) : bytes.count
            bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }

    private func expectSurvival(of directory: TemporaryDirectory, _ comment: Comment) async throws {
        do throws(ListError) {
            let opened = try SQLiteStore.open(directory: directory.path)
            #expect(opened.names == ["x"] || !opened.lost.isEmpty, comment)
            for restored in opened.adapters { _ = restored.changes.compactMap(\.transaction) }
            try? await opened.store.write(.create(adapter("new")))
            await opened.store.close()
        } catch {
            #expect(error.code == .storeFailed, comment)
        }
    }
}

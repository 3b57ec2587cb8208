// SPDX-License-Identifier: Apache-2.0

import CFaultyFiles
import Foundation
import ListDaemon
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

extension StoreFaultTests {
    /// The syncs at which the power is cut: random ones, or each of the first syncs of a second run.
    private static let cuts: [Int?] =
        ProcessInfo.processInfo.environment["LISTD_SOAK"] == "1" ? Array(2...151) : Array(repeating: nil, count: 6)

    /// The expected content of the file after a number of writes.
    private struct Stage {
        var lists: Set<String> = []
        /// The revision of the objects, and the last revision that may have been announced.
        var revision: UInt64 = 0
        var limit: UInt64 = 0
        var objects: [ListObject] = []
    }

    /// The number of writes that were answered before the power cut. Writes run in order.
    private final class Answered: @unchecked Sendable {
        // Written on the store's queue, and read when the store is closed.
        var count = 0
    }

    @Test(
        "a power failure during mixed writes → every answered fsync write is stored, and no write is partially stored",
        arguments: zip(0..<cuts.count, cuts))
    func powerCut(round: Int, sync: Int?) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        let safe = TemporaryDirectory()
        let answered = Answered()
        var stages = [Stage()]
        try await withFaultyFiles {
            unsafe faulty_cut_power(safe.path, sync ?? Int.random(in: 2...120, using: &random))
            let store = try SQLiteStore.open(directory: directory.path).store
            try await store.write(.create(adapter("x")), durability: .fsync)
            answered.count = faulty_is_cut() == 0 ? 1 : 0
            stages.append(Stage(lists: ["x"]))
            var model = ModelList()
            while faulty_is_cut() == 0, stages.count < 400 {
                // Two changes sometimes share a commit. The stricter durability applies to both.
                for isLast in random.chance(oneIn: 3) ? [false, true] : [true] {
                    let change = try next(&model, &stages, hasLarge: round % 3 == 0, &random)
                    let number = stages.count - 1
                    let durability: Durability = random.chance(oneIn: 4) ? .disk : .fsync
                    let note: @Sendable (Result<Void, ListError>) -> Void = { _ in
                        // Only a write with `fsync` survives a power cut, together with all earlier changes.
                        if durability == .fsync, faulty_is_cut() == 0 { answered.count = number }
                    }
                    guard isLast else {
                        store.write(change, durability: durability, completion: note)
                        continue
                    }
                    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                        store.write(change, durability: durability) { outcome in
                            note(outcome)
                            continuation.resume(with: outcome.mapError { $0 as any Error })
                        }
                    }
                }
            }
            await store.close()
        }
        try #require(sync == nil || faulty_is_cut() != 0, "no such sync")
        try tear(safe.path, &random)
        let opened = try SQLiteStore.open(directory: safe.path)
        // Without a mark, the files count as restored ones.
        #expect(opened.lost.count == (opened.names.isEmpty ? 0 : 1), "seed \(seed): \(opened.lost)")
        let found = Stage(
            lists: Set(opened.adapters.map(\.adapter.name)),
            revision: opened.adapters.first { $0.adapter.name == "x" }?.revision ?? 0,
            objects: opened.adapters.first { $0.adapter.name == "x" }?.objects ?? [])
        let isPossible = stages[answered.count...].contains { stage in
            stage.lists == found.lists && stage.limit == found.revision && stage.objects == found.objects
        }
        #expect(
            isPossible, "seed \(seed): \(found.lists) at \(found.revision), after \(answered.count) answered writes")
        #expect(try await opened.store.faults().isEmpty, "seed \(seed)")
        await opened.store.close()
    }

    @Test(
        "a power failure early in a later run → every answered write is stored, or the list has a new epoch",
        arguments: 1...8)
    func powerCutInLaterRun(sync: Int) async throws {
        let first = try SQLiteStore.open(directory: directory.path, boot: "first").store
        try await first.write(.create(adapter("x")))
        try await first.write(.update("x", 1, .replace([object("a", 1)])))
        await first.close()
        let safe = TemporaryDirectory()
        try FileManager.default.copyItem(atPath: file, toPath: safe.file(SQLiteStore.fileName))
        var answered = 0
        try await withFaultyFiles {
            unsafe faulty_cut_power(safe.path, sync)
            let store = try SQLiteStore.open(directory: directory.path, boot: "first").store
            for number in 2..<12 where faulty_is_cut() == 0 {
                try await store.write(.update("x", UInt64(number), .replace([object("a", number)])))
                if faulty_is_cut() == 0 { answered = number }
            }
            await store.close()
        }
        try FileManager.default.contentsOfDirectory(atPath: safe.path).filter { $0.hasSuffix(".now") }.forEach {
            try FileManager.default.removeItem(atPath: safe.path + "/" + $0)
        }
        let opened = try SQLiteStore.open(directory: safe.path, boot: "second")
        let found = try #require(opened.adapters.first)
        #expect(found.revision >= answered || found.adapter.epoch != "e1", "\(found.revision) of \(answered)")
        await opened.store.close()
    }

    /// Returns a change and the expected file after it. The change updates objects of one list, or creates or
    /// removes another list.
    private func next(
        _ model: inout ModelList, _ stages: inout [Stage], hasLarge: Bool, _ random: inout SeededRandom
    ) throws -> StoreChange {
        var stage = stages[stages.count - 1]
        defer { stages.append(stage) }
        if random.chance(oneIn: 4) {
            let name = "other \(Int.random(in: 0..<4, using: &random))"
            if stage.lists.remove(name) != nil { return .remove(name: name) }
            stage.lists.insert(name)
            return .create(adapter(name))
        }
        // Revisions of an open block are used without a request to the store.
        if stage.limit > model.revision { model.revision = .random(in: model.revision...stage.limit, using: &random) }
        if stage.lists.contains("x"), random.chance(oneIn: 8) {
            stage.limit = max(stage.limit, model.revision + 100)
            return .reserve("x", at: stage.revision, limit: stage.limit)
        }
        if stage.limit > stage.revision, random.chance(oneIn: 4) {
            (stage.revision, stage.limit) = (model.revision, model.revision)
            return .endRun("x", at: model.revision)
        }
        var content = try model.transaction(&random)
        // Large changes cause a checkpoint of the log now and then.
        if hasLarge, random.chance(oneIn: 4) {
            content = .replace(try (0..<40).map { try largeObject("l\($0)", stages.count) })
        }
        model.apply(content)
        (stage.revision, stage.objects) = (model.revision, model.objects)
        stage.limit = max(stage.limit, stage.revision)
        return .update("x", model.revision, content, limit: stage.limit)
    }

    private func largeObject(_ id: String, _ number: Int) throws -> ListObject {
        try ListObject(id: id, fields: ["v": .string(String(repeating: "\(number) ", count: 4000))])
    }

    /// Restores random sectors of unsynced writes, because any of them may have reached the disk.
    private func tear(_ path: String, _ random: inout SeededRandom) throws {
        for name in [SQLiteStore.fileName, SQLiteStore.fileName + "-wal"] {
            let place = URL(fileURLWithPath: path + "/" + name)
            guard let now = try? Data(contentsOf: place.appendingPathExtension("now")) else { continue }
            try? FileManager.default.removeItem(at: place.appendingPathExtension("now"))
            var bytes = (try? Data(contentsOf: place)) ?? Data()
            if bytes.isEmpty, name == SQLiteStore.fileName { continue }
            for start in stride(from: 0, to: now.count, by: 512) where random.chance(oneIn: 3) {
                let end = min(start + 512, now.count)
                if bytes.count < end { bytes.append(Data(count: end - bytes.count)) }
                bytes.replaceSubrange(start..<end, with: now[start..<end])
            }
            try bytes.write(to: place)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CFaultyFiles
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
    /// Returns the content of a store that is opened on a copy of the files.
    private func restored(from path: String) async throws -> RestoredAdapter? {
        let copy = TemporaryDirectory()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy.path + "/" + name)
        }
        let opened = try SQLiteStore.open(directory: copy.path)
        // The files are copies.
        #expect(opened.lost.allSatisfy { $0.hasPrefix("the stored lists are not those") }, "\(opened.lost)")
        await opened.store.close()
        return opened.adapters.first
    }

    @Test(
        "syncing a commit fails → the write is refused, and no crash or power failure restores the refused write",
        arguments: [1, 2, 5], [false, true])
    func failedSync(count: Int, isFirstInLog: Bool) async throws {
        let safe = TemporaryDirectory()
        try await withFaultyFiles {
            unsafe faulty_cut_power(safe.path, .max)
            var store = try SQLiteStore.open(directory: directory.path).store
            try await store.write(.create(adapter("x")), durability: .fsync)
            let first = try (0..<5).map { try object("i\($0)", $0) }
            try await store.write(.update("x", 1, .replace(first)), durability: .fsync)
            // The next transaction starts a new log.
            if isFirstInLog {
                await store.close()
                store = try SQLiteStore.open(directory: directory.path).store
            }
            faulty_fail_syncs(count)
            let refused = StoreChange.update("x", 2, .replace([try object("refused", 0)]))
            let error = await #expect(throws: ListError.self) { try await store.write(refused, durability: .fsync) }
            #expect(error?.code == .storeFailed)
            // The files as a killed process leaves them.
            let crashed = try await restored(from: directory.path)
            #expect(crashed?.objects == first && crashed?.revision == 1)
            faulty_fail_syncs(0)
            if count == 1 {
                // The files as a power cut leaves them after the disk completed the next sync.
                let cut = try await restored(from: safe.path)
                #expect(cut?.objects == first && cut?.revision == 1)
            }
            let next = try [object("next", 1)]
            try await store.write(.update("x", 2, .replace(next)), durability: .fsync)
            let cut = try await restored(from: safe.path)
            #expect(cut?.objects == next && cut?.revision == 2)
            await store.close()
            let opened = try SQLiteStore.open(directory: directory.path)
            #expect(opened.adapters.map(\.objects) == [next])
            await opened.store.close()
        }
    }
}

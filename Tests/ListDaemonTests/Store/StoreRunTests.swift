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

@Suite("Epochs of stored lists after a restart of listd", .timeLimit(.minutes(2)))
struct StoreRunTests {
    private let directory = TemporaryDirectory()

    private func open(_ boot: String) throws -> OpenedStore {
        try SQLiteStore.open(directory: directory.path, boot: boot)
    }

    /// Returns the epochs by the durability of their lists.
    private func epochs(_ opened: OpenedStore) -> [String: String] {
        Dictionary(uniqueKeysWithValues: opened.adapters.map { ($0.adapter.name, $0.adapter.epoch) })
    }

    private func makeLists(_ boot: String) async throws -> SQLiteStore {
        let store = try open(boot).store
        for durability in ["disk", "fsync"] {
            let adapter = StoredAdapter(
                name: durability, epoch: "e1", owner: 1, options: ["durability": .string(durability)])
            try await store.write(.create(adapter))
        }
        return store
    }

    /// Leaves the files as a killed process does.
    private func simulateKill(_ store: SQLiteStore) async throws {
        let bytes = try ["", "-wal"].map {
            try #require(FileManager.default.contents(atPath: directory.file(SQLiteStore.fileName) + $0))
        }
        await store.close()
        for (suffix, bytes) in zip(["", "-wal"], bytes) {
            try bytes.write(to: URL(fileURLWithPath: directory.file(SQLiteStore.fileName) + suffix))
        }
    }

    @Test(
        "listd is killed before another boot → a disk list has a new epoch; a clean end or the same boot → it stays",
        .rule("DU-02"))
    func boots() async throws {
        try await simulateKill(try await makeLists("first"))
        let same = try open("first")
        #expect(epochs(same) == ["disk": "e1", "fsync": "e1"])
        try await simulateKill(same.store)
        let other = try open("second")
        let new = epochs(other)
        #expect(new["disk"] != "e1" && new["fsync"] == "e1")
        try await simulateKill(other.store)
        let again = try open("second")
        #expect(epochs(again) == new)
        await again.store.close()
        let last = try open("third")
        #expect(epochs(last) == new)
        await last.store.close()
    }

    @Test("a boot id is unknown → it counts as another boot")
    func unknownBoot() async throws {
        try await simulateKill(try await makeLists(""))
        let again = try open("")
        #expect(epochs(again)["disk"] != "e1")
        await again.store.close()
    }

    @Test(
        "the disk is full at startup → lists get new epochs, which the first write stores",
        .enabled(if: SmallDisk.isPossible, "mounting is not allowed here"))
    func fullDisk() async throws {
        let disk = try SmallDisk(at: directory.path)
        defer { disk.remove() }
        try await simulateKill(try await makeLists("first"))
        disk.fill()
        let opened = try open("second")
        let new = epochs(opened)
        #expect(new["disk"] != "e1")
        disk.removeFiller()
        try await opened.store.write(.remove(name: "fsync"))
        try await simulateKill(opened.store)
        let again = try open("second")
        #expect(epochs(again) == ["disk": try #require(new["disk"])])
        await again.store.close()
    }
}

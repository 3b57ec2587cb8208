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

@Suite("The SQLite store", .timeLimit(.minutes(2)))
struct SQLiteStoreTests {
    private let directory = TemporaryDirectory()

    private func open() throws(ListError) -> OpenedStore { try SQLiteStore.open(directory: directory.path) }

    /// Closes the store and opens it again.
    private func reopen(_ store: SQLiteStore) async throws -> OpenedStore {
        await store.close()
        return try open()
    }

    @Test(
        "lists are created, changed and removed → they are unchanged when the store is opened again")
    func lifeOfAdapters() async throws {
        let first = try SQLiteStore.open(directory: directory.file("new"))
        #expect(first.adapters.isEmpty && first.lost.isEmpty)
        await first.store.close()
        let opened = try open()
        let store = opened.store
        try await store.write(.create(adapter("mail")))
        try await store.write(.create(adapter("gone")), durability: .fsync)
        try await store.write(.update("mail", 1, .replace([object("a", 1), object("b", 2)])))
        try await store.write(.options(name: "mail", ["layout": "flow"]))
        try await store.write(.remove(name: "gone"))
        try await store.write(.remove(name: "never"))
        let log = (1...3).map { transaction($0) }
        let same = Change.replace([try object("a", 1), try object("b", 2)])
        try await store.write(
            .update(name: "mail", StoreWrite(same, log: log, oldestRevision: 1, revision: 1, limit: 1)))
        let again = try await reopen(store)
        let restored = try #require(again.adapters.first)
        #expect(again.adapters.count == 1 && again.lost.isEmpty)
        #expect(restored.adapter == StoredAdapter(name: "mail", epoch: "e1", owner: 1000, options: ["layout": "flow"]))
        #expect(try restored.revision == 1 && restored.objects == [object("a", 1), object("b", 2)])
        #expect(restored.changes == log[1...].map { StoredChange($0) })
        try await again.store.write(.create(adapter("mail", epoch: "e2")))
        let last = try await reopen(again.store)
        #expect(last.adapters.map(\.adapter) == [adapter("mail", epoch: "e2")] && last.adapters[0].objects.isEmpty)
        #expect(last.adapters[0].changes.isEmpty && last.adapters[0].revision == 0)
        await last.store.close()
    }

    @Test(
        "loading is interrupted at any row → StoreFailed, and the next attempt loads everything"
    )
    func givenUp() async throws {
        let first = try open().store
        for name in ["a", "b"] {
            try await first.write(.create(adapter(name)))
            try await first.write(.update(name, 1, .replace([object("x", 1), object("y", 2)])))
        }
        await first.close()
        var looks = 0
        let whole = try SQLiteStore.open(directory: directory.path) {
            looks += 1
            return false
        }
        await whole.store.close()
        #expect(looks >= 6)
        for last in 0..<looks {
            var left = last
            let error = #expect(throws: ListError.self) {
                try SQLiteStore.open(directory: directory.path) {
                    left -= 1
                    return left < 0
                }
            }
            #expect(error?.code == .storeFailed)
        }
        let again = try open()
        #expect(again.lost.isEmpty && again.adapters == whole.adapters)
        await again.store.close()
    }

    @Test("the file of an open store is removed or replaced → the check reports the file")
    func movedFile() async throws {
        let store = try open().store
        #expect(try await store.faults().isEmpty)
        try #require(unsafe rename(store.path, store.path + "-moved") == 0)
        #expect(try await store.faults().map { $0.contains("was removed, renamed or replaced") } == [true])
        try Writing.write("another", to: store.path)
        #expect(try await store.faults().count == 1)
        try #require(unsafe rename(store.path + "-moved", store.path) == 0)
        #expect(try await store.faults().isEmpty)
        await store.close()
    }

    @Test("lists change at random → each stored list equals a plain model whenever the store is opened again")
    func randomTransactions() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        var store = try open().store
        try await store.write(.create(adapter("x")))
        var model = ModelList()
        for step in 0..<300 {
            let content = try model.transaction(&random)
            model.apply(content)
            try await store.write(.update("x", model.revision, content))
            guard random.chance(oneIn: 15) else { continue }
            let opened = try await reopen(store)
            store = opened.store
            let restored = try #require(opened.adapters.first)
            #expect(
                restored.objects == model.objects && restored.revision == model.revision, "seed \(seed), step \(step)")
        }
        #expect(try await store.faults().isEmpty)
        await store.close()
    }

    @Test(
        "thousands of objects are inserted at one position → they are stored in the right order",
        arguments: ["after", "before", "first", "last"])
    func manyInsertions(place: String) async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        var ids = ["s", "t"]
        try await store.write(.update("x", 1, .replace(ids.map { try object($0, 0) })))
        for number in 0..<3000 {
            let index = ["after": 1, "before": ids.count - 1, "first": 0, "last": ids.count][place] ?? 0
            ids.insert("n\(number)", at: index)
            let predecessor = try index > 0 ? object(ids[index - 1], 0) : nil
            let change = Change.changes(placed: [(try object("n\(number)", 0), after: predecessor)])
            store.write(.update("x", UInt64(number + 2), change), durability: .disk) { _ in }
        }
        let opened = try await reopen(store)
        #expect(opened.adapters.first?.objects.map(\.id) == ids)
        #expect(opened.adapters.first?.revision == 3001)
        await opened.store.close()
    }

    @Test("many adapters write at the same time, and one cannot be written → all others are answered and stored")
    func groups() async throws {
        let store = try open().store
        for name in 0..<8 { try await store.write(.create(adapter("x\(name)"))) }
        let outcomes = EventLog<Bool>()
        for revision in 1...100 {
            for name in 0..<8 {
                let content = try Change.replace([object("a", revision)])
                store.write(.update("x\(name)", UInt64(revision), content), durability: name == 0 ? .fsync : .disk) {
                    result in
                    if case .success = result { outcomes.record(true) } else { outcomes.record(false) }
                }
            }
            store.write(.update("nobody", 1, .replace([])), durability: .disk) { result in
                if case .failure(let error) = result { outcomes.record(error.code != .storeFailed) }
            }
        }
        var good = 0
        for _ in 0..<900 { good += try await outcomes.next() ? 1 : 0 }
        #expect(good == 800)
        let opened = try await reopen(store)
        #expect(try opened.adapters.count == 8 && opened.adapters.allSatisfy { try $0.objects == [object("a", 100)] })
        await opened.store.close()
    }

    @Test("a closed store gets a write → StoreFailed; a second listd opens the same file → StoreFailed with the reason")
    func closed() async throws {
        let store = try open().store
        let error = #expect(throws: ListError.self) { try open() }
        #expect(error?.code == .storeFailed && error?.cause?.contains("locked") == true)
        await store.close()
        await #expect(throws: ListError(.storeFailed, "the store is closed")) {
            try await store.write(.remove(name: "x"))
        }
    }

    @Test("an open store is backed up → the backup is an independent store with the same lists")
    func backup() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        try await store.write(.update("x", 1, .replace([object("a", 1)])))
        let other = TemporaryDirectory()
        let file = unsafe Glibc.open(other.file(SQLiteStore.fileName), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try await store.backUp(toDescriptor: file)
        close(file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == [SQLiteStore.fileName])
        try await store.write(.update("x", 2, .replace([])))
        let opened = try SQLiteStore.open(directory: other.path)
        let restored = try #require(opened.adapters.first)
        #expect(try restored.objects == [object("a", 1)])
        // The backup has another epoch, which stays the same from then on.
        #expect(restored.adapter.epoch.count == 32)
        await opened.store.close()
        let again = try SQLiteStore.open(directory: other.path)
        #expect(again.adapters.first?.adapter == restored.adapter)
        await again.store.close()
        await store.close()
    }
}

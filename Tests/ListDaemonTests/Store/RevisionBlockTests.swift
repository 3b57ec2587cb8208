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

@Suite("Reserving blocks of revisions", .timeLimit(.minutes(2)))
struct RevisionBlockTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> OpenedStore { try SQLiteStore.open(directory: directory.path) }

    /// Leaves the files as a process does that is killed at this moment.
    private func simulateKill(_ store: SQLiteStore) async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let kept = names.map { ($0, FileManager.default.contents(atPath: directory.file($0))) }
        await store.close()
        for (name, bytes) in kept { try #require(bytes).write(to: URL(fileURLWithPath: directory.file(name))) }
    }

    @Test(
        "listd is killed with a reserved block of revisions → the next revision follows it, without earlier changes"
    )
    func killedWithBlock() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
            let store = try SQLiteStore.open(directory: path).store
            try await store.write(.create(adapter("x")))
            try await store.write(.update("x", 1, .replace([object("a", 1)])))
            try await store.write(.reserve("x", at: 1, limit: 1025))
            // Revisions 2 to 40 are announced to clients.
            try await store.write(.update("x", 41, .replace([object("a", 2)]), limit: 1026))
            Glibc.kill(getpid(), SIGKILL)
        }
        let first = try open()
        let restored = try #require(first.adapters.first)
        #expect(try restored.revision == 1026 && restored.changes.isEmpty && restored.objects == [object("a", 2)])
        // The state does not change until the next write.
        try await simulateKill(first.store)
        let second = try open()
        #expect(second.adapters == first.adapters)
        try await second.store.write(
            .update(
                name: "x",
                StoreWrite(Change(), log: [transaction(1027)], oldestRevision: 1026, revision: 1027, limit: 1027)))
        try await simulateKill(second.store)
        let third = try open()
        #expect(third.adapters.first?.revision == 1027)
        #expect(third.adapters.first?.changes == [StoredChange(transaction(1027))])
        await third.store.close()
    }

    @Test("a list ends with a reserved block of revisions → its last used revision and its recent changes are stored")
    func settled() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        try await store.write(.reserve("x", at: 0, limit: 1024))
        // A smaller block does not lower the limit.
        try await store.write(.reserve("x", at: 0, limit: 10))
        let log = (1...5).map { transaction($0) }
        try await store.write(.endRun("x", at: 5, log: log, oldest: 2))
        try await simulateKill(store)
        let opened = try open()
        #expect(opened.adapters.first?.revision == 5)
        #expect(opened.adapters.first?.changes == log[2...].map { StoredChange($0) })
        await opened.store.close()
    }

    @Test(
        "objects have a cursor → both are stored together; objects have no cursor → the stored cursor stays"
    )
    func cursor() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        var none = Change.replace([])
        none.cursor = [0, 255]
        try await store.write(.update("x", 1, none))
        try await store.write(.update("x", 2, .replace([object("a", 1)])))
        await #expect(throws: ListError.self) { try await store.write(.reserve("y", at: 0, limit: 5)) }
        await #expect(throws: ListError.self) {
            try await store.write(.endRun("y", at: 5))
        }
        try await simulateKill(store)
        let opened = try open()
        #expect(opened.adapters.map(\.cursor) == [[0, 255]])
        // A new list of the same name begins without a cursor.
        try await opened.store.write(.create(adapter("x")))
        await opened.store.close()
        let again = try open()
        #expect(again.adapters.map(\.cursor) == [nil])
        await again.store.close()
    }

    @Test(
        "updates and reservations are interrupted by kills → no revision is used twice",
        .rule("DU-03"))
    func randomKills() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        var store = try open().store
        try await store.write(.create(adapter("x")))
        var (last, limit): (UInt64, UInt64) = (0, 0)
        for step in 0..<200 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                try await store.write(.reserve("x", at: last, limit: last + 30))
                limit = max(limit, last + 30)
            case 1...3:
                // Uses a revision without a request to the store.
                last = min(limit, last + UInt64.random(in: 0...5, using: &random))
            case 4...6:
                try await store.write(
                    .update("x", last + 1, .replace([object("a", step)]), limit: max(limit, last + 1)))
                last += 1
                limit = max(limit, last)
            default:
                // An update in progress at the kill was not announced to any client.
                let isKilled = Bool.random(using: &random)
                if !isKilled {
                    try await store.write(.endRun("x", at: last))
                    limit = last
                }
                try await simulateKill(store)
                let opened = try open()
                let restored = try #require(opened.adapters.first)
                #expect(restored.revision >= last && restored.revision == limit, "seed \(seed), step \(step)")
                (store, last) = (opened.store, restored.revision)
            }
        }
        await store.close()
    }
}

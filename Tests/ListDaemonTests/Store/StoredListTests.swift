// SPDX-License-Identifier: Apache-2.0

import ListDaemon
@_spi(Daemon) import ListKit
import Synchronization
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("StoredList: the store's view of one list", .timeLimit(.minutes(2)))
struct StoredListTests {
    private static let full = ListError(.storeFailed, "full")

    /// A store that answers when the test allows it.
    private final class SlowStore: Store {
        let failures = StoreFailures()
        private let waiting = Mutex([@Sendable (Result<Void, ListError>) -> Void]())
        private let written = Mutex([String]())
        /// The names of the written lists.
        var names: [String] { written.withLock { $0 } }
        /// The changes that the store received, in order.
        let changes = EventLog<String>()

        func write(
            _ change: StoreChange, durability: Durability,
            completion: @escaping @Sendable (Result<Void, ListError>) -> Void
        ) {
            waiting.withLock { $0.append(completion) }
            written.withLock { $0.append(change.name) }
            changes.record("\(change.word) \(durability)")
        }

        func close(completion: @escaping @Sendable () -> Void) { completion() }

        /// Answers the oldest unanswered change.
        func answer(_ error: ListError? = nil) {
            let completion = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            completion?(error.map { .failure($0) } ?? .success(()))
        }
    }

    /// Ignores the failures that the list reports.
    private struct SilentSink: LogSink {
        func write(_ entry: LogEntry) {}
    }

    private let store = SlowStore()

    private func list(_ durability: Durability) -> StoredList {
        StoredList(
            adapter("x"), durability: durability, store: store, log: Log(level: .error, sink: SilentSink()))
    }

    private func update(leadingTo revision: UInt64, cursor: [UInt8]? = nil) -> StoreWrite {
        var change = Change()
        change.cursor = cursor
        return StoreWrite(change, oldestRevision: 0, revision: revision - 1, limit: revision)
    }

    private var whole: StoreWrite { StoreWrite(.replace([]), oldestRevision: 0, revision: 3, limit: 3) }

    @Test(
        "a transaction has the source's last event → the source's cursor is stored with it; otherwise → without"
    )
    func cursor() async throws {
        let list = list(.disk)
        list.write(update(leadingTo: 4)) { _ in }
        #expect(try await store.changes.next() == "update disk")
        store.answer()
        #expect(list.cursor == nil)
        list.write(update(leadingTo: 5, cursor: [7])) { _ in }
        #expect(try await store.changes.next() == "update with [7] disk")
        store.answer(Self.full)
        #expect(list.cursor == nil)
        list.write(update(leadingTo: 5, cursor: [7])) { _ in }
        #expect(try await store.changes.next() == "update with [7] disk")
        store.answer()
        #expect(list.cursor == [7])
        list.write(cursor: [8])
        #expect(try await store.changes.next() == "cursor disk")
        store.answer()
        #expect(list.cursor == [8])
    }

    @Test("a list that is not stored gets a cursor → the cursor is retained, and stored together with the list")
    func cursorInMemory() async throws {
        let list = list(.memory)
        list.write(update(leadingTo: 4, cursor: [7])) { _ in }
        #expect(list.cursor == [7] && store.changes.recorded.isEmpty)
        list.enablePersistence(["durability": "disk"], durability: .disk)
        list.write(whole) { _ in }
        #expect(try await store.changes.next() == "createFilled with [7] disk")
    }

    @Test(
        "a transaction and a cursor arrive during a rename → they are stored afterwards, under the new name",
        arguments: [true, false])
    func renaming(isRefused: Bool) async throws {
        let list = list(.disk)
        let rename = Task { try await list.rename(to: "y") }
        #expect(try await store.changes.next() == "rename x to y disk")
        list.write(update(leadingTo: 4)) { _ in }
        list.write(cursor: [1])
        #expect(store.changes.recorded.isEmpty)
        store.answer(isRefused ? Self.full : nil)
        if isRefused {
            await #expect(throws: Self.full) { try await rename.value }
        } else {
            try await rename.value
        }
        #expect(try await store.changes.next() == "update disk")
        #expect(try await store.changes.next() == "cursor disk")
        #expect(store.names == (isRefused ? ["x", "x", "x"] : ["x", "y", "y"]))
    }

    @Test(
        "a transaction arrives while storing is being disabled → it is written only if disabling is refused",
        arguments: [true, false])
    func ending(isRefused: Bool) async throws {
        let list = list(.disk)
        let answers = EventLog<String>()
        let end = Task { try await list.disablePersistence(["durability": "memory"]) }
        #expect(try await store.changes.next() == "remove disk")
        list.write(update(leadingTo: 4)) { answers.record($0?.message ?? "stored") }
        #expect(answers.recorded.isEmpty && store.changes.recorded.isEmpty)
        store.answer(isRefused ? Self.full : nil)
        if isRefused {
            await #expect(throws: Self.full) { try await end.value }
            #expect(try await store.changes.next() == "update disk")
            store.answer()
        } else {
            try await end.value
        }
        #expect(try await answers.next() == "stored")
        #expect(list.isStored == isRefused && store.changes.recorded.isEmpty)
    }

    @Test(
        "storing is enabled → the whole list is written in one change; the store refuses → the list is not stored",
        arguments: [true, false])
    func beginning(isRefused: Bool) async throws {
        let list = list(.memory)
        let answers = EventLog<String>()
        list.enablePersistence(["durability": "fsync"], durability: .fsync)
        #expect(!list.isStored)
        list.write(whole) { answers.record($0?.message ?? "stored") }
        #expect(try await store.changes.next() == "createFilled fsync")
        store.answer(isRefused ? Self.full : nil)
        #expect(try await answers.next() == (isRefused ? "full" : "stored"))
        #expect(list.isStored != isRefused)
        list.write(update(leadingTo: 4)) { answers.record($0?.message ?? "stored") }
        if !isRefused {
            #expect(try await store.changes.next() == "update fsync")
            store.answer()
        }
        #expect(try await answers.next() == "stored")
    }

    @Test("the store refuses a new durability → transactions are written with the former durability")
    func taking() async throws {
        let list = list(.disk)
        let take = Task { try await list.setOptions(["durability": "fsync"], durability: .fsync) }
        #expect(try await store.changes.next() == "options fsync")
        store.answer(Self.full)
        await #expect(throws: Self.full) { try await take.value }
        list.write(update(leadingTo: 4)) { _ in }
        #expect(try await store.changes.next() == "update disk")
    }
}

extension StoreChange {
    /// The name of the list.
    fileprivate var name: String {
        switch self {
        case .create(let adapter), .createFilled(let adapter, _, _): adapter.name
        case .rename(let name, _), .cursor(let name, _), .remove(let name), .options(let name, _),
            .update(let name, _):
            name
        }
    }

    /// A word for the kind of change.
    fileprivate var word: String {
        switch self {
        case .create: "create"
        case .createFilled(_, _, let cursor): "createFilled" + (cursor.map { " with \($0)" } ?? "")
        case .rename(let old, let new): "rename \(old) to \(new)"
        case .cursor: "cursor"
        case .remove: "remove"
        case .options: "options"
        case .update(_, let write): "update" + (write.change?.cursor.map { " with \($0)" } ?? "")
        }
    }
}

import ListDaemon
import ListKit
import Synchronization
import TestSupport
import Testing

@Suite("One list in the store", .timeLimit(.minutes(2)))
struct StoredListTests {
    private static let full = ListError(.storeFailed, "full")

    /// A store that answers when the test says so.
    private final class SlowStore: Store {
        private let waiting = Mutex([@Sendable (Result<Void, ListError>) -> Void]())
        /// What was handed over, in order.
        let changes = EventLog<String>()

        func write(
            _ change: StoreChange, durability: Durability,
            completion: @escaping @Sendable (Result<Void, ListError>) -> Void
        ) {
            waiting.withLock { $0.append(completion) }
            changes.record("\(change.word) \(durability)")
        }

        func close(completion: @escaping @Sendable () -> Void) { completion() }

        /// Answers the oldest change.
        func answer(_ error: ListError? = nil) {
            let completion = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            completion?(error.map { .failure($0) } ?? .success(()))
        }
    }

    /// Nobody reads what the list says of its failures.
    private struct SilentSink: LogSink {
        func write(_ entry: LogEntry) {}
    }

    private let store = SlowStore()

    private func list(_ durability: Durability) -> StoredList {
        StoredList(
            adapter("x"), durability: durability, store: store, log: Log(level: .error, sink: SilentSink()))
    }

    private func update(leadingTo revision: UInt64) -> PreparedUpdate {
        PreparedUpdate(
            transaction: PreparedTransaction(
                baseRevision: revision - 1, revision: revision, content: .changes(PreparedTransaction.Changes())),
            log: [], oldestRevision: 0)
    }

    private var whole: PreparedUpdate {
        PreparedUpdate(
            transaction: PreparedTransaction(baseRevision: 3, revision: 3, content: .replace([])), log: [],
            oldestRevision: 0)
    }

    @Test(
        "kept no more, while a transaction comes → it waits; refused → it is written; done → it is not",
        arguments: [true, false])
    func ending(isRefused: Bool) async throws {
        let list = list(.disk)
        let answers = EventLog<String>()
        let end = Task { try await list.end(["durability": "memory"]) }
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

    @Test("kept from now on → the whole list in one change; refused → not kept, as before", arguments: [true, false])
    func beginning(isRefused: Bool) async throws {
        let list = list(.memory)
        let answers = EventLog<String>()
        list.begin(["durability": "fsync"], durability: .fsync)
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

    @Test("another durability that the store refuses → transactions are written with the one before")
    func taking() async throws {
        let list = list(.disk)
        let take = Task { try await list.take(["durability": "fsync"], durability: .fsync) }
        #expect(try await store.changes.next() == "options fsync")
        store.answer(Self.full)
        await #expect(throws: Self.full) { try await take.value }
        list.write(update(leadingTo: 4)) { _ in }
        #expect(try await store.changes.next() == "update disk")
    }
}

extension StoreChange {
    /// The kind of change.
    fileprivate var word: String {
        switch self {
        case .create: "create"
        case .createFilled: "createFilled"
        case .remove: "remove"
        case .options: "options"
        case .update: "update"
        case .reserve: "reserve"
        case .settle: "settle"
        }
    }
}

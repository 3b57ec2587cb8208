// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import PluginAPI
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("A stored list whose section controllers run in the daemon", .timeLimit(.minutes(2)))
@DBusActor
struct HostStoringTests {
    private let effects = EventLog<AdapterEffect>()

    private func makeHost(
        isStored: Bool = true, account: HostAccount? = nil, controllers: SectionControllerTable = .builtIn
    ) -> ListHost {
        let host = ListHost(
            configuration: ListOptions(name: "x"), controllers: controllers, account: account,
            isStored: isStored, sink: { [effects] in $0.forEach { effects.record($0) } })
        host.presentLocally()
        return host
    }

    /// Returns the next effect that is an answer or a transaction to store.
    private func next() async throws -> AdapterEffect {
        while true {
            let effect = try await effects.next()
            switch effect {
            case .store, .answer: return effect
            default: continue
            }
        }
    }

    private func nextWrite() async throws -> (token: StoringToken, work: StoreWrite) {
        guard case .store(let token, let work) = try await next() else { throw Unexpected() }
        return (token, work)
    }

    private func nextAnswer() async throws -> (id: RequestID, outcome: Result<AdapterAnswer, ListError>) {
        guard case .answer(let id, let outcome) = try await next() else { throw Unexpected() }
        return (id, outcome)
    }

    private func nextRevision() async throws -> UInt64 {
        guard case .revision(let revision, _, _, _) = try await nextAnswer().outcome.get() else { throw Unexpected() }
        return revision
    }

    private struct Unexpected: Error {}

    private func insert(_ id: RequestID, _ name: String, expecting revision: UInt64 = 0) throws -> AdapterCommand {
        let upsert = UpdateRequest.Upsert(try ListObject(id: name, fields: [:]))
        return .update(
            UpdateRequest(
                id: id, expectedRevision: revision, operation: .applyChanges(removed: [], upserts: [upsert])))
    }

    @Test(
        "a stored list is updated → the update is stored, then announced; until then, reads return the old list",
        .rule("WT-02"))
    func waits() async throws {
        let host = makeHost()
        host.send(try insert(1, "a"))
        let first = try await nextWrite()
        #expect(first.work.revision == 0 && first.work.limit == 1 && first.work.log.isEmpty)
        host.send(try insert(2, "b"))
        host.send(.query(3, .objects(offset: 0, limit: 9, byteLimit: 999)))
        guard case .objects(0, 0, _) = try await nextAnswer().outcome.get() else { throw Unexpected() }
        // The list ignores a late answer of the store, and an answer with another token.
        host.send(.stored(first.token + 1, nil))
        host.send(.stored(first.token, nil))
        #expect(try await nextRevision() == 1)
        let second = try await nextWrite()
        #expect(second.work.revision == 1 && second.work.log.map(\.revision) == [1] && second.token != first.token)
        host.send(.stored(second.token, nil))
        #expect(try await nextRevision() == 2)
        host.send(.query(4, .objects(offset: 0, limit: 9, byteLimit: 999)))
        guard case .objects(2, 2, let objects) = try await nextAnswer().outcome.get() else { throw Unexpected() }
        #expect(objects.map(\.id) == ["a", "b"])
    }

    @Test(
        "the store fails → every request of the flush gets the error, and the next flush succeeds"
    )
    func failure() async throws {
        let ledger = QuotaLedger(limits: Quotas.Amounts(adapters: 1, views: 1, objects: 1, bytes: 1000))
        let host = makeHost(account: HostAccount(ledger: ledger, user: 7))
        for round in 0..<3 {
            host.send(try insert(RequestID(round), "a"))
            host.send(.stored(try await nextWrite().token, ListError(.storeFailed, "full")))
            let answer = try await nextAnswer()
            #expect(answer.id == RequestID(round))
            #expect(throws: ListError(.storeFailed, "full")) { try answer.outcome.get() }
        }
        #expect(ledger.total.objects == 0)
        host.send(try insert(9, "b"))
        let write = try await nextWrite()
        #expect(write.work.revision == 0 && write.work.limit == 1)
        host.send(.stored(write.token, nil))
        #expect(try await nextRevision() == 1)
    }

    /// Has three items, and removes two of them when the list requests its first item.
    private final class ShrinkingController: ListSectionController {
        private var count = 3
        private var hasAsked = false

        override func numberOfItems() -> Int { count }

        override func item(at index: Int) -> ListItem {
            // A real plugin would trap here.
            guard index < count else { return ListItem(reuseIdentifier: "stray") }
            if index == 0, !hasAsked {
                hasAsked = true
                context?.performBatch(updates: { [self] batch in
                    count = 1
                    batch.deleteItems(at: [0, 1])
                })
            }
            return ListItem(reuseIdentifier: "row")
        }
    }

    @Test(
        "the store refuses to reserve revisions → item changes wait until it has reserved some"
    )
    func itemUpdateRefused() async throws {
        let table = try SectionControllerTable(["*": "test/shrinking"]) { _ in
            SectionControllerEntry.controller("shrinking") { ShrinkingController() }
        }
        let host = makeHost(controllers: table)
        host.send(try insert(1, "a"))
        host.send(.stored(try await nextWrite().token, nil))
        #expect(try await nextRevision() == 1)
        host.send(.query(2, .items(firstSection: 0, sectionCount: 1, byteLimit: 999)))
        _ = try await nextAnswer()
        for _ in 0..<2 {
            let block = try await nextWrite()
            #expect(block.work.change?.hasObjectChanges != true && block.work.limit > 1)
            host.send(.stored(block.token, ListError(.storeFailed, "full")))
            #expect(try await itemCount(of: host) == 3)
        }
        let block = try await nextWrite()
        host.send(.stored(block.token, nil))
        let updated = try await effects.next(timeout: .seconds(60)) {
            if case .event(.updated(let transaction)) = $0 { transaction.revision == 2 } else { false }
        }
        guard case .event(.updated(let transaction)) = updated else { throw Unexpected() }
        #expect(transaction.items.deletes == [ItemPlace(section: 0, item: 0), ItemPlace(section: 0, item: 1)])
        #expect(try await itemCount(of: host) == 1)
    }

    @Test("items change and a write arrives → both get one revision, which is stored with the write")
    func itemUpdateWithWrite() async throws {
        let table = try SectionControllerTable(["*": "test/shrinking"]) { _ in
            SectionControllerEntry.controller("shrinking") { ShrinkingController() }
        }
        let host = makeHost(controllers: table)
        host.send(try insert(1, "a"))
        host.send(.stored(try await nextWrite().token, nil))
        #expect(try await nextRevision() == 1)
        host.send(.hold(true))
        host.send(.query(2, .items(firstSection: 0, sectionCount: 1, byteLimit: 999)))
        host.send(try insert(3, "b"))
        _ = try await nextAnswer()
        host.send(.hold(false))
        let write = try await nextWrite()
        #expect(write.work.change?.hasObjectChanges == true && write.work.limit == 2)
        host.send(.stored(write.token, nil))
        #expect(try await nextRevision() == 2)
        #expect(try await itemCount(of: host) == 1 + 3)
    }

    @Test("several requests of one flush cannot be stored → each request gets exactly one answer")
    func failureOfSeveral() async throws {
        let host = makeHost()
        host.send(try insert(1, "a"))
        let first = try await nextWrite()
        for id in 2...5 { host.send(try insert(RequestID(id), "a\(id)")) }
        host.send(.stored(first.token, nil))
        #expect(try await nextRevision() == 1)
        host.send(.stored(try await nextWrite().token, ListError(.storeFailed, "no")))
        var failed: [RequestID] = []
        for _ in 2...5 { failed.append(try await nextAnswer().id) }
        #expect(failed == [2, 3, 4, 5])
    }

    @Test("a list is stopped during a store write → the waiting updates are stored and announced before the list ends")
    func stopping() async throws {
        let host = makeHost()
        host.send(try insert(1, "a"))
        let write = try await nextWrite()
        host.send(try insert(2, "b"))
        host.send(.stop(3, .shuttingDown))
        host.send(.stored(write.token, nil))
        #expect(try await nextRevision() == 1)
        host.send(.stored(try await nextWrite().token, nil))
        #expect(try await nextRevision() == 2)
        let last = try await nextWrite()
        #expect(last.work.change?.hasObjectChanges != true)
        #expect(last.work.limit == 2 && last.work.log.map(\.revision) == [2])
        host.send(.stored(last.token, nil))
        #expect(try await nextAnswer().id == 3)
    }

    @Test(
        "listd shuts down → the list is readable but not writable; the list is removed → the list is not readable",
        arguments: [ViewClosing.shuttingDown, .adapterRemoved])
    func ended(reason: ViewClosing) async throws {
        let host = makeHost(isStored: false)
        host.send(try insert(1, "a"))
        #expect(try await nextRevision() == 1)
        host.send(.stop(2, reason))
        #expect(try await nextAnswer().id == 2)
        host.send(.query(3, .objects(offset: 0, limit: 9, byteLimit: 999)))
        let read = try await nextAnswer().outcome
        host.send(.openView(4, 1, ListViewOptions()))
        let opened = try await nextAnswer().outcome
        if reason == .shuttingDown {
            guard case .objects(1, 1, let objects) = try read.get() else { throw Unexpected() }
            #expect(objects.map(\.id) == ["a"])
            #expect(throws: ListError.self) { try opened.get() }
            if case .failure(let error) = opened { #expect(error.code == .shuttingDown) }
        } else {
            for outcome in [read, opened] {
                guard case .failure(let error) = outcome else { throw Unexpected() }
                #expect(error.code == .noSuchAdapter)
            }
        }
    }

    @Test(
        "storing begins → the whole list is stored, then each update; storing ends → nothing more is stored"
    )
    func keeping() async throws {
        let host = makeHost(isStored: false)
        host.send(try insert(1, "a"))
        #expect(try await nextRevision() == 1)
        host.send(.keep(2, true))
        let snapshot = try await nextWrite()
        #expect(snapshot.work.limit == 1 && snapshot.work.log.map(\.revision) == [1])
        guard let objects = snapshot.work.change?.whole else { throw Unexpected() }
        #expect(objects.map(\.id) == ["a"])
        host.send(.stored(snapshot.token, nil))
        #expect(try await nextAnswer().id == 2)
        host.send(try insert(3, "b"))
        host.send(.stored(try await nextWrite().token, nil))
        #expect(try await nextRevision() == 2)
        host.send(.keep(4, false))
        #expect(try await nextAnswer().id == 4)
        host.send(try insert(5, "c"))
        #expect(try await nextRevision() == 3)
    }

    @Test("an item update is announced → the next write records it once, exactly as announced")
    func records() async throws {
        let host = makeHost(
            controllers: try SectionControllerTable(["*": "listd/binding"]) { name throws(ListError) in
                throw ListError(.noSuchSectionController, "no \(name)")
            })
        for number in 1...3 {
            let items = (0..<number).map { item in
                Value.dictionary(key: "s", value: "v", [.string("id"): .variant(.string("\(item)"))])
            }
            let object = try ListObject(id: "a", fields: ["items": .array(element: "a{sv}", items)])
            host.send(.update(UpdateRequest(id: 1, operation: .performUpdates(objects: [object]))))
            let write = try await nextWrite()
            #expect(write.work.log.map(\.revision) == (number == 1 ? [] : [UInt64(number - 1)]))
            if number == 3 { #expect(write.work.log[0].items.inserts == [ItemPlace(section: 0, item: 1)]) }
            host.send(.stored(write.token, nil))
            #expect(try await nextRevision() == UInt64(number))
        }
    }

    @Test(
        "the store refuses new section controllers → the former ones stay in use until the store accepts the new ones"
    )
    func otherControllers() async throws {
        let host = makeHost()
        let binding = try SectionControllerTable(["*": "listd/binding"]) { name throws(ListError) in
            throw ListError(.noSuchSectionController, "no \(name)")
        }
        let configuration = ListOptions(name: "x")
        host.send(.configure(1, configuration, binding))
        host.send(.stored(try await nextWrite().token, ListError(.storeFailed, "full")))
        let refused = try await nextAnswer()
        #expect(refused.id == 1)
        #expect(throws: ListError(.storeFailed, "full")) { try refused.outcome.get() }

        host.send(try insert(2, "a"))
        host.send(.stored(try await nextWrite().token, nil))
        #expect(try await nextRevision() == 1)
        #expect(try await itemCount(of: host) == 1)

        host.send(.configure(3, configuration, binding))
        host.send(.stored(try await nextWrite().token, nil))
        #expect(try await nextRevision() == 2)
        #expect(try await itemCount(of: host) == 0)
    }

    private func itemCount(of host: ListHost) async throws -> Int {
        host.send(.query(99, .items(firstSection: 0, sectionCount: 9, byteLimit: 999)))
        guard case .items(_, _, let items) = try await nextAnswer().outcome.get() else { throw Unexpected() }
        return items.count
    }
}

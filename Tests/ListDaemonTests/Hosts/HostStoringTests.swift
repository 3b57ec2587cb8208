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
    private let effects = EventLog<HostNews>()

    private func makeHost(
        isStored: Bool = true, account: HostAccount? = nil, controllers: SectionControllerTable = .builtIn
    ) -> RecordedHost {
        let host = RecordedHost({ [effects] in effects.record($0) }) { store in
            ListHost(
                configuration: ListOptions(name: "x"), controllers: controllers, account: account,
                isStored: isStored, store: store)
        }
        host.host.presentLocally()
        return host
    }

    /// Returns the next answer or write.
    private func next() async throws -> HostNews {
        while true {
            let news = try await effects.next()
            switch news {
            case .store, .answer: return news
            default: continue
            }
        }
    }

    private func nextWrite() async throws -> (number: Int, work: StoreWrite) {
        guard case .store(let number, let work) = try await next() else { throw Unexpected() }
        return (number, work)
    }

    private func nextAnswer() async throws -> (id: RequestID, outcome: Result<HostAnswer, ListError>) {
        guard case .answer(let id, let outcome) = try await next() else { throw Unexpected() }
        return (id, outcome)
    }

    private func nextRevision() async throws -> UInt64 {
        guard case .written(let revision) = try await nextAnswer().outcome.get() else { throw Unexpected() }
        return revision
    }

    private struct Unexpected: Error {}

    private func insert(_ id: RequestID, _ name: String, expecting revision: UInt64 = 0) throws -> HostCall {
        let upsert = UpdateRequest.Upsert(try ListObject(id: name, fields: [:]))
        return .update(id, .applyChanges(removed: [], upserts: [upsert]), expecting: revision)
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
        host.send(.read(3, .objects(offset: 0, limit: 9, byteLimit: 999)))
        let before = try await nextAnswer().outcome.page
        #expect(before?.revision == 0 && before?.total == 0)
        host.finishWrite(first.number)
        #expect(try await nextRevision() == 1)
        let second = try await nextWrite()
        #expect(second.work.revision == 1 && second.work.log.map(\.revision) == [1] && second.number != first.number)
        host.finishWrite(second.number)
        #expect(try await nextRevision() == 2)
        host.send(.read(4, .objects(offset: 0, limit: 9, byteLimit: 999)))
        let after = try await nextAnswer().outcome.page
        #expect(after?.revision == 2 && after?.total == 2 && after?.objects.map(\.id) == ["a", "b"])
    }

    @Test(
        "the store fails → every request of the flush gets the error, and the next flush succeeds"
    )
    func failure() async throws {
        let ledger = QuotaLedger(limits: Quotas.Amounts(adapters: 1, views: 1, objects: 1, bytes: 1000))
        let host = makeHost(account: HostAccount(ledger: ledger, user: 7))
        for round in 0..<3 {
            host.send(try insert(RequestID(round), "a"))
            host.finishWrite(try await nextWrite().number, ListError(.storeFailed, "full"))
            let answer = try await nextAnswer()
            #expect(answer.id == RequestID(round))
            #expect(throws: ListError(.storeFailed, "full")) { try answer.outcome.get() }
        }
        #expect(ledger.total.objects == 0)
        host.send(try insert(9, "b"))
        let write = try await nextWrite()
        #expect(write.work.revision == 0 && write.work.limit == 1)
        host.finishWrite(write.number)
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
        host.finishWrite(try await nextWrite().number)
        #expect(try await nextRevision() == 1)
        host.send(.read(2, .asked(.items(firstSection: 0, sectionCount: 1, byteLimit: 999))))
        _ = try await nextAnswer()
        for _ in 0..<2 {
            let block = try await nextWrite()
            #expect(block.work.change?.hasObjectChanges != true && block.work.limit > 1)
            host.finishWrite(block.number, ListError(.storeFailed, "full"))
            #expect(try await itemCount(of: host) == 3)
        }
        let block = try await nextWrite()
        host.finishWrite(block.number)
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
        host.finishWrite(try await nextWrite().number)
        #expect(try await nextRevision() == 1)
        host.host.hold(true)
        host.send(.read(2, .asked(.items(firstSection: 0, sectionCount: 1, byteLimit: 999))))
        host.send(try insert(3, "b"))
        _ = try await nextAnswer()
        host.host.hold(false)
        let write = try await nextWrite()
        #expect(write.work.change?.hasObjectChanges == true && write.work.limit == 2)
        host.finishWrite(write.number)
        #expect(try await nextRevision() == 2)
        #expect(try await itemCount(of: host) == 1 + 3)
    }

    @Test("several requests of one flush cannot be stored → each request gets exactly one answer")
    func failureOfSeveral() async throws {
        let host = makeHost()
        host.send(try insert(1, "a"))
        let first = try await nextWrite()
        for id in 2...5 { host.send(try insert(RequestID(id), "a\(id)")) }
        host.finishWrite(first.number)
        #expect(try await nextRevision() == 1)
        host.finishWrite(try await nextWrite().number, ListError(.storeFailed, "no"))
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
        host.finishWrite(write.number)
        #expect(try await nextRevision() == 1)
        host.finishWrite(try await nextWrite().number)
        #expect(try await nextRevision() == 2)
        let last = try await nextWrite()
        #expect(last.work.change?.hasObjectChanges != true)
        #expect(last.work.limit == 2 && last.work.log.map(\.revision) == [2])
        host.finishWrite(last.number)
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
        host.send(.read(3, .objects(offset: 0, limit: 9, byteLimit: 999)))
        let read = try await nextAnswer().outcome
        host.send(.openView(4, 1, ListViewOptions()))
        let opened = try await nextAnswer().outcome
        if reason == .shuttingDown {
            #expect(read.page?.revision == 1 && read.page?.total == 1 && read.page?.objects.map(\.id) == ["a"])
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
        host.finishWrite(snapshot.number)
        #expect(try await nextAnswer().id == 2)
        host.send(try insert(3, "b"))
        host.finishWrite(try await nextWrite().number)
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
            host.send(.update(1, .performUpdates(objects: [object])))
            let write = try await nextWrite()
            #expect(write.work.log.map(\.revision) == (number == 1 ? [] : [UInt64(number - 1)]))
            if number == 3 { #expect(write.work.log[0].items.inserts == [ItemPlace(section: 0, item: 1)]) }
            host.finishWrite(write.number)
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
        host.finishWrite(try await nextWrite().number, ListError(.storeFailed, "full"))
        let refused = try await nextAnswer()
        #expect(refused.id == 1)
        #expect(throws: ListError(.storeFailed, "full")) { try refused.outcome.get() }

        host.send(try insert(2, "a"))
        host.finishWrite(try await nextWrite().number)
        #expect(try await nextRevision() == 1)
        #expect(try await itemCount(of: host) == 1)

        host.send(.configure(3, configuration, binding))
        host.finishWrite(try await nextWrite().number)
        #expect(try await nextRevision() == 2)
        #expect(try await itemCount(of: host) == 0)
    }

    private func itemCount(of host: RecordedHost) async throws -> Int {
        host.send(.read(99, .asked(.items(firstSection: 0, sectionCount: 9, byteLimit: 999))))
        guard let items = try await nextAnswer().outcome.items else { throw Unexpected() }
        return items.count
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Restored lists whose engine is created at first use", .timeLimit(.minutes(2)))
@DBusActor
struct RestingListTests {
    private nonisolated static let configuration = ListOptions(name: "x")

    nonisolated static func objects(_ ids: some Sequence<Int>) throws -> [ListObject] {
        try ids.map { number in
            try ListObject(
                id: "\(number)", type: number % 2 == 0 ? "even" : "odd", fields: ["n": .int64(Int64(number))])
        }
    }

    /// The log entry of the stored transaction that led to revision 7.
    private static let change = Transaction(
        baseRevision: 6, revision: 7, kind: .update, animated: true, sectionCount: 9, itemCount: 9)

    private static func restore(
        _ objects: [ListObject], controllers: SectionControllerTable = .builtIn, account: HostAccount? = nil
    ) -> RestoredHost {
        let news = EventLog<HostNews>()
        let host = RecordedHost({ news.record($0) }) { store in
            controllers.makeHost(
                configuration: configuration, objects: objects, revision: 7, changes: [change], account: account,
                isRestored: true, store: store)
        }
        return RestoredHost(recorded: host, news: news)
    }

    // MARK: At rest

    @Test("properties, keep-alives, recorded changes and a dump are requested → no engine is created")
    func rests() async throws {
        let ledger = QuotaLedger(limits: Quotas.Amounts(adapters: 1, views: 1, objects: 9, bytes: 999))
        let list = Self.restore(try Self.objects(0..<9), account: HostAccount(ledger: ledger, user: 7))
        let status = try await list.nextStatus()
        #expect(status.revision == 7 && status.oldestRevision == 6 && status.objectCount == 9 && status.itemCount == 9)
        #expect(ledger.total.objects == 9)
        await list.host.settle()
        list.host.hold(true)
        list.host.hold(false)
        list.host.closeView(3, .closed)
        guard case .changes(7, let changes) = try await list.ask(.read(1, .changes(since: 6, byteLimit: .max)))
        else { throw Unexpected() }
        #expect(changes == [Self.change])
        guard case .text(let text) = try await list.ask(.read(2, .description)) else { throw Unexpected() }
        #expect(text.contains("not used yet"))
        _ = try await list.ask(.keep(3, false))
        #expect(list.host.isResting)
        guard case .done = try await list.ask(.stop(4, .shuttingDown)) else { throw Unexpected() }
        #expect(list.host.isResting)
        #expect(ledger.total.objects == 0)
        // While listd shuts down, a reader gets the restored objects.
        guard case .object(7, 1, _) = try await list.ask(.read(5, .find(id: "1"))) else { throw Unexpected() }
    }

    @Test(
        "items are read, or the list changes → the engine is created, and the call is answered",
        arguments: [
            .read(1, .objects(offset: 0, limit: 1, byteLimit: 9)), .read(1, .find(id: "3")),
            .read(1, .asked(.items(firstSection: 0, sectionCount: 1, byteLimit: 9))),
            .read(1, .asked(.itemCounts(firstSection: 0, limit: 1))), .openView(1, 1, ListViewOptions()),
            .update(1, .moveObject(id: "3", position: .first)), .update(1, .reloadData),
            .configure(1, configuration, .builtIn),
        ] as [HostCall])
    func wakes(_ call: HostCall) async throws {
        let list = Self.restore(try Self.objects(0..<9))
        #expect(try await list.nextStatus().objectCount == 9)
        #expect(list.host.isResting)
        _ = try await list.ask(call)
        #expect(!list.host.isResting)
    }

    @Test("the first change arrives while updates are paused → the change is applied when updates resume")
    func held() async throws {
        let list = Self.restore(try Self.objects(0..<9))
        list.host.hold(true)
        list.recorded.send(.update(1, .moveObject(id: "3", position: .first)))
        guard case .page(let page) = try await list.ask(.read(2, .objects(offset: 0, limit: 1, byteLimit: 9)))
        else { throw Unexpected() }
        #expect(page.revision == 7 && page.total == 9)
        list.host.hold(false)
        guard case .written(let revision) = try await list.answer(to: 1) else { throw Unexpected() }
        #expect(revision == 8)
    }

    @Test("the store returns an object twice → the list drops the repetition at its first use")
    func repeated() async throws {
        let list = Self.restore(try Self.objects([1, 2, 1]))
        #expect(try await list.nextStatus().objectCount == 3)
        list.recorded.send(.read(1, .find(id: "2")))
        #expect(try await list.nextStatus().objectCount == 2)
        _ = try await list.answer(to: 1)
    }

    @Test("a restored list is empty → its engine is created immediately")
    func empty() async throws {
        let list = Self.restore([])
        #expect(try await list.nextStatus().objectCount == 0)
        #expect(!list.host.isResting)
    }

    // MARK: After the first use

    @Test("engines are created at first use or at startup → they say the same afterwards", arguments: 0..<40)
    func sameAfterwards(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let objects = try Self.objects(0..<Int.random(in: 1...60, using: &random))
        let table = try SectionControllerTable(["odd": "listd/binding"]) { name throws(ListError) in
            throw ListError(.noSuchSectionController, "no \(name)")
        }
        let (late, early) = (
            Self.restore(objects, controllers: table), Self.restore(objects, controllers: table)
        )
        #expect(try await late.nextStatus() == early.nextStatus())
        _ = try await early.ask(.read(0, .objects(offset: 0, limit: 1, byteLimit: 1)))
        #expect(late.host.isResting)
        for id in 1...30 {
            let call = try Self.call(RequestID(id), &random)
            let expected = try await early.news(of: call)
            #expect(try await late.news(of: call) == expected, "\(call)")
        }
    }

    /// Returns a random call on a list of the objects "0" to "69".
    nonisolated static func call(_ id: RequestID, _ random: inout SeededRandom) throws -> HostCall {
        let one = "\(Int.random(in: 0..<70, using: &random))"
        let (section, view) = (Int.random(in: 0..<60, using: &random), ViewID(Int.random(in: 1...2, using: &random)))
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .read(id, .objects(offset: section, limit: 9, byteLimit: 999))
        case 1: return .read(id, .find(id: one))
        case 2: return .read(id, .asked(.items(firstSection: section, sectionCount: 3, byteLimit: 999)))
        case 3: return .read(id, .changes(since: UInt64(section), byteLimit: 9999))
        case 4: return .openView(id, view, ListViewOptions())
        case 5:
            let rect = Rect(x: 0, y: Double(section) * 40, width: 300, height: 400)
            return .view(id, view, .setViewport(seen: 0, rect))
        case 6: return .view(id, view, .select(id: one, item: 0, true))
        case 7: return .update(id, .moveObject(id: one, position: .first))
        case 8:
            let ids = (0..<40).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
            return .update(id, .performUpdates(objects: try objects(ids)))
        case 9:
            let new = try ListObject(id: one, type: "odd", fields: ["title": .string("\(id)")])
            return .update(id, .applyChanges(removed: ["\(section)"], upserts: [UpdateRequest.Upsert(new)]))
        case 10: return .update(id, .reloadData)
        default:
            let table = try SectionControllerTable(["even": "listd/binding"]) { name throws(ListError) in
                throw ListError(.noSuchSectionController, "no \(name)")
            }
            return .configure(id, configuration, Bool.random(using: &random) ? table : .builtIn)
        }
    }
}

private struct Unexpected: Error {}

/// The host of a restored list, with a log of its news.
@DBusActor
private struct RestoredHost {
    let recorded: RecordedHost
    let news: EventLog<HostNews>
    var host: ListHost { recorded.host }

    /// Returns the next status.
    func nextStatus() async throws -> ListStatus {
        while true { if case .status(let status) = try await news.next() { return status } }
    }

    /// Returns the answer to a call that was made.
    func answer(to id: RequestID) async throws -> HostAnswer {
        while true {
            if case .answer(id, let outcome) = try await news.next() { return try outcome.get() }
        }
    }

    /// Makes a call and waits for its answer.
    func ask(_ call: HostCall) async throws -> HostAnswer {
        recorded.send(call)
        return try await answer(to: call.id)
    }

    /// Makes a call and returns the news up to its answer, without those of the clock.
    func news(of call: HostCall) async throws -> [String] {
        recorded.send(call)
        var said: [String] = []
        while true {
            let next = try await news.next()
            if case .again = next { continue }
            said.append("\(next)")
            if case .answer = next { return said }
        }
    }
}

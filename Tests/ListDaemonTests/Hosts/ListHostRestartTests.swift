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

@Suite("Revisions of a stored list whose section controllers run in a worker", .timeLimit(.minutes(2)))
@DBusActor
struct ListHostRestartTests {
    private let directory = TemporaryDirectory()
    private let said = EventLog<HostNews>()
    private let worker = FalseWorker()

    /// A log sink that drops all messages.
    private struct SilentSink: LogSink {
        func write(_ entry: LogEntry) {}
    }

    private func open() throws -> (store: SQLiteStore, restored: RestoredAdapter?) {
        let opened = try SQLiteStore.open(directory: directory.path)
        return (opened.store, opened.adapters.first)
    }

    /// Returns a host for the restored list, which writes to the store.
    private func makeHost(_ store: SQLiteStore, _ restored: RestoredAdapter?, isStored: Bool = true) -> RecordedHost {
        let stored = StoredList(
            adapter("x"), durability: isStored ? .disk : .memory, store: store,
            log: Log(level: .error, sink: SilentSink()))
        if !isStored { stored.enablePersistence(Fields(), durability: .disk) }
        return RecordedHost({ [said] in said.record($0) }) { _ in
            ListHost(
                configuration: ListOptions(name: "x"),
                controllers: SectionControllerTable(naming: ["*": "listd/single"]), objects: restored?.objects ?? [],
                revision: restored?.revision ?? 0, changes: restored?.changes.compactMap(\.transaction) ?? [],
                isStored: isStored, wasPresented: restored != nil,
                store: { work, done in stored.write(work, completion: done) })
        }
    }

    private func put(_ id: RequestID, _ object: String, _ host: RecordedHost) async throws {
        let upsert = UpdateRequest.Upsert(try ListObject(id: object, fields: [:]))
        host.send(.update(id, .applyChanges(removed: [], upserts: [upsert])))
        let update = try await worker.nextUpdate()
        let count = Int(id)
        #expect(update.inserted.map(\.object.id) == [object])
        host.host.report([.presented(.reload(count))], from: worker.number)
        try await answer(id)
    }

    private func answer(_ id: RequestID) async throws {
        _ = try await said.next(timeout: .seconds(60)) { if case .answer(id, .success) = $0 { true } else { false } }
    }

    private func present(_ host: RecordedHost, _ count: Int) async throws {
        host.host.attach(worker.slot)
        _ = try await worker.nextSetup()
        host.host.report([.opened(.items(count))], from: worker.number)
    }

    @Test(
        "a stored list ends cleanly → no revision is skipped; listd is killed → all reserved revisions are skipped")
    func restarts() async throws {
        let (first, _) = try open()
        try await first.write(.create(adapter("x")))
        let host = makeHost(first, nil)
        try await present(host, 0)
        try await put(1, "a", host)
        host.host.report([.changed(.reload(1))], from: worker.number)
        host.send(.stop(9, .shuttingDown))
        try await answer(9)
        await first.close()

        let (second, ended) = try open()
        #expect(ended?.revision == 2 && ended?.objects.map(\.id) == ["a"] && ended?.changes.map(\.revision) == [1, 2])
        let next = makeHost(second, ended)
        try await present(next, 1)
        try await put(2, "b", next)
        next.send(.read(5, .changes(since: 1, byteLimit: .max)))
        let effect = try await said.next(timeout: .seconds(60)) { if case .answer(5, _) = $0 { true } else { false } }
        guard case .answer(_, .success(.changes(4, let known))) = effect else {
            Issue.record("\(effect)")
            return
        }
        #expect(known.map(\.revision) == [2, 3, 4])
        // The list was not ended, so the file is as after a kill.
        await second.close()
        let (third, killed) = try open()
        #expect(killed?.objects.map(\.id) == ["a", "b"] && killed?.changes.isEmpty == true)
        #expect((killed?.revision ?? 0) > 1024)
        await third.close()
    }

    @Test("a list becomes stored → the store has the whole list and its options, and no revision is skipped")
    func begins() async throws {
        let (store, _) = try open()
        let host = makeHost(store, nil, isStored: false)
        try await present(host, 0)
        try await put(1, "a", host)
        host.send(.keep(2, true))
        try await answer(2)
        host.send(.stop(9, .shuttingDown))
        try await answer(9)
        await store.close()
        let (again, restored) = try open()
        #expect(restored?.revision == 1 && restored?.objects.map(\.id) == ["a"])
        #expect(restored?.changes.map(\.revision) == [1])
        await again.close()
    }
}

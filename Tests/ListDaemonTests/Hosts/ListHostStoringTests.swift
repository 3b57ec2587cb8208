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

@Suite("Storing a list whose section controllers run in a worker", .timeLimit(.minutes(5)))
@DBusActor
struct ListHostStoringTests {
    private let worker = FalseWorker()

    /// Creates a stored list with reserved revisions.
    private func makeStored(revision: UInt64 = 0) async throws -> ListHostStage {
        let stage = ListHostStage(revision: revision, isStored: true)
        stage.host.attach(worker.slot)
        let block = try await stage.nextWrite()
        #expect(block.work.change?.hasObjectChanges != true && block.work.limit == revision + RevisionNumbers.blockSize)
        _ = try await worker.nextSetup()
        stage.report(.opened(.items(0)), from: worker)
        stage.finishWrite(block.number)
        await stage.settle()
        return stage
    }

    @Test(
        "storing begins while the worker applies an update → the store gets the whole list, and later requests wait")
    func keepsWhatIsThere() async throws {
        let stage = ListHostStage()
        try await stage.present(in: worker, itemCount: 0)
        try stage.put(1, "a")
        _ = try await worker.nextUpdate()
        stage.send(.keep(2, true))
        try stage.put(3, "b")
        stage.report(.presented(.reload(1)), from: worker)
        #expect(try await stage.answer(to: 1).revision == 1)
        let whole = try await stage.nextWrite()
        guard let objects = whole.work.change?.whole else { throw FalseWorker.Unexpected() }
        #expect(objects.map(\.id) == ["a"] && whole.work.revision == 1 && whole.work.limit == 1)
        #expect(whole.work.log.map(\.revision) == [1])
        stage.finishWrite(whole.number)
        _ = try await stage.answer(to: 2).get()
        var next = try await stage.nextWrite()
        if next.work.change?.hasObjectChanges != true {  // a block of revisions
            stage.finishWrite(next.number)
            next = try await stage.nextWrite()
        }
        #expect(next.work.change?.hasObjectChanges == true && next.work.change?.requests == [3])
        #expect(next.work.revision == 1 && next.work.limit > 1)
    }

    @Test(
        "storing ends while an update is being stored → the update is answered, and later updates are not stored"
    )
    func keepsNoMore() async throws {
        let stage = try await makeStored()
        try stage.put(1, "a")
        let first = try await stage.nextWrite()
        stage.send(.keep(2, false))
        try stage.put(3, "b")
        stage.finishWrite(first.number)
        _ = try await worker.nextUpdate()
        stage.report(.presented(.reload(1)), from: worker)
        #expect(try await stage.answer(to: 1).revision == 1)
        _ = try await stage.answer(to: 2).get()
        _ = try await worker.nextUpdate()
        stage.report(.presented(.reload(2)), from: worker)
        #expect(try await stage.answer(to: 3).revision == 2)
    }

    @Test(
        "the whole list cannot be stored → the request to store it fails, and waiting requests run without the store"
    )
    func refused() async throws {
        let stage = ListHostStage()
        try await stage.present(in: worker, itemCount: 0)
        stage.send(.keep(1, true))
        let whole = try await stage.nextWrite()
        try stage.put(2, "a")
        stage.finishWrite(whole.number, ListError(.storeFailed, "full"))
        #expect(try await stage.answer(to: 1).errorCode == .storeFailed)
        _ = try await worker.nextUpdate()
    }

    @Test("storing begins or ends while the list has no worker → the change takes effect immediately")
    func keepsUnpresented() async throws {
        let stage = ListHostStage(try [ListObject(id: "a")], revision: 5)
        stage.send(.keep(1, true))
        let whole = try await stage.nextWrite()
        #expect(whole.work.revision == 5)
        stage.finishWrite(whole.number)
        _ = try await stage.answer(to: 1).get()
        _ = try await stage.ask(.keep(2, false)).get()
    }

    @Test("the list ends while it is being stored for the first time → all requests are answered")
    func ends() async throws {
        let stage = ListHostStage()
        try await stage.present(in: worker, itemCount: 0)
        stage.send(.keep(1, true))
        let whole = try await stage.nextWrite()
        stage.send(.keep(2, false))
        stage.send(.stop(3, .adapterRemoved))
        stage.finishWrite(whole.number)
        _ = try await stage.answer(to: 1).get()
        _ = try await stage.answer(to: 2).get()
        _ = try await stage.answer(to: 3).get()
        await stage.settle()
        #expect(worker.isClosed)
    }

    @Test(
        "the worker dies while new options are being stored → the next worker opens the list with the new options"
    )
    func dyingWithOptions() async throws {
        let stage = try await makeStored()
        var other = ListOptions(name: "x")
        other.workingRange = 7
        stage.send(.configure(1, other, SectionControllerTable(naming: ["*": "listd/binding"])))
        let write = try await stage.nextWrite()
        #expect(write.work.change?.hasObjectChanges != true && write.work.change?.requests == [1])
        stage.host.losePresenter()
        stage.finishWrite(write.number)
        let next = FalseWorker()
        stage.host.attach(next.slot)
        let setup = try await next.nextSetup()
        #expect(setup.configuration.workingRange == 7 && setup.controllers.option == ["*": "listd/binding"])
        stage.report(.opened(.items(0)), from: next)
        #expect(try await stage.answer(to: 1).revision == 1)
    }

    @Test("the store refuses new options → nothing changes, and the next worker opens the list with the former options")
    func refusedOptions() async throws {
        let stage = try await makeStored()
        var other = ListOptions(name: "x")
        other.workingRange = 7
        stage.send(.configure(1, other, SectionControllerTable(naming: ["*": "listd/binding"])))
        stage.finishWrite(try await stage.nextWrite().number, ListError(.storeFailed, "full"))
        #expect(try await stage.answer(to: 1).errorCode == .storeFailed)
        stage.host.losePresenter()
        let next = FalseWorker()
        stage.host.attach(next.slot)
        let setup = try await next.nextSetup()
        #expect(setup.configuration.workingRange == 0 && setup.controllers.option == ["*": "listd/single"])
    }

    @Test(
        "the worker dies after a write → followers are notified once of a stored write, never of a refused write"
    )
    func followed() async throws {
        let stage = try await makeStored()
        /// Returns the answer to a request, and the ids in the changes before it.
        func answer(to wanted: RequestID) async throws -> (Result<HostAnswer, ListError>, changes: [[String]]) {
            var changes: [[String]] = []
            while true {
                switch try await stage.said.next(timeout: .seconds(60)) {
                case .changed(let change): changes.append(change.placed.map(\.object.id))
                case .answer(wanted, let outcome): return (outcome, changes)
                default: continue
                }
            }
        }
        stage.host.setReportsChanges(true)
        try stage.put(1, "a")
        stage.finishWrite(try await stage.nextWrite().number, ListError(.storeFailed, "full"))
        let refused = try await answer(to: 1)
        #expect(refused.0.errorCode == .storeFailed && refused.changes.isEmpty)
        stage.host.losePresenter()
        let next = FalseWorker()
        try await stage.present(in: next, itemCount: 0)
        #expect(!stage.said.recorded.contains { if case .changed = $0 { true } else { false } })
        try stage.put(2, "b")
        stage.finishWrite(try await stage.nextWrite().number)
        _ = try await next.nextUpdate()
        #expect(!stage.said.recorded.contains { if case .changed = $0 { true } else { false } })
        stage.report(.presented(.reload(1)), from: next)
        let applied = try await answer(to: 2)
        #expect(applied.0.revision == 2 && applied.changes == [["b"]])
    }

    @Test("a worker opens a restored list → its update is a reload, and waits until its revision is stored")
    func restored() async throws {
        let stage = ListHostStage(try [ListObject(id: "a")], revision: 7, isStored: true, wasPresented: true)
        stage.host.attach(worker.slot)
        let block = try await stage.nextWrite()
        await stage.settle()
        #expect(worker.orders.recorded.isEmpty)
        stage.finishWrite(block.number)
        _ = try await worker.nextSetup()
        stage.report(.opened(.items(1)), from: worker)
        let effect = try await stage.said.next(timeout: .seconds(60)) {
            if case .event(.updated) = $0 { true } else { false }
        }
        guard case .event(.updated(let transaction)) = effect else { return }
        #expect(transaction.kind == .reload && transaction.revision == 8 && transaction.itemCount == 1)
    }

    @Test(
        "the store refuses to reserve revisions → item changes are announced only after it has reserved some"
    )
    func noNumbers() async throws {
        let stage = ListHostStage(isStored: true)
        stage.host.attach(worker.slot)
        let block = try await stage.nextWrite()
        _ = try await worker.nextSetup()
        stage.report(.opened(.items(0)), .changed(.reload(0)), from: worker)
        stage.finishWrite(block.number, ListError(.storeFailed, "full"))
        await stage.settle()
        let isSaid = stage.said.recorded.contains { if case .event = $0 { true } else { false } }
        #expect(!isSaid)
        let again = try await stage.nextWrite()
        #expect(again.work.change?.hasObjectChanges != true)
        stage.finishWrite(again.number)
        _ = try await stage.said.next(timeout: .seconds(60)) { if case .event(.updated) = $0 { true } else { false } }
    }

    @Test("the list ends → log and last revision are written before clients are notified")
    func settles() async throws {
        let stage = try await makeStored(revision: 3)
        stage.report(.changed(.reload(0)), from: worker)
        stage.send(.stop(1, .shuttingDown))
        let last = try await stage.nextWrite()
        #expect(last.work.revision == 4 && last.work.limit == 4 && last.work.log.map(\.revision) == [4])
        stage.finishWrite(last.number)
        _ = try await stage.answer(to: 1).get()
    }

    @Test(
        "the list ends without a worker → stored updates are announced and answered, other requests are refused"
    )
    func endsUnpresented() async throws {
        let stage = try await makeStored()
        try stage.put(1, "a")
        let write = try await stage.nextWrite()
        try stage.put(2, "b")
        stage.host.losePresenter()
        stage.send(.stop(3, .adapterRemoved))
        #expect(try await stage.answer(to: 2).errorCode == .pluginFailed)
        stage.finishWrite(write.number)
        #expect(try await stage.answer(to: 1).revision == 1)
        _ = try await stage.answer(to: 3).get()
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import Synchronization
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

/// A fake worker that the test controls step by step.
final class FalseWorker: Sendable {
    let number = PresenterNumbers.next()
    let orders = EventLog<Order>()
    let complaints = EventLog<String>()
    private let closed = Mutex(false)

    var isClosed: Bool { closed.withLock { $0 } }

    var slot: HostSlot {
        HostSlot(
            number: number, send: { [orders] in orders.record($0) },
            kill: { [complaints] in complaints.record($0) },
            close: { [self] in closed.withLock { $0 = true } })
    }

    /// Returns the next order, which must open the list.
    func nextSetup() async throws -> PresenterSetup {
        let order = try await orders.next(timeout: .seconds(60)) { if case .open = $0 { true } else { false } }
        guard case .open(_, let setup, _) = order else { throw Unexpected() }
        return setup
    }

    func nextUpdate() async throws -> Change {
        let order = try await orders.next(timeout: .seconds(60)) { if case .present = $0 { true } else { false } }
        guard case .present(_, let update, _) = order else { throw Unexpected() }
        return try #require(update.change)
    }

    struct Unexpected: Error {}
}

/// A real presentation in this process, in place of a worker. Counts its messages.
final class NearWorker: Sendable {
    private let counts = Mutex((orders: 0, reports: 0, objects: 0, bytes: 0, mostBytes: 0))
    let number = PresenterNumbers.next()
    let presentation: WorkerList

    init(_ host: ListHost, resolve: @escaping @Sendable (SectionControllerTable) -> SectionControllerTable = { $0 }) {
        let relay = Relay()
        presentation = WorkerList(
            executor: HostExecutor(label: "org.listd.test.worker"), tracer: CallTracer(nil), resolve: resolve
        ) { reports, _ in
            relay.worker.withLock { $0 }?.deliver(reports)
        }
        self.host = host
        relay.worker.withLock { $0 = self }
    }

    private let host: ListHost

    private final class Relay: Sendable {
        let worker = Mutex<NearWorker?>(nil)
    }

    private func deliver(_ reports: [PresenterReport]) {
        counts.withLock { $0.reports += 1 }
        host.report(reports, from: number)
    }

    var count: (orders: Int, reports: Int, objects: Int, bytes: Int, mostBytes: Int) { counts.withLock { $0 } }

    var slot: HostSlot {
        HostSlot(
            number: number,
            send: { [self] order in
                let bytes = WireWriter.bytes(of: order).count
                counts.withLock { counts in
                    counts.orders += 1
                    counts.objects += order.objectCount
                    counts.bytes += bytes
                    counts.mostBytes = max(counts.mostBytes, bytes)
                }
                presentation.execute(order)
            }, kill: { Issue.record("\($0)") }, close: { [presentation] in presentation.post { $0.end() } })
    }
}

extension WorkerList {
    /// Executes an order about the list, as a worker's runtime does.
    nonisolated func execute(_ order: Order) {
        switch order {
        case .open(_, let setup, let missing): post { $0.open(setup, missing: missing) }
        case .present(_, let update, let missing): post { $0.present(update, missing: missing) }
        case .objects(_, let objects, let missing): post { $0.add(objects, missing: missing) }
        case .perform(_, let order, let user): post { $0.perform(order, by: user) }
        case .load, .host, .close, .makeSource, .startSource, .writeSource, .eventTaken, .stopSource, .ping:
            Issue.record("\(order)")
        }
    }
}

extension Order {
    fileprivate var objectCount: Int {
        switch self {
        case .open(_, let setup, _): setup.objects.count
        case .present(_, let update, _): update.objects.count
        case .objects(_, let objects, _): objects.count
        case .load, .host, .perform, .close, .makeSource, .startSource, .writeSource, .eventTaken, .stopSource, .ping: 0
        }
    }
}

/// A list host with a log of its news.
@DBusActor
struct ListHostStage {
    let said: EventLog<HostNews>
    private let recorded: RecordedHost
    var host: ListHost { recorded.host }

    init(
        _ objects: [ListObject] = [], revision: UInt64 = 0, isStored: Bool = false, wasPresented: Bool = false,
        account: HostAccount? = nil, configuration: ListOptions = ListOptions(name: "x")
    ) {
        let said = EventLog<HostNews>()
        self.said = said
        recorded = RecordedHost({ said.record($0) }) { store in
            ListHost(
                configuration: configuration,
                controllers: SectionControllerTable(naming: ["*": "listd/single"]), objects: objects,
                revision: revision, account: account, isStored: isStored, wasPresented: wasPresented, store: store)
        }
    }

    /// Makes a call; its answer is recorded.
    func send(_ call: HostCall, by user: UInt32? = nil) { recorded.send(call, by: user) }

    /// Answers a numbered write.
    func finishWrite(_ number: Int, _ error: ListError? = nil) { recorded.finishWrite(number, error) }

    /// Waits until the host and the worker have no work left.
    func settle(_ worker: NearWorker? = nil) async {
        for _ in 0..<4 {
            if let worker { await withCheckedContinuation { done in worker.presentation.post { _ in done.resume() } } }
            await host.settle()
        }
    }

    func ask(_ call: HostCall) async throws -> Result<HostAnswer, ListError> {
        send(call)
        return try await answer(to: call.id)
    }

    /// Returns the answer to the call `id`, and drops earlier news.
    func answer(to id: RequestID) async throws -> Result<HostAnswer, ListError> {
        let news = try await said.next(timeout: .seconds(60)) {
            if case .answer(id, _) = $0 { true } else { false }
        }
        guard case .answer(_, let outcome) = news else { throw FalseWorker.Unexpected() }
        return outcome
    }

    /// Returns the next transaction to store.
    func nextWrite() async throws -> (number: Int, work: StoreWrite) {
        let news = try await said.next(timeout: .seconds(60)) { if case .store = $0 { true } else { false } }
        guard case .store(let number, let work) = news else { throw FalseWorker.Unexpected() }
        return (number, work)
    }

    /// Lets a fake worker present the list unchanged.
    func present(in worker: FalseWorker, itemCount: Int) async throws {
        host.attach(worker.slot)
        _ = try await worker.nextSetup()
        report(.opened(.items(itemCount)), from: worker)
        await settle()
    }

    func report(_ reports: PresenterReport..., from worker: FalseWorker) {
        host.report(reports, from: worker.number)
    }

    /// Writes one object.
    func put(_ id: RequestID, _ object: String) throws {
        let upsert = UpdateRequest.Upsert(try ListObject(id: object, fields: [:]))
        send(.update(id, .applyChanges(removed: [], upserts: [upsert])))
    }
}

extension ListHost {
    /// Ends the presenter's worker; no callback was running for the list.
    func losePresenter() { losePresenter(by: Death(reason: "signal 9")) }

    /// Ends the presenter's worker in a callback.
    func losePresenter(in callback: Breadcrumb) {
        losePresenter(by: Death(reason: "signal 6", callbacks: [1: callback]).told(to: 1))
    }

    /// Handles the reports of a presenter, in a job of the list.
    nonisolated func report(_ reports: [PresenterReport], from number: PresenterNumber) {
        report(reports, from: number, isLight: false)
    }

    /// Waits until the list has no work left.
    func settle() async {
        await withCheckedContinuation { done in EventLoop.shared.post { done.resume() } }
        await withCheckedContinuation { done in ping { done.resume() } }
    }
}

extension Announcement {
    /// An announcement with a number of items and events only.
    static func items(_ count: Int, _ events: [AdapterEvent] = []) -> Announcement {
        Announcement(events: events, itemCount: count)
    }

    /// An announcement with a transaction that reloads `count` sections, each with one item.
    static func reload(_ count: Int) -> Announcement {
        let transaction = Transaction(
            baseRevision: 0, revision: 0, kind: .reload, animated: false, sectionCount: count, itemCount: count)
        return items(count, [.updated(transaction)])
    }
}

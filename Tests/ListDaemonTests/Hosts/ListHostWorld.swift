// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import PluginAPI
import Synchronization
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

/// A simulation of a list with a worker, a store, clients and a clock that act at random moments. Checks the
/// invariants: each call is answered once, revisions rise and never repeat, a client that follows the signals reads
/// the same items, answered writes survive, and no call waits forever.
@DBusActor
final class ListHostWorld {
    /// The content of the store.
    private struct Disk {
        var objects: [ListObject] = []
        var revision: UInt64 = 0
        var limit: UInt64 = 0
        var log: [Transaction] = []
    }

    /// A client that caches the items that it has read, and drops items that transactions report as changed.
    private struct Mirror {
        var revision: UInt64
        /// The ids of the objects in order; `nil` = not read yet.
        var ids: [String?]
        var items: [String: [ListItem]] = [:]
    }

    private var random: SeededRandom
    private var disk = Disk()
    private let clock = FalseClock()
    private var said = Said()
    private var host: RecordedHost
    private var worker: LateWorker?
    private var workers: Int64 = 0
    private var writes: [(number: Int, work: StoreWrite)] = []
    private var asked: [RequestID: HostCall] = [:]
    private var answered: Set<RequestID> = []
    private var lastID: RequestID = 0
    private var mirror = Mirror(revision: 0, ids: [])
    private var highest: UInt64 = 0
    /// The number of steps of each kind.
    private(set) var counts: [String: Int] = [:]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        host = Self.makeHost(disk, clock, said)
    }

    private static func makeHost(_ disk: Disk, _ clock: FalseClock, _ said: Said) -> RecordedHost {
        RecordedHost({ news in said.news.withLock { $0.append(news) } }) { store in
            ListHost(
                configuration: ListOptions(name: "world"),
                controllers: SectionControllerTable(naming: ["*": "p/changing"]), objects: disk.objects,
                revision: max(disk.revision, disk.limit), changes: disk.limit > disk.revision ? [] : disk.log,
                isStored: true, wasPresented: disk.limit > 0, clock: clock.clock, store: store)
        }
    }

    /// A buffer of news of a list that were not handled yet.
    private final class Said: Sendable {
        let news = Mutex<[HostNews]>([])

        func take() -> [HostNews] {
            news.withLock { news in
                defer { news = [] }
                return news
            }
        }
    }

    private func count(_ what: String) { counts[what, default: 0] += 1 }
    private func int(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    // MARK: Random steps

    /// Performs one random step. Returns `false` when no step is possible.
    func step(isQuiet: Bool = false) async throws -> Bool {
        var choices: [() async throws -> Void] = []
        func add(_ times: Int, _ body: @escaping () async throws -> Void) {
            for _ in 0..<times { choices.append(body) }
        }
        if !isQuiet {
            add(3, sendRandomCall)
            if worker != nil, int(15) == 0 { add(1, killWorker) }
            if int(40) == 0 { add(1, killDaemon) }
            if int(60) == 0 { add(1, endDaemon) }
        }
        if !writes.isEmpty { add(2, { self.answerWrite(mayRefuse: !isQuiet) }) }
        if let worker {
            if worker.hasOrders { add(3, worker.executeOrder) }
            if worker.hasOutputs { add(3, { worker.deliver(to: self.host.host) }) }
        } else {
            add(1, attach)
        }
        if clock.hasTimers, !isQuiet || choices.isEmpty { add(1, { self.clock.advance() }) }
        guard let choice = random.pick(choices) else { return false }
        try await choice()
        try await settle()
        return true
    }

    /// Finishes all work in progress, and checks that the list equals the store's.
    func settleDown() async throws {
        while try await step(isQuiet: true) {}
        let left = asked.keys.filter { !answered.contains($0) }.sorted()
        try #require(left.isEmpty, "not answered: \(left.compactMap { asked[$0] })")
        send(.read(nextID(), .objects(offset: 0, limit: .max, byteLimit: .max)))
        try await settle()
        try #require(mirror.ids == disk.objects.map(\.id))
    }

    /// Waits until host and worker have no work left, and handles the news.
    private func settle() async throws {
        for _ in 0..<3 {
            await host.host.settle()
            if let worker { await worker.settle() }
        }
        if let worker { try #require(worker.complaints.recorded.isEmpty, "\(worker.complaints.recorded)") }
        for news in said.take() { try handle(news) }
    }

    // MARK: Clients

    private func nextID() -> RequestID {
        lastID += 1
        return lastID
    }

    private func send(_ call: HostCall) {
        asked[call.id] = call
        host.send(call)
    }

    private func randomObject() throws -> ListObject {
        try ListObject(id: "o\(int(6))", fields: ["n": .int64(Int64(int(4)))])
    }

    private func sendRandomCall() throws {
        let id = nextID()
        switch int(12) {
        case 0, 1: send(.read(id, .asked(.items(firstSection: 0, sectionCount: 100, byteLimit: .max))))
        case 2: send(.read(id, .objects(offset: 0, limit: .max, byteLimit: .max)))
        case 3: send(.view(id, 1, .select(id: "o\(int(6))", item: 0, true)))
        case 4, 5:
            let from = IndexPath(section: int(5), item: int(2))
            let to = IndexPath(section: int(3) > 0 ? from.section : int(5), item: int(2))
            send(.update(id, .moveItem(from: from, to: to)))
        case 6: send(.update(id, .reloadData))
        case 7:
            var objects: [ListObject] = []
            for number in 0..<6 where int(2) == 0 {
                objects.append(try ListObject(id: "o\(number)", fields: ["n": .int64(Int64(int(4)))]))
            }
            objects.shuffle(using: &random)
            send(.update(id, .performUpdates(objects: objects)))
        default:
            let operation = UpdateRequest.Operation.applyChanges(
                removed: int(2) == 0 ? ["o\(int(6))"] : [],
                upserts: [.init(try randomObject()), .init(try randomObject())])
            send(.update(id, operation))
        }
    }

    // MARK: The store

    private func answerWrite(mayRefuse: Bool) {
        let (number, work) = writes.removeFirst()
        let isRefused = mayRefuse && int(6) == 0
        count(isRefused ? "refused" : "written")
        if !isRefused { write(work) }
        host.finishWrite(number, isRefused ? ListError(.storeFailed, "full") : nil)
    }

    private func write(_ work: StoreWrite) {
        let before = disk.objects
        if let change = work.change { disk.objects = change.written(over: before) }
        let wanted = (work.change?.requests ?? []).reduce(before) { objects, id in
            applied(asked[host.id(of: id)], to: objects)
        }
        #expect(disk.objects == wanted)
        (disk.revision, disk.limit) = (work.revision, max(work.revision, work.limit))
        disk.log = (disk.log + work.log).filter { $0.baseRevision >= work.oldestRevision }
    }

    private func applied(_ call: HostCall?, to objects: [ListObject]) -> [ListObject] {
        guard case .update(_, let operation, _, _)? = call else { return objects }
        switch operation {
        case .performUpdates(let new, _): return new
        case .applyChanges(let removed, let upserts):
            var result = objects.filter { !removed.contains($0.id) }
            for upsert in upserts {
                if let index = result.firstIndex(where: { $0.id == upsert.object.id }) {
                    result[index] = upsert.object
                } else {
                    result.append(upsert.object)
                }
            }
            return result
        default: return objects
        }
    }

    // MARK: The worker

    private func attach() {
        workers += 1
        let new = LateWorker(name: workers)
        worker = new
        host.host.attach(new.slot)
    }

    private func killWorker() {
        count("deaths")
        worker = nil
        host.host.losePresenter()
    }

    // MARK: The daemon

    private func killDaemon() {
        count("kills")
        // At a kill, only a part of the writes in progress has reached the store.
        for (_, work) in writes.prefix(int(writes.count + 1)) { write(work) }
        restart()
    }

    private func endDaemon() async throws {
        count("clean ends")
        let id = nextID()
        send(.stop(id, .shuttingDown))
        try await settle()
        while !answered.contains(id), try await step(isQuiet: true) {}
        try #require(answered.contains(id))
        // After a restart the list continues from the larger of the last revision and the limit of the reserved
        // ones.
        #expect(max(disk.revision, disk.limit) == mirror.revision)
        #expect(asked.keys.allSatisfy(answered.contains))
        restart()
    }

    private func restart() {
        for id in asked.keys { answered.insert(id) }
        (worker, writes, said) = (nil, [], Said())
        clock.removeTimers()
        host = Self.makeHost(disk, clock, said)
        mirror = Mirror(revision: max(disk.revision, disk.limit), ids: disk.objects.map(\.id))
        #expect(mirror.revision >= highest)
    }

    // MARK: News of the list

    private func handle(_ news: HostNews) throws {
        switch news {
        case .store(let number, let work): writes.append((number, work))
        case .event(.updated(let transaction)): try updateMirror(by: transaction)
        case .status(let status):
            if status.revision < mirror.revision { Issue.record("the status has an old revision") }
        case .answer(let id, let outcome):
            try #require(asked[id] != nil && !answered.contains(id), "answered twice: \(id)")
            answered.insert(id)
            switch outcome {
            case .success(let answer): try check(answer)
            case .failure(let error): count("\(error.code)")
            }
        case .changed, .event, .losses, .selection, .view, .closed, .paused, .again: break
        }
    }

    private func check(_ answer: HostAnswer) throws {
        switch answer {
        case .written(let revision):
            count("answered")
            #expect(revision <= mirror.revision)
        case .page(let page):
            try #require(page.revision == mirror.revision && page.objects.count == mirror.ids.count)
            for (object, id) in zip(page.objects, mirror.ids) where id != nil { try #require(object.id == id) }
            mirror.ids = page.objects.map(\.id)
        case .presenter(.items(let next, let items), let status):
            count("items")
            try #require(status.revision == mirror.revision && next == mirror.ids.count)
            for (section, id) in mirror.ids.enumerated() {
                guard let id else { continue }
                let now = items.filter { $0.section == section }.map(\.item)
                if let known = mirror.items[id] { try #require(known.map(\.content) == now.map(\.content), "\(id)") }
                mirror.items[id] = now
            }
        default: break
        }
    }

    private func updateMirror(by transaction: Transaction) throws {
        try #require(transaction.baseRevision == mirror.revision && transaction.revision == mirror.revision + 1)
        try #require(transaction.revision > highest)
        highest = transaction.revision
        mirror.revision = highest
        count("\(transaction.kind)")
        let old = mirror.ids
        guard transaction.kind == .update else {
            mirror.items = [:]
            mirror.ids = [String?](repeating: nil, count: transaction.sectionCount)
            return
        }
        let sections = transaction.sections
        let changed =
            sections.reloads.flatMap(\.range) + sections.deletes.flatMap(\.range)
            + (transaction.items.reloads + transaction.items.deletes).map { Int($0.section) }
            + transaction.items.moves.map { Int($0.old.section) }
        for index in changed { if let id = old[index] { mirror.items[id] = nil } }
        var kept: [Int: String?] = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($0, $1) })
        var placed: [Int: String?] = [:]
        for index in sections.inserts.flatMap(\.range) { placed[index] = .some(nil) }
        for move in sections.moves {
            placed[Int(move.new)] = .some(old[Int(move.old)])
            kept[Int(move.old)] = nil
        }
        for index in sections.deletes.flatMap(\.range) { kept[index] = nil }
        var ids = kept.sorted { $0.key < $1.key }.map(\.value)
        for (index, id) in placed.sorted(by: { $0.key < $1.key }) { ids.insert(id, at: index) }
        try #require(ids.count == transaction.sectionCount)
        mirror.ids = ids
    }
}

/// A clock that a test advances.
final class FalseClock: Sendable {
    private struct Timer {
        let time: UInt64
        let body: @DBusActor () -> Void
    }

    private let state = Mutex((now: UInt64(0), timers: [Timer]()))

    var clock: HostClock {
        HostClock(
            now: { self.state.withLock { $0.now } },
            run: { delay, body in
                self.state.withLock { state in state.timers.append(Timer(time: state.now + delay, body: body)) }
            })
    }

    var hasTimers: Bool { state.withLock { !$0.timers.isEmpty } }

    /// Advances to the next timer and fires it.
    @DBusActor
    func advance() {
        let timer = state.withLock { state -> Timer? in
            guard let index = state.timers.indices.min(by: { state.timers[$0].time < state.timers[$1].time }) else {
                return nil
            }
            let timer = state.timers.remove(at: index)
            state.now = max(state.now, timer.time)
            return timer
        }
        timer?.body()
    }

    func removeTimers() { state.withLock { $0.timers = [] } }
}

/// A worker whose orders and reports arrive when the test delivers them.
private final class LateWorker: Sendable {
    private let number = PresenterNumbers.next()
    private let presentation: WorkerList
    private let orders = Mutex<[Order]>([])
    private let outputs: Outputs
    let complaints = EventLog<String>()

    private final class Outputs: Sendable {
        let waiting = Mutex<[[PresenterReport]]>([])
    }

    init(name: Int64) {
        let outputs = Outputs()
        self.outputs = outputs
        presentation = WorkerList(
            executor: HostExecutor(label: "org.listd.test.worker"), tracer: CallTracer(nil),
            resolve: { _ in
                let table = try? SectionControllerTable(["*": "p/changing"]) { (_) throws(ListError) in
                    .controller("changing") { ChangingSection(worker: name) }
                }
                return table ?? .builtIn
            }
        ) { reports, _ in
            outputs.waiting.withLock { $0.append(reports) }
        }
    }

    var slot: HostSlot {
        HostSlot(
            number: number,
            send: { [self] order in orders.withLock { $0.append(order) } },
            kill: { [complaints] in complaints.record($0) }, close: {})
    }

    var hasOrders: Bool { orders.withLock { !$0.isEmpty } }
    var hasOutputs: Bool { outputs.waiting.withLock { !$0.isEmpty } }

    /// Executes one order.
    func executeOrder() async {
        presentation.execute(orders.withLock { $0.removeFirst() })
        await settle()
    }

    /// Delivers one report to the host.
    func deliver(to host: ListHost) { host.report(outputs.waiting.withLock { $0.removeFirst() }, from: number) }

    func settle() async { await withCheckedContinuation { done in presentation.post { _ in done.resume() } } }
}

/// Two items that can be exchanged. Their content contains the worker, the object and the number of selections.
private final class ChangingSection: ListSectionController {
    private let worker: Int64
    private var object: ListObject?

    init(worker: Int64) {
        self.worker = worker
        super.init()
    }

    override func didUpdate(to object: ListObject) { self.object = object }
    override func numberOfItems() -> Int { 2 }

    override func item(at index: Int) -> ListItem {
        let state = context?.state ?? Fields()
        let place = state["swapped"] == nil ? index : 1 - index
        return ListItem(
            identity: "\(place)", reuseIdentifier: "r",
            content: [
                "worker": .int64(worker), "n": object?.fields["n"] ?? .int64(-1), "place": .int64(Int64(place)),
                "count": state["count"] ?? .int64(0),
            ])
    }

    override func didSelectItem(at index: Int) {
        context?.performBatch(updates: { [weak self] batch in
            guard let self, let context else { return }
            let count: Int64 = if case .int64(let count)? = context.state["count"] { count } else { 0 }
            context.state = context.state.patched(set: ["count": .int64(count + 1)], unset: [])
            batch.reloadItems(at: [0, 1])
        })
    }

    override func canMoveItem(at index: Int) -> Bool { true }

    override func moveItem(from source: Int, to destination: Int) {
        guard let context, source != destination else { return }
        let isSwapped = context.state["swapped"] != nil
        context.state = context.state.patched(
            set: isSwapped ? [:] : ["swapped": .boolean(true)], unset: isSwapped ? ["swapped"] : [])
    }
}

extension Change {
    /// Returns the objects in the store after this change was written.
    fileprivate func written(over objects: [ListObject]) -> [ListObject] {
        if let whole { return whole }
        let moved = Set(removed.compactMap(\.object?.id) + placed.map(\.object.id))
        let updated = Dictionary(updatedInPlace.map { ($0.id, $0) }) { $1 }
        var result = objects.filter { !moved.contains($0.id) }.map { updated[$0.id] ?? $0 }
        for (object, predecessor) in placed {
            let index = predecessor.map { before in
                result.firstIndex { $0.id == before.id } ?? result.count - 1
            }
            result.insert(object, at: (index ?? -1) + 1)
        }
        return result
    }
}

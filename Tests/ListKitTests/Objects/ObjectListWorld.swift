// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

/// An ``ObjectList`` with a presenter, a store and clients that act at random times. Plain arrays model the
/// expected answers, the expected content of the store and the view of a client.
final class ObjectListWorld {
    /// The content of the store.
    struct Disk {
        var store = StoringTests.Store()
        var revision: UInt64 = 0
        var limit: UInt64 = 0
        var log: [UInt64: Transaction] = [:]

        mutating func write(_ work: StoreWrite) {
            if let change = work.change { store.write(change) }
            (revision, limit) = (work.revision, work.limit)
            for transaction in work.log { log[transaction.revision] = transaction }
            log = log.filter { $0.value.baseRevision >= work.oldestRevision }
        }

        var storedLog: [Transaction] { log.values.sorted { $0.revision < $1.revision } }
    }

    private enum Order {
        case open([ListObject])
        case present(Change)
        case ask(ItemMoveRequest)
    }

    private enum Report {
        case opened(FalsePresenter.Report)
        case presented(FalsePresenter.Report)
        case itemsChanged(FalsePresenter.Report, RequestID?)
        case verdict(ItemMoveVerdict)
    }

    private enum Write {
        case update(StoreWrite)
        case block(StoreWrite)
        case record(StoreWrite)

        var work: StoreWrite {
            switch self {
            case .update(let work), .block(let work), .record(let work): work
            }
        }
    }

    private var source: RandomList
    /// Whether the presenter is a plugin, whose section controllers change items on their own.
    private let isPlugin: Bool
    private let configuration: ListOptions
    private var disk = Disk()
    private var list: ObjectList
    private var clock: UInt64 = 0
    private var writes: [Write] = []

    private var presenter: FalsePresenter?
    private var presenters = 0
    private var isOpen = false
    private var isOpening = false
    private var wasOpen = false
    private var orders: [Order] = []
    private var reports: [Report] = []

    private var reference = ReferenceList(objects: [])
    /// The reference after the update in progress, and the expected errors of its requests.
    private var next: (reference: ReferenceList, codes: [RequestID: ListError.Code?])?
    private var operations: [RequestID: UpdateRequest] = [:]
    private var answered: [RequestID: UInt64?] = [:]
    private var lastID: RequestID = 0
    private var mirror = ObjectMirror([], revision: 0)
    private var highest: UInt64 = 0
    /// The number of steps of each kind.
    private(set) var counts: [String: Int] = [:]

    init(seed: Int) {
        source = RandomList(seed: UInt64(seed) &* 7919 &+ 3, ids: 7)
        isPlugin = seed % 3 != 0
        var configuration = ListOptions(name: "world")
        configuration.backgroundDiffThreshold = seed % 2 == 0 ? 0 : 4096
        configuration.minimalMoves = seed % 5 == 0
        configuration.sectionMovesAsDeletesInserts = seed % 7 == 3
        configuration.reloadThreshold = seed % 7 == 5 ? 3 : 0
        if seed % 4 == 1 { configuration.coalescing = .init(minimum: 10, maximum: 40, increment: 10) }
        self.configuration = configuration
        list = ObjectListWorld.restore(disk, configuration)
    }

    private static func restore(_ disk: Disk, _ configuration: ListOptions) -> ObjectList {
        ObjectList(
            table: SectionTable(disk.store.objects),
            numbers: RevisionNumbers(restoring: disk.revision, limit: disk.limit),
            log: ChangeLog(revision: disk.revision, stored: disk.storedLog), configuration: configuration)
    }

    private func count(_ what: String) { counts[what, default: 0] += 1 }

    private func int(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &source.random) }

    // MARK: Steps

    /// Performs one random step. Returns `false` if none is possible.
    func step(isQuiet: Bool = false) throws -> Bool {
        var choices: [() throws -> Void] = []
        func add(_ times: Int, _ body: @escaping () throws -> Void) {
            for _ in 0..<times { choices.append(body) }
        }
        if !isQuiet {
            add(3, sendRequest)
            if isPlugin, int(12) == 0 { add(1, losePresenter) }
            if int(30) == 0 { add(1, { try self.restart(cleanly: false) }) }
            if int(50) == 0 { add(1, { try self.restart(cleanly: true) }) }
            if int(10) == 0 { add(1, writeLog) }
            if isOpen, isPlugin, presenter?.objects.isEmpty == false { add(2, changeItem) }
        }
        if !writes.isEmpty { add(2, { try self.answerWrite(mayRefuse: !isQuiet) }) }
        if presenter == nil { add(1, attach) } else if !orders.isEmpty { add(3, executeOrder) }
        if !reports.isEmpty { add(2, { try self.handleReports() }) }
        if canTurn { add(2, performNextStep) }
        if presenter != nil, !isOpen, !isOpening, writes.isEmpty { add(1, reopen) }
        guard let choice = choices.randomElement(using: &source.random) else { return false }
        try choice()
        try check()
        return true
    }

    /// Finishes all work in progress, and checks the result.
    func finishAllWork() throws {
        while try step(isQuiet: true) {}
        #expect(list.phase == .idle && list.timing == .idle && writes.isEmpty)
        #expect(Set(operations.keys) == Set(answered.keys))
        #expect(presenter?.objects == reference.objects)
        #expect(mirror.rows.allSatisfy { $0.value == presenter?.values[$0.object.id] })
    }

    private func check() throws {
        let objects = list.table.objects(.old, in: 0..<list.table.count(.old))
        try #require(objects == reference.objects)
        try #require(mirror.rows.map(\.object) == objects)
        try #require(mirror.revision == list.numbers.last)
        let numbers = list.numbers
        try #require(numbers.last <= numbers.limit && numbers.limit <= numbers.requested)
        try #require(list.log.revision == numbers.last)
    }

    // MARK: Requests and updates

    private func sendRequest() throws {
        lastID += 1
        var operation = try source.operation()
        if int(8) == 0, !reference.objects.isEmpty {
            let path = IndexPath(section: int(reference.objects.count), item: 0)
            operation = .moveItem(from: path, to: path)
        }
        if int(25) == 0 {
            var changed = list.configuration
            if int(2) == 0 { changed.stickyHeaders.toggle() } else { changed.workingRange += 1 }
            operation = .configure(changed, controllersChanged: int(3) == 0)
        }
        let expected = int(5) == 0 ? list.numbers.last : 0
        let request = UpdateRequest(id: lastID, expectedRevision: expected, operation: operation)
        operations[lastID] = request
        list.enqueue(request, now: clock, isOnScreen: int(3) > 0)
    }

    private var canTurn: Bool { isOpen && list.phase == .idle && list.timing != .idle }

    private func performNextStep() throws {
        clock += UInt64(int(20))
        try perform(list.next(now: clock))
    }

    private func perform(_ step: UpdateStep) throws {
        switch step {
        case .owner(.wait(.at(let time))): clock = max(clock, time)
        case .owner(.wait): break
        case .owner(.diff(let job)): try perform(list.finishDiff(job.run()))
        case .ask(let move): orders.append(.ask(move))
        case .owner(.store(let work)):
            if next == nil { next = expectedResult(of: work.change?.requests ?? []) }
            writes.append(.update(work))
        case .owner(.reserve(let work)): writes.append(.block(work))
        case .present(let update):
            if isOpen { orders.append(.present(update)) } else { try reopen() }
        case .presentItems: Issue.record("no item updates wait in a presenter that is elsewhere")
        case .owner(.announce(let said)):
            let answers = said.answers
            let expected = next ?? expectedResult(of: answers.map(\.id))
            next = nil
            for answer in answers where answer.errorCode != .storeFailed && answer.errorCode != .pluginFailed {
                #expect(answer.errorCode == expected.codes[answer.id] ?? nil)
            }
            if !answers.contains(where: { $0.errorCode == .storeFailed }) {
                #expect(expected.reference.objects == reference.objects)
            }
            try handle(answers)
        }
    }

    /// Returns the expected result of requests that share a flush, each applied to the result of those before it.
    private func expectedResult(of ids: [RequestID]) -> (reference: ReferenceList, codes: [RequestID: ListError.Code?])
    {
        var expected = reference
        var codes: [RequestID: ListError.Code?] = [:]
        var hasChanged = false
        for id in ids {
            guard let request = operations[id] else { continue }
            if request.expectedRevision != 0, request.expectedRevision != list.numbers.last || hasChanged {
                codes[id] = .revisionConflict
                continue
            }
            let before = expected
            codes[id] = expected.apply(request.operation)
            hasChanged = hasChanged || expected != before
            if case .reloadObjects(let ids) = request.operation {
                hasChanged = hasChanged || ids.contains { before.index($0) != nil }
            }
            if case .reloadData = request.operation { hasChanged = true }
        }
        return (expected, codes)
    }

    private func handle(_ answers: [RequestAnswer]) throws {
        for answer in answers {
            try #require(answered[answer.id] == nil && operations[answer.id] != nil)
            answered[answer.id] = answer.revision
            if let revision = answer.revision { #expect(revision == mirror.revision) }
            count(answer.errorCode.map { "\($0)" } ?? "answered")
        }
    }

    // MARK: The store

    private func answerWrite(mayRefuse: Bool) throws {
        let write = writes.removeFirst()
        let isRefused = mayRefuse && int(6) == 0
        let outcome: Result<Void, ListError> = isRefused ? .failure(ListError(.storeFailed, "no")) : .success(())
        if !isRefused { disk.write(write.work) }
        count(isRefused ? "refused" : "written")
        switch write {
        case .record(let work): if !isRefused { list.recordStored(work) }
        case .block(let work): list.finishReserving(work, outcome, now: clock)
        case .update(let work):
            if !isRefused { #expect(next?.reference.objects == disk.store.objects) }
            let isRetried = isRefused && int(2) == 0
            let step = list.finishStoring(outcome, retryingEach: isRetried, now: clock)
            if isRetried, work.change?.requests.count ?? 0 > 1 { next = nil }
            try perform(step)
        }
        try handleReports()
        try reopen()
    }

    private func writeLog() throws {
        if let work = list.pendingWrite() { writes.append(.record(work)) }
    }

    // MARK: The presenter

    private func attach() throws {
        presenters += 1
        presenter = FalsePresenter(presenters)
        presenter?.options = list.configuration
        if isPlugin, let work = list.reserve(now: clock) { writes.append(.block(work)) }
        try reopen()
    }

    /// Opens the list in the present presenter.
    private func reopen() throws {
        guard presenter != nil, !isOpen, !isOpening else { return }
        guard [.idle, .presenting].contains(list.phase) else { return }
        if wasOpen {
            clock += 1
            guard list.beginReload() != nil else { return try perform(.owner(list.reservationStep(now: clock))) }
            next = next ?? (reference, [:])
        }
        isOpening = true
        orders = [.open(list.table.objects(.new, in: 0..<list.table.count(.new)))]
    }

    private func executeOrder() throws {
        guard let presenter else { return }
        switch orders.removeFirst() {
        case .open(let objects): reports.append(.opened(presenter.open(objects)))
        case .present(let update):
            let report = presenter.present(update)
            #expect(report.presented.itemCount == list.table.count(.new))
            reports.append(.presented(report))
        case .ask(let move): answer(move, presenter)
        }
    }

    private func answer(_ move: ItemMoveRequest, _ presenter: FalsePresenter) {
        let count = presenter.objects.count
        guard move.from.section < count else {
            return reports.append(.verdict(.error(ListError(.noSuchItem, "gone"))))
        }
        switch int(5) {
        case 0: reports.append(.verdict(.refused))
        case 1: reports.append(.verdict(.section(from: move.from.section, to: int(count))))
        case 2 where isPlugin:
            reports.append(.itemsChanged(presenter.changeItem(at: move.from.section), move.id))
        default:
            let object = presenter.objects[move.from.section]
            let fields = object.fields.patched(set: ["moved": .int64(Int64(int(3)))], unset: [])
            let moved = (try? object.with(fields: fields)) ?? object
            reports.append(.verdict(.object(moved)))
        }
    }

    private func changeItem() throws {
        guard let presenter else { return }
        reports.append(.itemsChanged(presenter.changeItem(at: int(presenter.objects.count)), nil))
    }

    private func losePresenter() throws {
        guard presenter != nil else { return }
        count("deaths")
        presenter = nil
        (isOpen, isOpening, orders, reports) = (false, false, [], [])
        guard list.phase == .asking else { return }
        if int(2) == 0 { return list.cancelMove(now: clock) }
        try perform(list.finishAskingAboutMove(.error(ListError(.pluginFailed, "dead"))))
    }

    /// Handles the presenter's reports until no revision is left.
    private func handleReports() throws {
        while let report = reports.first {
            switch report {
            case .opened(let opened):
                (isOpen, isOpening) = (true, false)
                wasOpen = true
                if list.phase == .presenting {
                    try announce(list.finishPresenting(opened.presented), opened.values)
                } else {
                    mirror.read(opened.values)
                }
            case .presented(let presented): try announce(list.finishPresenting(presented.presented), presented.values)
            case .itemsChanged(let changed, let request):
                let phase = list.phase
                guard let announced = list.recordItemChanges(changed.presented, answering: request) else {
                    if let work = list.reserve(now: clock) { writes.append(.block(work)) }
                    if writes.isEmpty { clock += 30_000 }
                    count("waited for numbers")
                    return
                }
                count("items changed while \(phase)")
                try announce(announced, changed.values, isItems: true)
            case .verdict(let verdict):
                next = expectedResult(of: verdict)
                try perform(list.finishAskingAboutMove(verdict))
            }
            reports.removeFirst()
        }
    }

    private func expectedResult(of verdict: ItemMoveVerdict) -> (
        reference: ReferenceList, codes: [RequestID: ListError.Code?]
    ) {
        var expected = reference
        var codes: [RequestID: ListError.Code?] = [:]
        switch verdict {
        case .refused, .controller: break
        case .error(let error): for id in operations.keys { codes[id] = error.code }
        case .section(let from, let to): expected.objects.insert(expected.objects.remove(at: from), at: to)
        case .object(let object): expected.objects = expected.objects.map { $0.id == object.id ? object : $0 }
        }
        return (expected, codes)
    }

    private func announce(_ announced: Announcement, _ values: [String: Int], isItems: Bool = false) throws {
        if !isItems, let next {
            reference = next.reference
            self.next = nil
            for answer in announced.answers { #expect(answer.errorCode == next.codes[answer.id] ?? nil) }
        }
        let objects = list.table.objects(.old, in: 0..<list.table.count(.old))
        for case .updated(let transaction) in announced.events {
            try #require(transaction.revision > highest)
            highest = transaction.revision
            try mirror.apply(transaction, reading: objects, values)
            try #require(list.log.changes(since: transaction.baseRevision, byteLimit: .max) == [transaction])
            count("\(transaction.kind)")
        }
        try handle(announced.answers)
    }

    // MARK: The daemon

    /// Stops the daemon cleanly or kills it, and starts it again from the store's content.
    private func restart(cleanly isClean: Bool) throws {
        if isClean {
            try finishAllWork()
            if let work = list.end() {
                disk.write(work)
                #expect(disk.limit == list.numbers.last && disk.revision == disk.limit)
            }
            #expect(!list.numbers.mayNumber())
        } else {
            // After a kill, the store has only some of the pending writes.
            for write in writes.prefix(int(writes.count + 1)) { disk.write(write.work) }
        }
        let (revision, log) = (list.numbers.last, list.log)
        let stored = disk.store.objects
        #expect(stored == reference.objects || stored == next?.reference.objects)
        list = ObjectListWorld.restore(disk, configuration)
        for id in operations.keys where answered[id] == nil { answered.updateValue(nil, forKey: id) }
        reference.objects = stored
        next = nil
        (presenter, isOpen, isOpening, wasOpen, orders, reports, writes) = (nil, false, false, false, [], [], [])
        mirror = ObjectMirror(stored, revision: list.numbers.last)
        #expect(list.numbers.last >= highest)
        if isClean {
            #expect(list.numbers.last == revision && list.log.oldestRevision == log.oldestRevision)
            #expect(try list.log.changes(since: log.oldestRevision, byteLimit: .max) == log.all)
        } else if !isPlugin {
            // At most one revision is skipped: that of an update that was stored and not announced.
            #expect(list.numbers.last <= revision + 1)
        }
        count(isClean ? "clean ends" : "kills")
    }
}

extension ChangeLog {
    /// All transactions in the log.
    fileprivate var all: [Transaction] { (try? changes(since: oldestRevision, byteLimit: .max)) ?? [] }
}

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

@Suite("Workers that send false reports", .timeLimit(.minutes(5)))
@DBusActor
struct DishonestWorkerTests {
    /// Returns a list of three objects at revision 7, whose view 1 is open.
    private func makeStage(_ worker: FalseWorker) async throws -> ListHostStage {
        let stage = ListHostStage(try (0..<3).map { try ListObject(id: "o\($0)") }, revision: 7)
        try await stage.present(in: worker, itemCount: 3)
        stage.send(.openView(1, 1, ListViewOptions()))
        stage.report(.answer(1, .success(.done), .items(3)), from: worker)
        _ = try await stage.answer(to: 1).get()
        return stage
    }

    /// Returns the effects of a worker's report; `nil` = the worker is blamed.
    private func effects(
        after reports: [PresenterReport], _ prepare: (ListHostStage, FalseWorker) async throws -> Void = { _, _ in }
    ) async throws -> [HostNews]? {
        let worker = FalseWorker()
        let stage = try await makeStage(worker)
        try await prepare(stage, worker)
        for report in reports { stage.report(report, from: worker) }
        await stage.settle()
        return worker.complaints.recorded.isEmpty ? stage.said.recorded : nil
    }

    private func isBlamed(
        _ reports: PresenterReport..., after prepare: (ListHostStage, FalseWorker) async throws -> Void = { _, _ in }
    ) async throws -> Bool {
        try await effects(after: reports, prepare) == nil
    }

    /// Orders the worker to present an update that moves `o3` behind the other objects.
    private func insert(_ stage: ListHostStage, _ worker: FalseWorker) async throws {
        try stage.put(2, "o3")
        _ = try await worker.nextUpdate()
    }

    private func transaction(_ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
        var transaction = Transaction(
            baseRevision: 0, revision: 0, kind: .update, animated: true, sectionCount: 4, itemCount: 4)
        transaction.sections.inserts = [IndexRun(first: 3, length: 1)]
        change(&transaction)
        return transaction
    }

    private func presented(_ transaction: Transaction) -> PresenterReport {
        .presented(.items(transaction.itemCount, [.updated(transaction)]))
    }

    @Test(
        "a report has an impossible number of items → the daemon kills the worker",
        arguments: [-1, .min, .max, 3_000_001])
    func items(count: Int) async throws {
        #expect(try await isBlamed(.changed(.items(count))))
        #expect(try await isBlamed(.answer(9, .success(.done), .items(count))))
        // The report then has one section more than a list may have.
        let most = count == 3_000_001 ? 4_000_001 : count
        let reload = transaction { ($0.kind, $0.sections, $0.itemCount) = (.reload, SectionBatch(), most) }
        #expect(try await isBlamed(presented(reload), after: insert))
    }

    @Test("the worker reports the requested update or a reload → its announcement has the daemon's revision and count")
    func honest() async throws {
        for honest in [transaction(), transaction().reloaded] {
            let said = try #require(try await effects(after: [presented(honest)], insert))
            let updates = said.compactMap {
                if case .event(.updated(let transaction)) = $0 { transaction } else { nil }
            }
            #expect(updates.map(\.revision) == [8] && updates.map(\.kind) == [honest.kind])
            let known = ListStatus(
                revision: 8, oldestRevision: 7, objectCount: 4, itemCount: 4, isFlat: false)
            let hasStatus = said.contains { if case .status(known) = $0 { true } else { false } }
            #expect(hasStatus)
        }
    }

    @Test("the worker reports an update that the daemon did not request → the daemon kills the worker")
    func otherUpdates() async throws {
        let lies: [(inout Transaction) -> Void] = [
            { $0.sections.inserts = [] }, { $0.sections.inserts = [IndexRun(first: 2, length: 1)] },
            { $0.sections.deletes = [IndexRun(first: 0, length: 1)] },
            { $0.sections.moves = [IndexMove(old: 0, new: 1)] },
            { $0.sections.reloads = [IndexRun(first: 2, length: 2)] },
            { $0.sections.reloads = [IndexRun(first: 2, length: .max)] },
            { $0.items.reloads = [ItemPlace(section: 3, item: 0)] },
            { $0.items.inserts = [ItemPlace(section: 4, item: 0)] }, { $0.sectionCount = 3 },
            { $0.kind = .reload },
        ]
        for (number, lie) in lies.enumerated() {
            let isBlamed = try await isBlamed(presented(transaction(lie)), after: insert)
            #expect(isBlamed, "lie \(number)")
        }
        // Any update may contain reloads of existing sections.
        let reload = transaction { $0.sections.reloads = [IndexRun(first: 0, length: 3)] }
        #expect(try await !isBlamed(presented(reload), after: insert))
    }

    @Test("the worker answers a request that it did not get → the daemon kills the worker")
    func unasked() async throws {
        #expect(try await isBlamed(.presented(.items(3))))
        #expect(try await isBlamed(presented(transaction())))
        #expect(try await isBlamed(presented(transaction()), presented(transaction()), after: insert))
        #expect(try await isBlamed(.opened(.items(3))))
        #expect(try await isBlamed(.more))
        #expect(try await isBlamed(.moveVerdict(1, .refused)))
        #expect(try await isBlamed(.changed(.items(3), answering: 1)))
    }

    @Test(
        "a report without an update adds or removes sections → the daemon kills the worker; item changes are accepted")
    func sections() async throws {
        var changed = transaction { ($0.sections, $0.sectionCount, $0.itemCount) = (SectionBatch(), 3, 3) }
        changed.items.reloads = [ItemPlace(section: 2, item: 0)]
        #expect(try await !isBlamed(.changed(.items(3, [.updated(changed)]))))
        changed.sections.deletes = [IndexRun(first: 0, length: 1)]
        #expect(try await isBlamed(.changed(.items(3, [.updated(changed)]))))
    }

    @Test(
        "moving an item changes its own object → the object is stored; it changes other objects → the worker is killed"
    )
    func moved() async throws {
        let ask = { (stage: ListHostStage, worker: FalseWorker) in
            let path = IndexPath(section: 1, item: 0)
            let operation = UpdateRequest.Operation.moveItem(from: path, to: path)
            stage.send(.update(5, operation))
            _ = try await worker.orders.next(timeout: .seconds(60)) {
                if case .perform(_, .moveItem, _) = $0 { true } else { false }
            }
        }
        for object in [try ListObject(id: "o0"), try ListObject(id: "x")] {
            #expect(try await isBlamed(.moveVerdict(2, .object(object)), after: ask))
        }
        #expect(try await isBlamed(.moveVerdict(6, .refused), after: ask))
        let own = PresenterReport.moveVerdict(2, .object(try ListObject(id: "o1", fields: ["n": .int64(1)])))
        #expect(try await !isBlamed(own, after: ask))
    }

    @Test("the worker answers an unknown request of a client → the daemon ignores the answer")
    func answers() async throws {
        let said = try #require(try await effects(after: [.answer(9, .success(.done), .items(3))]))
        #expect(said.isEmpty)
    }

    @Test(
        "a report is about a view of another list → it is ignored; about a view of the worker's list → it is forwarded")
    func views() async throws {
        for view in [2, 0, .max] as [ViewID] {
            let picture = PictureChange(view: view, sequence: 1, revision: 7, contentSize: .zero, offset: .zero)
            let events: [AdapterEvent] = [
                .nearEnd(view: view, revision: 7, distance: 1), .closed(view: view), .picture(picture),
            ]
            let said = try #require(try await effects(after: [.changed(.items(3, events))]))
            #expect(said.isEmpty)
        }
        let said = try await effects(after: [.changed(.items(3, [.closed(view: 1)]))])
        guard case .closed(1, .closed)? = said?.last else {
            Issue.record("the view was not closed")
            return
        }
    }

    private func item(_ slot: SlotNumber, reuseIdentifier: String = "") -> PictureItem {
        PictureItem(
            slot: slot, objectID: "o0", section: 0, item: 0, kind: .cell, reuseIdentifier: reuseIdentifier,
            frame: .zero, z: 0, content: [:])
    }

    @Test("a worker reports a picture with more slots than the list's size allows → the daemon kills the worker")
    func slots() async throws {
        var changes = (1...10).map { step in
            var change = PictureChange(view: 1, sequence: UInt64(step), revision: 7, contentSize: .zero, offset: .zero)
            change.shown = (0..<3).map { item(SlotNumber(step * 3 + $0)) }
            return AdapterEvent.picture(change)
        }
        #expect(try await !isBlamed(.changed(.items(30, changes))))
        var many = PictureChange(view: 1, sequence: 11, revision: 7, contentSize: .zero, offset: .zero)
        many.shown = (100..<1000).map { item($0) }
        changes.append(.picture(many))
        #expect(try await isBlamed(.changed(.items(30, changes))))
        let picture = Picture(sequence: 1, revision: 7, contentSize: .zero, offset: .zero, items: many.shown)
        let blamed = try await isBlamed(.answer(2, .success(.picture(picture)), .items(3))) {
            stage, _ in
            stage.send(.view(3, 1, .resync))
        }
        #expect(blamed)
    }

    @Test("the daemon kills the worker for its answer to a call → the next worker gets the call")
    func blamedForAnswer() async throws {
        let (first, second) = (FalseWorker(), FalseWorker())
        let stage = try await makeStage(first)
        stage.send(.view(2, 1, .resync))
        let many = (100..<1000).map { item($0) }
        let picture = Picture(sequence: 1, revision: 7, contentSize: .zero, offset: .zero, items: many)
        stage.report(.answer(2, .success(.picture(picture)), .items(3)), from: first)
        await stage.settle()
        #expect(!first.complaints.recorded.isEmpty)
        stage.host.losePresenter()
        try await stage.present(in: second, itemCount: 3)
        _ = try await second.orders.next(timeout: .seconds(60)) {
            if case .perform(_, .view(2, 1, .resync), _) = $0 { true } else { false }
        }
    }

    @Test("a view reports more displayed objects than its list has → the daemon kills the worker")
    func displayed() async throws {
        let many = (0..<1000).map { SectionReference(section: 0, objectID: "x\($0)") }
        var display = DisplayChange(view: 1, revision: 7)
        display.willDisplay = many
        var items = DisplayChange(view: 1, revision: 7)
        items.itemsWillDisplay = (0..<1000).map { ItemReference(section: 0, objectID: "o0", item: $0) }
        var range = WorkingRangeChange(view: 1, revision: 7)
        range.willEnter = many
        var itemsInRange = WorkingRangeChange(view: 1, revision: 7)
        itemsInRange.itemsWillEnter = items.itemsWillDisplay
        for event in [
            AdapterEvent.display(display), .display(items), .workingRange(range), .workingRange(itemsInRange),
        ] {
            #expect(try await isBlamed(.changed(.items(3, [event]))), "\(event)")
        }
    }

    @Test("the worker sends a flood of unsolicited reports → the daemon kills the worker")
    func flood() async throws {
        let reports = [PresenterReport](repeating: .changed(.items(3)), count: 5000)
        let (worker, stage) = (FalseWorker(), try await makeStage(FalseWorker()))
        stage.host.losePresenter()
        try await stage.present(in: worker, itemCount: 3)
        stage.host.report(reports, from: worker.number)
        await stage.settle()
        #expect(!worker.complaints.recorded.isEmpty)
    }

    @Test("another worker presents the list → clients are told which items entered and exited the working range")
    func itemsInRange() {
        func state(_ items: Range<Int>) -> ViewState {
            var state = ViewState(id: 1, options: ListViewOptions())
            var change = WorkingRangeChange(view: 1, revision: 7)
            change.willEnter = [SectionReference(section: 0, objectID: "a")]
            change.itemsWillEnter = items.map { ItemReference(section: 0, objectID: "a", item: $0) }
            let isPossible = state.apply(.workingRange(change), limit: 10)
            #expect(isPossible)
            return state
        }
        var expected = WorkingRangeChange(view: 1, revision: 9)
        expected.itemsWillEnter = [ItemReference(section: 4, objectID: "a", item: 5)]
        expected.itemsDidExit = [ItemReference(section: 4, objectID: "a", item: 1)]
        let events = state(2..<6).displayEvents(since: state(1..<5), revision: 9) { $0 == "a" ? 4 : nil }
        guard case .workingRange(expected)? = events.first, events.count == 1 else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("released slots have ever more reuse identifiers → the daemon forgets the slots with the lowest numbers")
    func released() throws {
        var state = ViewState(id: 1, options: ListViewOptions())
        for step in 1...20_000 as ClosedRange<SlotNumber> {
            var change = PictureChange(view: 1, sequence: UInt64(step), revision: 7, contentSize: .zero, offset: .zero)
            if step > 1 { change.released = [step - 1] }
            change.shown = [item(step, reuseIdentifier: "r\(step)")]
            let isPossible = state.apply(.picture(change), limit: 10)
            #expect(isPossible)
        }
        let released = state.released.map(\.slot)
        #expect(released.count <= 2 * ViewState.keptReleased && released.count >= ViewState.keptReleased)
        #expect(released == Array(20_000 - SlotNumber(released.count)..<20_000))
    }

    @Test("the worker reports sizes of many missing objects or items → the daemon keeps only a bounded number of sizes")
    func measured() throws {
        var state = ViewState(id: 1, options: ListViewOptions())
        func measure(_ id: String, _ item: Int) {
            let size = MeasuredSize(objectID: id, item: item, size: Size(width: 1, height: 1))
            state.apply([size], limit: 100) { $0.hasSuffix("00") }
        }
        for number in 0...1000 { measure("o\(number)", 0) }
        #expect(state.measured.filter { $0.objectID.hasSuffix("00") }.count == 10)
        #expect(state.measured.count <= 100)
        for item in 0..<1000 { measure("o100", item) }
        #expect(state.measured.count <= 100)
    }

    @Test("a report has an impossible viewport → the view keeps its previous viewport")
    func viewport() throws {
        var state = ViewState(id: 1, options: ListViewOptions())
        func describe(_ viewport: Rect) {
            state.apply(
                ViewDescription(
                    state: .active, sequence: 1, acknowledgedSequence: 1, contentSize: .zero, viewport: viewport,
                    workingRange: 0..<0, visibleObjects: []))
        }
        let viewport = Rect(x: 1, y: 2, width: 3, height: 4)
        describe(viewport)
        for (number, extent) in [(.nan, 1), (.infinity, 1), (1, -1), (1, .nan), (1, .infinity)] as [(Double, Double)] {
            describe(Rect(x: number, y: 0, width: extent, height: 4))
            describe(Rect(x: 0, y: number, width: 3, height: extent))
            #expect(state.viewport == viewport)
        }
    }
}

extension Transaction {
    /// The same transaction as a reload, without batches.
    fileprivate var reloaded: Transaction {
        var reload = self
        (reload.kind, reload.sections, reload.items) = (.reload, SectionBatch(), ItemBatch())
        return reload
    }
}

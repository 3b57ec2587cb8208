@_spi(Daemon) import ListKit
import Synchronization
import TestSupport
import Testing

@testable import ListDaemon

@Suite("A list that is guarded while another process hosts it")
struct GuardedHostTests {
    /// What crosses between guard and host.
    private final class Traffic: Sendable {
        private let counts = Mutex((commands: 0, outputs: 0))
        let place = SubstituteHost()

        var count: (commands: Int, outputs: Int) { counts.withLock { $0 } }
        func noteCommand() { counts.withLock { $0.commands += 1 } }
        func noteOutput() { counts.withLock { $0.outputs += 1 } }

        /// A seat as a worker is one, in this process.
        func seat(of guardian: GuardedHost) -> Seat {
            Seat(
                number: 1,
                open: { [place] setup in
                    place.host = SeatedHost(setup, controllers: setup.controllers, tracer: CallTracer(nil)) { output in
                        self.noteOutput()
                        guardian.take(output, from: 1)
                    }
                },
                send: { [place] command, user in
                    self.noteCommand()
                    place.host?.send(command, by: user)
                }, blame: { Issue.record("\($0)") }, close: { [place] in place.host = nil })
        }
    }

    private let answers = EventLog<RequestID>()

    private func ask(_ host: GuardedHost, _ id: RequestID, _ command: AdapterCommand) async throws {
        host.send(command)
        _ = try await answers.next(timeout: .seconds(60)) { $0 == id }
    }

    /// Whatever either executor still has to do, it has done.
    private func settle(_ host: GuardedHost, _ traffic: Traffic) async {
        for _ in 0..<3 {
            await withCheckedContinuation { done in
                if let seated = traffic.place.host?.host { seated.ping { done.resume() } } else { done.resume() }
            }
            await withCheckedContinuation { done in host.ping { done.resume() } }
        }
    }

    @Test("a scroll that shows twenty new cells → one command to the worker, one output back: one round trip")
    func scroll() async throws {
        let objects = try (0..<200).map { try ListObject(id: "o\($0)", fields: ["height": .double(40)]) }
        let answers = answers
        let host = GuardedHost(
            configuration: ListAdapter.Configuration(),
            controllers: SectionControllerTable(naming: ["*": "listd/single"]), objects: objects, revision: 1
        ) { effects in
            for effect in effects { if case .answer(let id, _) = effect { answers.record(id) } }
        }
        let traffic = Traffic()
        host.move(to: traffic.seat(of: host))
        var options = ListViewOptions()
        options.buffer = 0
        try await ask(host, 1, .openView(1, 1, options))
        for step in 0..<5 {
            let id = RequestID(step + 2)
            await settle(host, traffic)
            let before = traffic.count
            let rect = Rect(x: 0, y: Double(step) * 1000, width: 100, height: 800)
            try await ask(host, id, .view(id, 1, .setViewport(seen: 0, rect)))
            await settle(host, traffic)
            #expect(traffic.count.commands == before.commands + 1)
            #expect(traffic.count.outputs == before.outputs + 1)
        }
    }
}

@Suite("A list whose worker says what is not so", .timeLimit(.minutes(5)))
struct DishonestWorkerTests {
    /// What became of what was said.
    private enum Outcome: Sendable {
        case said(AdapterEffect)
        case blamed(String)
        /// Everything before has been handled.
        case settled
    }

    private let outcomes = EventLog<Outcome>()

    /// What comes of it when the host of a list of three objects, whose view 1 is open, says something.
    private func outcome(of effects: AdapterEffect...) async throws -> [Outcome] { try await outcome(of: effects) }

    private func outcome(of effects: [AdapterEffect]) async throws -> [Outcome] {
        let outcomes = outcomes
        let objects = try (0..<3).map { try ListObject(id: "o\($0)") }
        let host = GuardedHost(
            configuration: ListAdapter.Configuration(),
            controllers: SectionControllerTable(naming: ["*": "listd/single"]), objects: objects, revision: 7
        ) { effects in
            for effect in effects { outcomes.record(.said(effect)) }
        }
        host.move(
            to: Seat(
                number: 1, open: { _ in }, send: { _, _ in }, blame: { outcomes.record(.blamed($0)) }, close: {}))
        host.send(.openView(1, 1, ListViewOptions()))
        host.take(HostOutput(effects: effects, preparedRequests: []), from: 1)
        await withCheckedContinuation { done in host.ping { done.resume() } }
        return outcomes.recorded
    }

    @Test(
        "its viewer has left, and the worker dies of closing the view → the view is closed, and not opened in the next")
    func dyingClosing() async throws {
        let (outcomes, setups) = (outcomes, EventLog<HostSetup>())
        let host = GuardedHost(
            configuration: ListAdapter.Configuration(),
            controllers: SectionControllerTable(naming: ["*": "listd/single"]), objects: [], revision: 7
        ) { effects in
            for effect in effects { outcomes.record(.said(effect)) }
        }
        let seat = { (number: SeatNumber) in
            Seat(number: number, open: { setups.record($0) }, send: { _, _ in }, blame: { _ in }, close: {})
        }
        host.move(to: seat(1))
        host.send(.openView(1, 1, ListViewOptions()))
        let opened = AdapterEffect.answer(1, .success(.opened(revision: 7, sections: 0, items: 0)))
        host.take(HostOutput(effects: [opened], preparedRequests: []), from: 1)
        host.send(.closeView(1, .closed), by: 1000)
        host.loseSeat()
        host.move(to: seat(2))
        await withCheckedContinuation { done in host.ping { done.resume() } }
        let closed = outcomes.recorded.contains { if case .said(.closed(1, .closed)) = $0 { true } else { false } }
        #expect(closed)
        #expect(setups.recorded.last?.views.isEmpty == true)
    }

    @Test("a number of items that no list has → the worker is blamed", arguments: [-1, .min, .max, 3_000_001])
    func items(count: Int) async throws {
        let status = AdapterStatus(revision: 7, oldestRevision: 7, objectCount: 3, itemCount: count)
        for effect in [AdapterEffect.status(status), .announce(status)] {
            guard case .blamed = try await outcome(of: effect).last else {
                Issue.record("not blamed")
                continue
            }
        }
    }

    @Test("another revision, another number of objects → the daemon's own are said", arguments: [-1, 0, .max])
    func numbers(count: Int) async throws {
        let status = AdapterStatus(revision: .max, oldestRevision: .max, objectCount: count, itemCount: 3_000_000)
        let known = AdapterStatus(revision: 7, oldestRevision: 7, objectCount: 3, itemCount: 3_000_000)
        guard case .said(.status(known)) = try await outcome(of: .status(status)).last,
            case .said(.announce(known)) = try await outcome(of: .announce(status)).last
        else {
            Issue.record("\(outcomes.recorded)")
            return
        }
    }

    @Test("something about a view of another list → nobody hears it; about its own → it is passed on")
    func views() async throws {
        for view in [2, 0, .max] as [ViewID] {
            let outcome = try await outcome(
                of: .closed(view, .closed), .event(.nearEnd(view: view, revision: 7)), .event(.closed(view: view)),
                .event(.picture(PictureChange(view: view, sequence: 1, revision: 7, contentSize: .zero, offset: .zero)))
            )
            #expect(outcome.isEmpty)
        }
        guard case .said(.closed(1, .closed)) = try await outcome(of: .closed(1, .closed)).last else {
            Issue.record("\(outcomes.recorded)")
            return
        }
    }

    @Test("a log of transactions that the list did not have → the worker is blamed, nothing is stored")
    func log() async throws {
        let transaction = PreparedTransaction(
            baseRevision: 7, revision: 8, content: .changes(PreparedTransaction.Changes()))
        for (base, revision) in [(8, 9), (7, 9), (.max, 0), (7, 7), (900, 901)] as [(UInt64, UInt64)] {
            let entry = Transaction(
                baseRevision: base, revision: revision, kind: .update, animated: false, sectionCount: 3, itemCount: 3)
            let update = PreparedUpdate(transaction: transaction, log: [entry], oldestRevision: 0)
            guard case .blamed = try await outcome(of: .prepared(1, update)).last else {
                Issue.record("\(base) → \(revision) is not blamed")
                continue
            }
        }
    }

    private func item(_ slot: SlotNumber, reuseIdentifier: String = "") -> PictureItem {
        PictureItem(
            slot: slot, objectID: "o0", section: 0, item: 0, kind: .cell, reuseIdentifier: reuseIdentifier,
            frame: .zero, z: 0, content: [:])
    }

    @Test("a view that is shown more and more, and that nothing leaves → the worker is blamed")
    func slots() async throws {
        let status = AdapterStatus(revision: 7, oldestRevision: 7, objectCount: 3, itemCount: 30)
        var changes = (1...10).map { step in
            var change = PictureChange(view: 1, sequence: UInt64(step), revision: 7, contentSize: .zero, offset: .zero)
            change.shown = (0..<3).map { item(SlotNumber(step * 3 + $0)) }
            return AdapterEffect.event(.picture(change))
        }
        guard case .said = try await outcome(of: [.status(status)] + changes).last else {
            Issue.record("blamed for thirty items")
            return
        }
        var many = PictureChange(view: 1, sequence: 11, revision: 7, contentSize: .zero, offset: .zero)
        many.shown = (100..<1000).map { item($0) }
        changes.append(.event(.picture(many)))
        guard case .blamed = try await outcome(of: [.status(status)] + changes).last else {
            Issue.record("not blamed")
            return
        }
    }

    @Test("ever other objects that are displayed and in the working range → the worker is blamed")
    func displayed() async throws {
        let many = (0..<1000).map { SectionReference(section: 0, objectID: "x\($0)") }
        var display = DisplayChange(view: 1, revision: 7)
        display.willDisplay = many
        var items = DisplayChange(view: 1, revision: 7)
        items.itemsWillDisplay = (0..<1000).map { ItemReference(section: 0, objectID: "o0", item: $0) }
        var range = WorkingRangeChange(view: 1, revision: 7)
        range.willEnter = many
        for event in [AdapterEvent.display(display), .display(items), .workingRange(range)] {
            guard case .blamed = try await outcome(of: .event(event)).last else {
                Issue.record("not blamed: \(event)")
                continue
            }
        }
    }

    @Test("slots of ever other reuse identifiers that are released → those with the lowest numbers are forgotten")
    func released() throws {
        var memory = ViewMemory(id: 1, options: ListViewOptions())
        for step in 1...20_000 as ClosedRange<SlotNumber> {
            var change = PictureChange(view: 1, sequence: UInt64(step), revision: 7, contentSize: .zero, offset: .zero)
            if step > 1 { change.released = [step - 1] }
            change.shown = [item(step, reuseIdentifier: "r\(step)")]
            let isPossible = memory.note(change, limit: 10)
            #expect(isPossible)
        }
        let released = memory.present.released.map(\.slot)
        #expect(released.count <= 2 * ViewMemory.keptReleased && released.count >= ViewMemory.keptReleased)
        #expect(released == Array(20_000 - SlotNumber(released.count)..<20_000))
    }

    @Test("sizes of objects that are gone, or of items that none has → forgotten when there are many")
    func measured() throws {
        var memory = ViewMemory(id: 1, options: ListViewOptions())
        func measure(_ id: String, _ item: Int) {
            let size = MeasuredSize(objectID: id, item: item, size: Size(width: 1, height: 1))
            memory.note(.reportSizes([size]), limit: 100) { $0.hasSuffix("00") }
        }
        for number in 0...1000 { measure("o\(number)", 0) }
        #expect(memory.present.measured.filter { $0.objectID.hasSuffix("00") }.count == 10)
        #expect(memory.present.measured.count <= 100)
        for item in 0..<1000 { measure("o100", item) }
        #expect(memory.present.measured.count <= 100)
    }

    @Test("a viewport that no view has → the last one that there was holds")
    func viewport() throws {
        var memory = ViewMemory(id: 1, options: ListViewOptions())
        func describe(_ viewport: Rect) {
            memory.note(
                ViewDescription(
                    state: .active, sequence: 1, acknowledgedSequence: 1, contentSize: .zero, viewport: viewport,
                    workingRange: 0..<0, visibleObjects: []))
        }
        let viewport = Rect(x: 1, y: 2, width: 3, height: 4)
        describe(viewport)
        for (number, extent) in [(.nan, 1), (.infinity, 1), (1, -1), (1, .nan), (1, .infinity)] as [(Double, Double)] {
            describe(Rect(x: number, y: 0, width: extent, height: 4))
            describe(Rect(x: 0, y: number, width: 3, height: extent))
            #expect(memory.present.viewport == viewport)
        }
    }
}

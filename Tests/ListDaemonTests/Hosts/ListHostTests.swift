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

@Suite("A list whose section controllers run in a worker", .timeLimit(.minutes(5)))
@DBusActor
struct ListHostTests {
    private func rows(_ range: Range<Int>, _ text: String = "") throws -> [ListObject] {
        try range.map { try ListObject(id: "o\($0)", fields: ["height": .double(40), "t": .string(text)]) }
    }

    private func attachWorker(_ stage: ListHostStage) async -> NearWorker {
        let worker = NearWorker(stage.host)
        stage.host.attach(worker.slot)
        await stage.settle(worker)
        return worker
    }

    @Test("a scroll shows twenty new cells → one message is sent to the worker, and one comes back")
    func scroll() async throws {
        let stage = ListHostStage(try rows(0..<200), revision: 1)
        let worker = await attachWorker(stage)
        var options = ListViewOptions()
        options.buffer = 0
        _ = try await stage.ask(.openView(1, 1, options)).get()
        for step in 0..<5 {
            let id = RequestID(step + 2)
            await stage.settle(worker)
            let before = worker.count
            let rect = Rect(x: 0, y: Double(step) * 1000, width: 100, height: 800)
            _ = try await stage.ask(.view(id, 1, .setViewport(seen: 0, rect))).get()
            await stage.settle(worker)
            #expect(worker.count.orders == before.orders + 1)
            #expect(worker.count.reports == before.reports + 1)
        }
    }

    @Test("a visible list is updated → one message is sent to the worker and one comes back, with only the changes")
    func update() async throws {
        let stage = ListHostStage(try rows(0..<200), revision: 1)
        let worker = await attachWorker(stage)
        _ = try await stage.ask(.openView(1, 1, ListViewOptions())).get()
        let rect = Rect(x: 0, y: 0, width: 100, height: 800)
        _ = try await stage.ask(.view(2, 1, .setViewport(seen: 0, rect))).get()
        for step in 0..<5 {
            await stage.settle(worker)
            let before = worker.count
            try stage.put(RequestID(step + 3), "o\(step)")
            let outcome = try await stage.answer(to: RequestID(step + 3))
            #expect(outcome.revision == UInt64(step + 2))
            await stage.settle(worker)
            #expect(worker.count.orders == before.orders + 1)
            #expect(worker.count.reports == before.reports + 1)
            #expect(worker.count.objects == before.objects + 1)
        }
    }

    @Test("all objects are replaced by mostly equal ones → only changed objects are sent, each once")
    func replace() async throws {
        let text = String(repeating: "x", count: 1000)
        let stage = ListHostStage(try rows(0..<6000, text), revision: 1)
        let worker = await attachWorker(stage)
        let before = worker.count
        #expect(before.objects == 6000)
        let objects = try rows(10..<6000, text) + rows(6000..<6030, text)
        #expect(try await stage.ask(.update(1, .performUpdates(objects: objects))).revision == 2)
        #expect(worker.count.objects == before.objects + 30 && worker.count.orders == before.orders + 1)
        #expect(worker.count.bytes - before.bytes < 40_000)
    }

    @Test(
        "a list has many bytes → the worker gets it in packets of 4 MiB, and reads in between return the old list"
    )
    func pages() async throws {
        let text = String(repeating: "x", count: 100_000)
        let stage = ListHostStage(try rows(0..<150, text), revision: 1, wasPresented: true)
        let worker = await attachWorker(stage)
        _ = try await stage.ask(.openView(1, 1, ListViewOptions())).get()
        #expect(worker.count.objects == 150 && worker.count.orders == 5)
        let objects = try rows(100..<300, text)
        #expect(try await stage.ask(.update(2, .performUpdates(objects: objects))).revision == 3)
        #expect(worker.count.objects == 300)
        #expect(worker.count.mostBytes < WorkerPresenter.pageBytes + 300_000)
        let items = ItemQuery.items(firstSection: 0, sectionCount: 500, byteLimit: .max)
        guard case .success(.presenter(.items(200, let all), _)) = try await stage.ask(.read(3, .asked(items))) else {
            Issue.record("the query did not return the items")
            return
        }
        #expect(all.count == 200)
    }

    @Test(
        "a list has no worker → writes and new views wait; a worker opens the list → the waiting calls run in order",
        .rule("OR-01"))
    func waits() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7, wasPresented: true)
        try stage.put(1, "new")
        stage.send(.openView(2, 1, ListViewOptions()))
        let page = try await stage.ask(.read(3, .objects(offset: 0, limit: 10, byteLimit: .max))).page
        #expect(page?.revision == 7 && page?.total == 3)
        let worker = NearWorker(stage.host)
        stage.host.attach(worker.slot)
        guard case .success(.presenter(.done, let status)) = try await stage.answer(to: 2), status.revision == 8,
            status.objectCount == 3, status.itemCount == 3
        else {
            Issue.record("the view was not opened")
            return
        }
        #expect(try await stage.answer(to: 1).revision == 9)
    }

    @Test(
        "the worker dies while it applies a stored update → the next worker gets the new list, announced as a reload"
    )
    func dyingPresenting() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let (first, second) = (FalseWorker(), FalseWorker())
        try await stage.present(in: first, itemCount: 3)
        try stage.put(1, "new")
        _ = try await first.nextUpdate()
        stage.host.losePresenter()
        stage.host.attach(second.slot)
        #expect(try await second.nextSetup().objects.map(\.id) == ["o0", "o1", "o2", "new"])
        #expect(first.isClosed)
        stage.report(.opened(.items(4)), from: second)
        let effect = try await stage.said.next(timeout: .seconds(60)) {
            if case .event(.updated) = $0 { true } else { false }
        }
        guard case .event(.updated(let transaction)) = effect else { return }
        #expect(transaction.kind == .reload && transaction.revision == 8 && transaction.sectionCount == 4)
        #expect(try await stage.answer(to: 1).revision == 8)
    }

    @Test("a call kills two workers → PluginFailed; a write kills two workers → the third worker applies the write")
    func dyingTwice() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        var worker = FalseWorker()
        try await stage.present(in: worker, itemCount: 3)
        stage.send(.read(1, .asked(.itemCounts(firstSection: 0, limit: 1))))
        for _ in 0..<2 {
            _ = try await worker.orders.next(timeout: .seconds(60)) {
                if case .perform(_, .query, _) = $0 { true } else { false }
            }
            stage.host.losePresenter()
            worker = FalseWorker()
            try await stage.present(in: worker, itemCount: 3)
        }
        #expect(try await stage.answer(to: 1).errorCode == .pluginFailed)
        try stage.put(2, "o1")
        _ = try await worker.nextUpdate()
        stage.report(.presented(.reload(3)), from: worker)
        #expect(try await stage.answer(to: 2).revision == 10)
    }

    @Test(
        "a client reads properties while the worker has its call → it reads them after the answer; others do not wait")
    func readsAfterCalls() async throws {
        final class Client {}
        let (caller, other) = (Client(), Client())
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let (worker, said) = (FalseWorker(), EventLog<String>())
        try await stage.present(in: worker, itemCount: 3)
        stage.send(.openView(1, 1, ListViewOptions()))
        stage.report(.answer(1, .success(.done), .items(3)), from: worker)
        _ = try await stage.answer(to: 1).get()
        stage.host.view(.acknowledge(sequence: 0), on: 1, for: ObjectIdentifier(caller)) { _ in
            said.record("answer")
        }
        stage.host.afterCalls(of: ObjectIdentifier(caller)) { said.record("caller") }
        stage.host.afterCalls(of: ObjectIdentifier(other)) { said.record("other") }
        #expect(try await said.next() == "other")
        stage.report(.answer(2, .success(.done), .items(3)), from: worker)
        #expect(try await said.next() == "answer")
        #expect(try await said.next() == "caller")
    }

    @Test("the worker dies during Select → the call is refused, and the next worker does not get the call")
    func dyingOfCall() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let (first, second) = (FalseWorker(), FalseWorker())
        try await stage.present(in: first, itemCount: 3)
        stage.send(.openView(1, 1, ListViewOptions()), by: 1000)
        stage.report(.answer(1, .success(.done), .items(3)), from: first)
        let select = ViewCommand.select(id: "o1", item: 0, true)
        stage.send(.view(2, 1, select), by: 1000)
        stage.send(.view(3, 1, .acknowledge(sequence: 0)), by: 1000)
        await stage.settle()
        stage.host.losePresenter(
            in: Breadcrumb(kind: .selection, controller: "p/C", object: "o1", user: 1000, request: 2))
        #expect(try await stage.answer(to: 2).errorCode == .pluginFailed)
        try await stage.present(in: second, itemCount: 3)
        stage.report(.answer(3, .success(.done), .items(3)), from: second)
        guard case .success(.presenter(.done, _)) = try await stage.answer(to: 3) else {
            Issue.record("the waiting call was not sent to the next worker")
            return
        }
        #expect(try await stage.ask(.view(4, 1, select)).errorCode == .pluginFailed)
    }

    @Test(
        "GetItems kills the worker → it is refused after the next worker has opened the list with the object at fault",
        .rule("OR-05"))
    func dyingOfContents() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let (first, second, third) = (FalseWorker(), FalseWorker(), FalseWorker())
        try await stage.present(in: first, itemCount: 3)
        stage.send(
            .read(1, .asked(.items(firstSection: 0, sectionCount: 3, byteLimit: 100, fields: []))), by: 1000)
        await stage.settle()
        stage.host.losePresenter(in: Breadcrumb(kind: .item, controller: "p/C", object: "o1", user: 1000, request: 1))
        await stage.settle()
        #expect(!stage.said.recorded.contains { if case .answer(1, _) = $0 { true } else { false } })
        stage.host.attach(second.slot)
        let setup = try await second.nextSetup()
        #expect(setup.faults.keys.map(\.text).sorted() == ["o1"])
        stage.report(.opened(.items(3)), from: second)
        let said = try await stage.said.next(timeout: .seconds(60)) {
            switch $0 {
            case .event(.updated), .answer(1, _): true
            default: false
            }
        }
        guard case .event(.updated(let reload)) = said else {
            Issue.record("the call is answered before the reload is announced")
            return
        }
        #expect(reload.kind == .reload && reload.revision == 8)
        #expect(try await stage.answer(to: 1).errorCode == .pluginFailed)
        // The object changes, and so the next worker shows it again.
        try stage.put(2, "o1")
        _ = try await second.nextUpdate()
        stage.report(.presented(.reload(3)), from: second)
        _ = try await stage.answer(to: 2).get()
        stage.host.losePresenter()
        stage.host.attach(third.slot)
        #expect(try await third.nextSetup().faults.isEmpty)
    }

    @Test("LoadPlugin forgets the fatal objects → they are reloaded at once")
    func forgottenObjects() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let workers = [FalseWorker(), FalseWorker(), FalseWorker()]
        try await stage.present(in: workers[0], itemCount: 3)
        stage.host.losePresenter(in: Breadcrumb(kind: .update, controller: "p/C", object: "o2"))
        try await stage.present(in: workers[1], itemCount: 3)
        stage.host.losePresenter(in: Breadcrumb(kind: .update, controller: "p/C", object: "o2"))
        stage.host.attach(workers[2].slot)
        #expect(try await workers[2].nextSetup().faults.keys.map(\.text).sorted() == ["o2"])
        stage.report(.opened(.items(3)), from: workers[2])
        await stage.settle()
        stage.host.forgetFatalObjects(reloads: true)
        #expect(try await workers[2].nextUpdate().reloads.flatMap { Array($0.range) } == [2])
    }

    @Test(
        "the worker dies while it moves an item → the move fails if it was the cause; otherwise, it is retried",
        arguments: [true, false])
    func dyingAsked(isBlamed: Bool) async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let (first, second) = (FalseWorker(), FalseWorker())
        try await stage.present(in: first, itemCount: 3)
        let path = IndexPath(section: 0, item: 0)
        stage.send(.update(1, .moveItem(from: path, to: IndexPath(section: 2, item: 0))), by: 1000)
        let isAsked: @Sendable (Order) -> Bool = { if case .perform(_, .moveItem, _) = $0 { true } else { false } }
        _ = try await first.orders.next(timeout: .seconds(60), where: isAsked)
        stage.host.losePresenter(
            in: Breadcrumb(
                kind: isBlamed ? .move : .timer, controller: "p/C", object: "o0", user: isBlamed ? 1000 : nil,
                request: isBlamed ? 1 : 0))
        if isBlamed { return #expect(try await stage.answer(to: 1).errorCode == .pluginFailed) }
        try await stage.present(in: second, itemCount: 3)
        _ = try await second.orders.next(timeout: .seconds(60), where: isAsked)
        stage.report(.moveVerdict(1, .section(from: 0, to: 2)), from: second)
        #expect(try await second.nextUpdate().moved.map(\.new) == [2])
        stage.report(.presented(.reload(3)), from: second)
        #expect(try await stage.answer(to: 1).revision == 9)
    }

    @Test(
        "closing a departed viewer's view kills the worker → the view is closed, and the next worker does not open it")
    func dyingClosing() async throws {
        let stage = ListHostStage(revision: 7)
        let (first, second) = (FalseWorker(), FalseWorker())
        try await stage.present(in: first, itemCount: 0)
        stage.send(.openView(1, 1, ListViewOptions()))
        stage.report(.answer(1, .success(.done), .items(0)), from: first)
        stage.host.closeView(1, .closed, by: 1000)
        stage.host.losePresenter()
        stage.host.attach(second.slot)
        let setup = try await second.nextSetup()
        #expect(setup.views.isEmpty)
        let closed = stage.said.recorded.contains { if case .closed(1, .closed) = $0 { true } else { false } }
        #expect(closed)
    }

    @Test(
        "a view is closed while the list has no worker → the view ends immediately, and its waiting calls are answered")
    func closingWaiting() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let worker = FalseWorker()
        try await stage.present(in: worker, itemCount: 3)
        stage.send(.openView(1, 1, ListViewOptions()))
        var display = DisplayChange(view: 1, revision: 0)
        display.willDisplay = [SectionReference(section: 0, objectID: "o0")]
        stage.report(
            .answer(1, .success(.done), .items(3, [.display(display)])),
            from: worker)
        _ = try await stage.answer(to: 1).get()
        stage.host.losePresenter()
        stage.send(.view(2, 1, .acknowledge(sequence: 0)))
        stage.send(.view(3, 1, .close))
        #expect(try await stage.answer(to: 2).errorCode == .invalidArguments)
        let ended = try await stage.said.next(timeout: .seconds(60)) {
            if case .event(.display) = $0 { true } else { false }
        }
        guard case .event(.display(let change)) = ended else { return }
        #expect(change.didEndDisplaying == [SectionReference(section: 0, objectID: "o0")] && change.revision == 7)
        guard case .closed(1, .closed) = try await stage.said.next(),
            case .success(.presenter(.done, _)) = try await stage.answer(to: 3)
        else {
            Issue.record("the view was not closed")
            return
        }
    }

    @Test(
        "the next worker displays and selects other items → the signals have only the difference to the previous worker"
    )
    func differences() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let (first, second) = (FalseWorker(), FalseWorker())
        try await stage.present(in: first, itemCount: 3)
        stage.send(.openView(1, 1, ListViewOptions()))
        func shown(_ ids: Int...) -> [AdapterEvent] {
            var display = DisplayChange(view: 1, revision: 0)
            display.willDisplay = ids.map { SectionReference(section: $0, objectID: "o\($0)") }
            return [.display(display)]
        }
        var news = Announcement.items(3, shown(0, 1))
        news.selection = [SelectedItem(objectID: "o0", item: 0), SelectedItem(objectID: "o1", item: 0)]
        stage.report(.answer(1, .success(.done), news), from: first)
        _ = try await stage.answer(to: 1).get()
        stage.host.losePresenter()
        stage.host.attach(second.slot)
        let setup = try await second.nextSetup()
        #expect(setup.views.map(\.id) == [1] && news.selection == SelectedItems(setup.selection))
        var after = Announcement.items(3, shown(1, 2))
        after.selection = [SelectedItem(objectID: "o1", item: 0)]
        stage.report(.opened(after), from: second)
        await stage.settle()
        var (displays, selections, transactions): ([DisplayChange], [SelectionChange], [Transaction]) = ([], [], [])
        for effect in stage.said.recorded {
            switch effect {
            case .event(.display(let change)): displays.append(change)
            case .event(.selection(let change)): selections.append(change)
            case .event(.updated(let transaction)): transactions.append(transaction)
            default: break
            }
        }
        #expect(transactions.map(\.revision) == [8] && transactions.map(\.kind) == [.reload])
        #expect(displays.map(\.revision) == [8])
        #expect(displays.map(\.willDisplay) == [[SectionReference(section: 2, objectID: "o2")]])
        #expect(displays.map(\.didEndDisplaying) == [[SectionReference(section: 0, objectID: "o0")]])
        #expect(selections.map(\.deselected) == [[SelectedItem(objectID: "o0", item: 0)]])
    }

    @Test(
        "a write arrives while the only view is on the screen → it is applied immediately; off the screen → it waits"
    )
    func offScreen() async throws {
        var configuration = ListOptions(name: "x")
        configuration.coalescing = ListOptions.Coalescing(
            minimum: 10, maximum: 60_000, increment: 10, usesMaximumWhenNotVisible: true)
        let (stage, worker) = (ListHostStage(try rows(0..<3), configuration: configuration), FalseWorker())
        try await stage.present(in: worker, itemCount: 3)
        stage.send(.openView(1, 1, ListViewOptions()))
        stage.report(.answer(1, .success(.done), .items(3)), from: worker)
        _ = try await stage.answer(to: 1).get()
        try stage.put(2, "o2")
        _ = try await worker.nextUpdate()
        stage.report(.presented(.reload(3)), from: worker)
        _ = try await stage.answer(to: 2).get()
        stage.send(.view(3, 1, .setOnScreen(false)))
        stage.report(.answer(3, .success(.done), .items(3)), from: worker)
        _ = try await stage.answer(to: 3).get()
        try stage.put(4, "o1")
        await stage.settle()
        guard case .success(.text(let text)) = try await stage.ask(.read(5, .description)) else { return }
        #expect(text.contains("flush at("))
    }

    @Test(
        "updates are paused and resumed while a worker opens the list → the worker is notified after opening the list")
    func held() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let worker = FalseWorker()
        stage.host.hold(true)
        stage.host.attach(worker.slot)
        let setup = try await worker.nextSetup()
        #expect(setup.holdsViews)
        try stage.put(1, "o1")
        stage.host.hold(false)
        await stage.settle()
        #expect(worker.orders.recorded.isEmpty)
        stage.report(.opened(.items(3)), from: worker)
        let order = try await worker.orders.next(timeout: .seconds(60))
        guard case .perform(_, .hold(views: false, items: false), _) = order else {
            Issue.record("the worker was not notified of the released flushes")
            return
        }
        _ = try await worker.nextUpdate()
    }

    @Test(
        "items change while the worker applies an update → their changes get an earlier revision than the update"
    )
    func crossing() async throws {
        let stage = ListHostStage(try rows(0..<3), revision: 7)
        let worker = FalseWorker()
        try await stage.present(in: worker, itemCount: 3)
        try stage.put(1, "o1")
        _ = try await worker.nextUpdate()
        stage.report(.changed(.reload(3)), .presented(.reload(3)), from: worker)
        #expect(try await stage.answer(to: 1).revision == 9)
        let changes = HostRead.changes(since: 7, byteLimit: .max)
        guard case .success(.changes(9, let known)) = try await stage.ask(.read(2, changes)) else { return }
        #expect(known.map(\.revision) == [8, 9])
    }

    @Test("a list that returned to the daemon after its plugin failed is removed → its memory is released")
    func substitute() async throws {
        weak var host: ListHost?
        do {
            let stage = ListHostStage(try rows(0..<50), revision: 1)
            host = stage.host
            stage.host.presentLocally()
            _ = try await stage.ask(.openView(1, 1, ListViewOptions())).get()
            #expect(try await stage.ask(.stop(2, .adapterRemoved)).errorCode == nil)
            await stage.settle()
        }
        // Ending the host posts work to the loop, which retains the host until it has run.
        while host != nil { await Task.yield() }
    }
}

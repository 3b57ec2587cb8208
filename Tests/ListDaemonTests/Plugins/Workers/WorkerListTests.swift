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

@Suite("The worker's part of a list: its section controllers and views", .timeLimit(.minutes(5)))
@DBusActor
struct WorkerListTests {
    private let controllers = SectionControllerTable(naming: ["*": "listd/single"])

    private func objects() throws -> [ListObject] {
        try (0..<50).map { try ListObject(id: "o\($0)", fields: ["height": .double(40)]) }
    }

    private func setup(selecting items: [SelectedItem] = []) throws -> PresenterSetup {
        PresenterSetup(
            configuration: ListOptions(), controllers: controllers, objects: try objects(),
            selection: items)
    }

    private func settle(_ executor: HostExecutor) async {
        await withCheckedContinuation { done in executor.post { done.resume() } }
    }

    @Test("a list is closed in its worker → its objects in the worker are deallocated")
    func closedInWorker() async throws {
        let runtime = WorkerRuntime(crumbs: try BreadcrumbMap()) { _ in }
        runtime.execute(.host(1, crumbSlot: 1))
        runtime.execute(.open(1, try setup()))
        weak let list = runtime.lists[1]
        let executor = try #require(list?.executor)
        runtime.execute(.perform(1, .openView(1, 1, ListViewOptions())))
        let rect = Rect(x: 0, y: 0, width: 100, height: 400)
        runtime.execute(.perform(1, .view(2, 1, .setViewport(seen: 0, rect))))
        var update = Change()
        update.moved = [(7, 0, nil, nil)]
        runtime.execute(.present(1, PresenterUpdate(update)))
        #expect(runtime.lists.count == 1)
        await settle(executor)
        #expect(await list?.isOpen == true)
        runtime.execute(.close(1))
        #expect(runtime.lists.isEmpty)
        await settle(executor)
        #expect(list == nil)
    }

    @Test("a list is resumed with a selection → missing items are deselected, without a callback")
    func selection() async throws {
        let kept = SelectedItem(objectID: "o3", item: 0)
        let gone = [SelectedItem(objectID: "o3", item: 1), SelectedItem(objectID: "x", item: 0)]
        for items in [[kept] + gone, gone] {
            let reported = EventLog<[PresenterReport]>()
            let list = WorkerList(
                executor: HostExecutor(label: "org.listd.test"), tracer: CallTracer(nil), resolve: { $0 }
            ) { reports, _ in reported.record(reports) }
            let setup = try setup(selecting: items)
            list.post { $0.open(setup) }
            let output = try await reported.next(timeout: .seconds(60))
            guard case .opened(let news)? = output.first else {
                Issue.record("the list was not opened")
                return
            }
            #expect(news.selection == SelectedItems(items.filter { $0 == kept }))
            #expect(!news.events.contains { if case .selection = $0 { true } else { false } })
        }
    }

    /// A section controller that changes its item again and again.
    private final class Restless: ListSectionController {
        override func didUpdate(to object: ListObject) { change() }
        override func item(at index: Int) -> ListItem { ListItem(identity: "i", reuseIdentifier: "r", content: [:]) }

        private func change() {
            context?.performBatch(updates: { $0.reloadItems(at: [0]) }) { [weak self] _ in self?.change() }
        }
    }

    @Test("items change continuously → the worker sends a burst of reports, then one report per interval")
    func endless() async throws {
        let reported = EventLog<[PresenterReport]>()
        let list = WorkerList(
            executor: HostExecutor(label: "org.listd.test"), tracer: CallTracer(nil),
            resolve: { _ in
                let table = try? SectionControllerTable(["*": "p/restless"]) { (_) throws(ListError) in
                    .controller("restless") { Restless() }
                }
                return table ?? .builtIn
            }
        ) { reports, _ in reported.record(reports) }
        var setup = try setup()
        setup.objects = [setup.objects[0]]
        list.post { [setup] in $0.open(setup) }
        for more in [0, 5, 1] {
            list.post { $0.perform(.allowChanges(more)) }
            let wanted = more == 0 ? PresenterOrder.changesAtOnce : more
            for _ in 0..<wanted {
                _ = try await reported.next(timeout: .seconds(60)) { $0.contains(where: \.isUnrequestedChange) }
            }
            for _ in 0..<20 { await settle(list.executor) }
            #expect(!reported.recorded.contains { $0.contains(where: \.isUnrequestedChange) })
        }
    }

    @Test("an update arrives without some of its objects → reads see the old list until the objects arrive")
    func missing() async throws {
        let reported = EventLog<[PresenterReport]>()
        let list = WorkerList(
            executor: HostExecutor(label: "org.listd.test"), tracer: CallTracer(nil), resolve: { $0 }
        ) { reports, _ in reported.record(reports) }
        let setup = try setup()
        var update = Change()
        update.inserted = try (50..<53).map { ($0, try ListObject(id: "o\($0)"), nil) }
        var first = PresenterUpdate(update)
        let objects = first.objects
        first.objects = [objects[0]]
        let (part, counts) = (first, ItemQuery.itemCounts(firstSection: 0, limit: 100))
        list.post { list in
            list.open(setup)
            list.present(part, missing: 2)
            list.perform(.query(1, counts))
            list.add([objects[1]], missing: 1)
            list.add([objects[2]])
            list.perform(.query(2, counts))
        }
        var heard: [String] = []
        for _ in 0..<6 {
            for report in try await reported.next(timeout: .seconds(60)) {
                switch report {
                case .opened: heard.append("opened")
                case .presented(let news): heard.append("presented \(news.itemCount)")
                case .answer(_, .success(.itemCounts(let counts)), _): heard.append("\(counts.count)")
                case .more: heard.append("more")
                case .changed, .answer, .moveVerdict: heard.append("?")
                }
            }
        }
        #expect(heard == ["opened", "more", "50", "more", "presented 53", "53"])
    }
}

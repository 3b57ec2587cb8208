import DBus
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListDaemon

@Suite("The end of a host that another one guards", .timeLimit(.minutes(5)))
@DBusActor
struct SeatedHostTests {
    /// A host that is looked at without being kept, and the executor on which it goes.
    private struct Witness {
        weak var host: AdapterHost?
        let executor: HostExecutor

        init(of list: SeatedHost?) throws {
            let list = try #require(list)
            executor = list.executor
            host = list.host
        }

        /// Waits until the executor has done all that it has to do now.
        func settle() async {
            await withCheckedContinuation { done in executor.post { done.resume() } }
        }
    }

    private let configuration = ListAdapter.Configuration()
    private let controllers = SectionControllerTable(naming: ["*": "listd/single"])

    private func objects() throws -> [ListObject] {
        try (0..<50).map { try ListObject(id: "o\($0)", fields: ["height": .double(40)]) }
    }

    private func tell(_ workshop: Workshop, _ order: WorkerOrder) throws {
        workshop.take(try WorkerPacket(order)) { error in Issue.record("\(error)") }
    }

    @Test(
        "a list is closed in its worker, after it has ended or to move away → its host is gone",
        arguments: [
            true, false,
        ])
    func workshop(ends: Bool) async throws {
        let workshop = Workshop(crumbs: try BreadcrumbMap()) { _ in }
        let setup = HostSetup(
            configuration: configuration, controllers: controllers, objects: try objects(), revision: 1)
        try tell(workshop, .open(1, crumb: 1, setup))
        let witness = try Witness(of: await workshop.lists[1])
        try tell(workshop, .command(1, .openView(1, 1, ListViewOptions())))
        let rect = Rect(x: 0, y: 0, width: 100, height: 400)
        try tell(workshop, .command(1, .view(2, 1, .setViewport(seen: 0, rect))))
        let move = UpdateRequest(id: 3, operation: .moveObject(id: "o7", position: .first))
        try tell(workshop, .command(1, .update(move)))
        if ends { try tell(workshop, .command(1, .stop(4, .adapterRemoved))) }
        #expect(await workshop.lists.count == 1)
        await witness.settle()
        #expect(witness.host != nil)
        try tell(workshop, .close(1))
        #expect(await workshop.lists.isEmpty)
        await witness.settle()
        #expect(witness.host == nil)
    }

    @Test("a host goes on with a selection → selected as before but for items that are gone, and nobody has selected")
    func selection() async throws {
        let kept = SelectedItem(objectID: "o3", item: 0)
        let gone = [SelectedItem(objectID: "o3", item: 1), SelectedItem(objectID: "x", item: 0)]
        for items in [[kept] + gone, gone] {
            let said = EventLog<[AdapterEffect]>()
            let setup = HostSetup(
                configuration: configuration, controllers: controllers, objects: try objects(), revision: 1,
                selection: items)
            let list = SeatedHost(setup, controllers: controllers, tracer: CallTracer(nil)) {
                said.record($0.effects)
            }
            let effects = try await said.next(timeout: .seconds(60))
            let selections = effects.compactMap { if case .selection(let items) = $0 { items } else { nil } }
            #expect(selections.last == items.filter { $0 == kept })
            #expect(!effects.contains { if case .event(.selection) = $0 { true } else { false } })
            withExtendedLifetime(list) {}
        }
    }

    @Test("a list ends in the daemon, where its plugin has failed → its host is gone, and its guard")
    func substitute() async throws {
        let place = SubstituteHost()
        let answers = EventLog<RequestID>()
        weak var guardian: GuardedHost?
        let witness: Witness
        do {
            let list = GuardedHost(
                configuration: configuration, controllers: controllers, objects: try objects(), revision: 1
            ) { effects in
                for effect in effects { if case .answer(let id, _) = effect { answers.record(id) } }
            }
            guardian = list
            list.move(to: .inDaemon(list, place))
            list.send(.openView(1, 1, ListViewOptions()))
            _ = try await answers.next(timeout: .seconds(60)) { $0 == 1 }
            witness = try Witness(of: place.host)
            #expect(witness.host != nil)
            list.send(.stop(2, .adapterRemoved))
            _ = try await answers.next(timeout: .seconds(60)) { $0 == 2 }
            await withCheckedContinuation { done in list.ping { done.resume() } }
        }
        #expect(place.host == nil)
        await witness.settle()
        #expect(witness.host == nil)
        // What its end has posted to the loop keeps the guard until it has run.
        while guardian != nil { await Task.yield() }
    }
}

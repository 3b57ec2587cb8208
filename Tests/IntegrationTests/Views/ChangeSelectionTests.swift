// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("Selecting many items at once, over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct ChangeSelectionBusTests {
    private typealias Item = ListViewClient.SelectedItem
    private typealias Selected = DBusStruct<String, UInt32>

    @Test(
        "ChangeSelection selects 1,000 items, then 500 others → each call sends one signal and sets the property",
        arguments: TransportKind.allCases)
    func many(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(2000)
        let heard = EventLog<(selected: Int, deselected: Int)>()
        let client = try await stage.connect(transport)
        let subscription = try await client.subscribe(
            MatchRule(path: adapter.path, member: "SelectionChanged"), onBus: transport == .bus
        ) { message in
            guard
                let (_, on, off, _) = try? message.decode(
                    as: UInt64.self, [Selected].self, [Selected].self, [String: DBusValue].self)
            else {
                return
            }
            heard.record((on.count, off.count))
        }
        _ = try await adapter.by(client).call("Subscribe", ["selection"], returning: UInt64.self, UInt64.self)
        let view = try await ListViewClient.open(adapter.by(client)) { _ in }
        let first = (0..<1000).map { Item(objectID: "o\($0)") }
        #expect(try await view.changeSelection(select: first).selected == first)
        let rest = (1000..<1500).map { Item(objectID: "o\($0)") }
        let change = try await view.changeSelection(select: rest, deselect: first)
        #expect(change.selected == rest && change.deselected == first)
        #expect(
            heard.recorded.map { $0.selected } == [1000, 500] && heard.recorded.map { $0.deselected } == [0, 1000])
        let selected = try await adapter.by(client).property("SelectedItems", as: [Selected].self)
        #expect(selected.map { $0.members.0 } == rest.map(\.objectID))
        _ = subscription
        await view.close()
        await stage.stop()
    }
}

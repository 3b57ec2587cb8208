// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

/// Tests that a client that shows items without caching them can find the section and item of a position.
@Suite("Item counts of sections, over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct ItemCountTests {
    private static func section(_ id: String, _ count: Int) -> Row {
        let items = DBusValue.array(element: "a{sv}", (0..<count).map { .options(["id": .string("\($0)")]) })
        return Row(id, "", ["items": items])
    }

    @Test(
        "sections have several items → GetItemCounts returns their counts in pages, and none past the end",
        .rule("BI-02"),
        arguments: TransportKind.allCases)
    func counts(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let controllers = DBusValue.dictionary(
            key: "s", value: "s", [.init(key: .string("*"), value: .string("listd/binding"))])
        let adapter = try await stage.createAdapter("list", ["section-controllers": controllers])
        _ = try await adapter.performUpdates([3, 0, 1, 5].enumerated().map { Self.section("\($0)", $1) })
        let list = AdapterClient(adapter.by(try await stage.connect(transport)))
        for (first, limit, counts) in [
            (0, .max, [3, 0, 1, 5]), (1, 2, [0, 1]), (3, 7, [5]), (4, 1, []), (.max, .max, []), (2, 0, []),
        ] as [(UInt32, UInt32, [UInt32])] {
            let answer = try await list.itemCounts(from: first, limit: limit)
            #expect(answer.revision == 1 && answer.counts == counts)
            #expect(answer.nextSection == first + UInt32(counts.count))
        }
        _ = try await adapter.applyChanges(remove: ["0"])
        #expect(try await list.itemCounts(from: 0).revision == 2)
        #expect(try await list.itemCounts(from: 0).counts == [0, 1, 5])
        await stage.stop()
    }

    @Test("a list has more sections than fit in one reply → the next reply continues after the last section")
    func pages() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(262_144 + 3)
        let list = AdapterClient(adapter.by(stage.client))
        let first = try await list.itemCounts(from: 0)
        #expect(first.counts == [UInt32](repeating: 1, count: 262_144) && first.nextSection == 262_144)
        #expect(try await list.itemCounts(from: first.nextSection).counts == [1, 1, 1])
        await stage.stop()
    }
}

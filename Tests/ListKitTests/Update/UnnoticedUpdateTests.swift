// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Transactions are independent of earlier accesses to sections")
struct UnnoticedUpdateTests {
    /// Provides controllers with traits. The number of items is the object's field `items`, which may be invalid.
    private final class Provider: ListSectionControllerProvider {
        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            let traits = ListSectionTraits(
                numberOfItems: { $0.items },
                shape: { object, _ in
                    ListSectionShape(
                        metrics: SectionMetrics(
                            itemCount: object.items, uniformItemSize: Size(width: 100, height: 10)))
                })
            return ListSectionControllerKind(name: "test/\(type)", traits: traits) { _ in Items() }
        }
    }

    private final class Items: ListSectionController {
        private var count = 0
        override func didUpdate(to object: ListObject) { count = object.items }
        override func numberOfItems() -> Int { count }
        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "row") }
    }

    /// A controller that reads and reloads another section while its items are counted.
    private final class Meddler: ListSectionController {
        var adapter: ListAdapter?
        override func numberOfItems() -> Int {
            if let other = adapter?.sectionController(forID: "other") {
                context?.performBatch { $0.reloadSection(other) }
            }
            return 1
        }
    }

    private final class MeddlingProvider: ListSectionControllerProvider {
        let meddler = Meddler()
        private let rows = Provider()
        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            guard type == "meddler" else { return rows.sectionControllerKind(forType: type) }
            return ListSectionControllerKind(name: "test/meddler") { [meddler] _ in meddler }
        }
    }

    @Test(
        "a controller reloads another, changed section while items are counted → the section's reload is announced once"
    )
    func reloadWhenAskedForItems() throws {
        func list(_ text: String) throws -> [ListObject] {
            [
                try ListObject(id: "meddler", type: "meddler", fields: ["text": .string(text)]),
                try ListObject(id: "other", type: "row", fields: ["items": 1, "text": .string(text)]),
            ]
        }
        let provider = MeddlingProvider()
        let host = TestHost(try list("before"), provider: provider)
        provider.meddler.adapter = host.adapter
        let result = try host.update(list("after"))
        #expect(result.transaction?.sections.reloads == [IndexRun(first: 0, length: 2)])
    }

    private func list(_ random: inout SeededRandom) throws -> [ListObject] {
        let ids = (0..<40).filter { _ in !random.chance(oneIn: 5) }
        var list = try ids.map { id in
            let items = random.chance(oneIn: 60) ? Int64(1) << 40 : Int64.random(in: 0...3, using: &random)
            let type = random.chance(oneIn: 8) ? "other" : "row"
            let text = Int64.random(in: 0...1, using: &random)
            return try ListObject(id: "o\(id)", type: type, fields: ["items": .int64(items), "n": .int64(text)])
        }
        if random.chance(oneIn: 2) { list.shuffle(using: &random) }
        if random.chance(oneIn: 4), let object = list.first { list.append(object) }
        return list
    }

    private func operation(_ random: inout SeededRandom) throws -> UpdateRequest.Operation {
        let objects = try list(&random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .reloadObjects(objects.prefix(3).map(\.id))
        case 1, 2:
            let upserts = Dictionary(objects.map { ($0.id, $0) }) { first, _ in first }.values.sorted { $0.id < $1.id }
            return .applyChanges(
                removed: [], upserts: upserts.prefix(5).map { UpdateRequest.Upsert($0, position: .keep) })
        default: return .performUpdates(objects: objects)
        }
    }

    @Test(
        "two lists get the same updates, and only one has accessed all sections → their transactions are the same",
        arguments: 0..<6, [false, true])
    func same(seed: UInt64, prefersItemReloads: Bool) throws {
        var random = SeededRandom(seed: seed)
        let first = try list(&random)
        let (noticed, unnoticed) = (Provider(), Provider())
        let lists = [noticed, unnoticed].map { provider in
            TestHost(first, provider: provider) { $0.preferItemReloads = prefersItemReloads }
        }
        for step in 0..<15 {
            for id in lists[0].ids { _ = lists[0].adapter.sectionController(forID: id) }
            let batch = try (0...Int.random(in: 0...2, using: &random)).map { _ in try operation(&random) }
            let results = lists.map { list in
                for operation in batch { list.enqueue(operation) }
                return list.flush()
            }
            #expect(results[0].transaction == results[1].transaction, "step \(step)")
            #expect(results[0].answers.map(\.revision) == results[1].answers.map(\.revision), "step \(step)")
            #expect(lists[0].ids == lists[1].ids && lists[0].itemCounts == lists[1].itemCounts)
        }
        #expect(lists[0].adapter.revision > 5)
    }
}

extension ListObject {
    fileprivate var items: Int { if case .int64(let count) = fields["items"] { Int(count) } else { 0 } }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Daemon) @testable import ListKit

@Suite("Invalidating the layout of single items")
struct ItemInvalidationTests {
    @Test(
        "one item grows → only this item's size is requested, later items move, and slots stay", arguments: [5, 1500])
    func oneItem(itemCount: Int) throws {
        let log = EventList()
        let list = try Self.list(["a": itemCount, "b": 2], log)
        var screen = try list.open()
        let slots = screen.items.map(\.slot)
        _ = (list.takeEvents(), log.drain())
        let controller = try measured(list, "a")
        controller.places[2].frame.size.height = 25
        var finished: [Bool] = []
        controller.context?.invalidateLayout(at: [2]) { finished.append($0) }
        #expect(list.flush().transaction == nil && finished == [true])
        #expect(log.drain() == ["size a.2"])
        screen.receive(list.takeEvents())
        #expect(screen.items.map(\.slot).prefix(5) == slots.prefix(5))
        #expect(screen.contentSize.height == Double(itemCount * 10 + 20 + 15))
        #expect(screen.items.prefix(5).map(\.frame.minY) == [0, 10, 20, 45, 55])
    }

    @Test(
        "several views show an item → its size is requested once per container size, and only for views with a layout"
    )
    func severalViews() throws {
        let log = EventList()
        let list = try Self.list(["a": 3], log)
        _ = try (list.open(1), list.open(2))
        var options = ListViewOptions()
        options.layout = ListLayoutKind.none
        try list.adapter.openView(3, options: options)
        try list.adapter.openView(4)
        list.receive(try list.adapter.setViewport(view: 4, seen: 0, rect: Rect(x: 0, y: 0, width: 110, height: 100)))
        _ = log.drain()
        let controller = try measured(list, "a")
        controller.places[0].frame.size.height = 30
        controller.context?.invalidateLayout(at: [0])
        list.flush()
        #expect(log.drain() == ["size a.0", "size a.0"])
        for view in [ViewID(1), 2, 4] { #expect(frame(list, view, 0, 1)?.minY == 30) }
    }

    @Test(
        "an index is invalid or its item deleted → it is ignored; the section is removed → the completion gets false"
    )
    func ignored() throws {
        let log = EventList()
        let list = try Self.list(["a": 2, "b": 1], log)
        _ = try list.open()
        let controller = try measured(list, "a")
        _ = log.drain()
        controller.context?.invalidateLayout(at: [-1, 2, .max, .min])
        controller.context?.invalidateLayout(at: [])
        list.flush()
        #expect(log.drain().isEmpty)
        controller.context?.performBatch(updates: { batch in
            batch.invalidateLayout(at: [1])
            batch.deleteItems(at: [1])
            controller.places.removeLast()
        })
        list.flush()
        #expect(log.drain() == ["size a.0"] && list.itemCounts == [1, 1])
        var finished: [Bool] = []
        controller.context?.invalidateLayout(at: [0]) { finished.append($0) }
        try list.update([object("b")])
        #expect(finished == [false] && log.drain().isEmpty)
    }

    @Test("an invalidated item has a size that is not finite → a fault is reported, and the section shows error items")
    func fault() throws {
        let log = EventList()
        let list = try Self.list(["a": 3], log)
        var screen = try list.open()
        _ = (list.takeEvents(), log.drain())
        let controller = try measured(list, "a")
        controller.places[1].frame.size.height = .nan
        controller.context?.invalidateLayout(at: [1, 2])
        list.flush()
        screen.receive(list.takeEvents())
        #expect(screen.items.map(\.frame.size.height) == [44, 44, 44])
        #expect(screen.items.allSatisfy { $0.reuseIdentifier != "cell" })
        #expect(log.drain() == ["size a.1"])
    }

    @Test("an invalidated item was measured by a viewer → the measured size stays in that viewer's view")
    func measuredByClient() throws {
        let log = EventList()
        let list = try Self.list(["a": 2], log)
        _ = try (list.open(1), list.open(2))
        _ = try list.adapter.reportSizes(
            view: 1, sizes: [MeasuredSize(objectID: "a", item: 0, size: Size(width: 100, height: 70))])
        let controller = try measured(list, "a")
        controller.places[0].frame.size.height = 30
        controller.context?.invalidateLayout(at: [0])
        list.flush()
        #expect(frame(list, 1, 0, 1)?.minY == 70 && frame(list, 2, 0, 1)?.minY == 30)
    }

    @Test(
        "sizes, items and lists change at random → every frame equals the frame in a new view",
        arguments: [ListLayoutKind.flow, .absolute], 0..<12)
    func random(layout: ListLayoutKind, seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let log = EventList()
        let list = try Self.list(["a": 3, "b": 0, "c": 7, "d": 200, "e": 2], log) { $0.layout = layout }
        _ = try list.open(1)
        for step in 0..<40 {
            for id in ["a", "b", "c", "d", "e"] where generator.chance(oneIn: 3) {
                guard let controller = list.adapter.sectionController(forID: id) as? Measured else { continue }
                let change = RandomItemChange(controller.places, &generator)
                controller.context?.performBatch(updates: { change.apply(to: controller, &$0) })
            }
            if generator.chance(oneIn: 4) {
                let ids = ["a", "b", "c", "d", "e"].filter { _ in !generator.chance(oneIn: 6) }
                list.enqueue(.performUpdates(objects: try objects(ids.shuffled(using: &generator))))
            }
            list.flush()
            _ = try list.open(2)
            let wrong = paths(list).filter {
                frame(list, 1, $0.section, $0.item) != frame(list, 2, $0.section, $0.item)
            }
            #expect(wrong.isEmpty, "step \(step)")
            _ = try list.adapter.closeView(2)
        }
    }

    // MARK: Sections

    /// A section controller whose items have stored placements. It records which of them are requested.
    private final class Measured: ListSectionController {
        var places: [ItemPlacement] = []
        let id: String
        private let log: EventList

        init(id: String, places: [ItemPlacement], log: EventList) {
            (self.id, self.places, self.log) = (id, places, log)
            super.init()
        }

        override func numberOfItems() -> Int { places.count }
        override func sizeForItem(at index: Int) -> Size {
            log.record("size \(id).\(index)")
            return places[index].frame.size
        }
        override func placementOfItem(at index: Int) -> ItemPlacement { places[index] }
        override func item(at index: Int) -> ListItem {
            if index < 3 { log.record("item \(id).\(index)") }
            return ListItem(reuseIdentifier: "cell")
        }
    }

    /// Inserts, deletes, moves and size changes in one item update.
    private struct RandomItemChange {
        private var deletes: [Int] = []
        private var inserts: [Int] = []
        private var move: (from: Int, to: Int)?
        private var resizes: [Int] = []
        private var after: [ItemPlacement] = []

        init(_ before: [ItemPlacement], _ generator: inout SeededGenerator) {
            var items = before
            for index in items.indices where generator.chance(oneIn: 1 + items.count / 2) {
                items[index] = Self.place(&generator)
                resizes.append(index)
            }
            guard generator.chance(oneIn: 2) else {
                after = items
                return
            }
            deletes = items.indices.filter { _ in generator.chance(oneIn: 8) }
            let moved = items.indices.first { !deletes.contains($0) && generator.chance(oneIn: 3) }
            var stays = items.indices.filter { !deletes.contains($0) && $0 != moved }.makeIterator()
            let new = Int.random(in: 0...3, using: &generator)
            let count = items.count - deletes.count + new
            var places = Array((0..<count).shuffled(using: &generator).prefix(new + (moved == nil ? 0 : 1)))
            if let moved, let to = places.popLast() { move = (moved, to) }
            inserts = places.sorted()
            after = (0..<count).map { index in
                if let move, index == move.to { return items[move.from] }
                if inserts.contains(index) { return Self.place(&generator) }
                return stays.next().map { items[$0] } ?? ItemPlacement(frame: .zero)
            }
        }

        func apply(to controller: Measured, _ batch: inout ListBatchContext) {
            controller.places = after
            batch.invalidateLayout(at: resizes)
            batch.deleteItems(at: deletes)
            batch.insertItems(at: inserts)
            if let move { batch.moveItem(from: move.from, to: move.to) }
        }

        private static func place(_ generator: inout SeededGenerator) -> ItemPlacement {
            ItemPlacement(
                frame: Rect(
                    x: generator.quarters(0...200), y: generator.quarters(0...2000),
                    width: generator.quarters(40...400),
                    height: generator.quarters(0...80)))
        }
    }

    private static func list(
        _ counts: [String: Int], _ log: EventList, configure: (inout ListOptions) -> Void = { _ in }
    ) throws -> TestHost {
        let provider = ScriptedProvider { object in
            let places = (0..<(counts[object.id] ?? 0)).map { index in
                ItemPlacement(frame: Rect(x: 0, y: Double(index * 10), width: 100, height: 10))
            }
            return Measured(id: object.id, places: places, log: log)
        }
        return TestHost(try objects(counts.keys.sorted()), provider: provider, configure: configure)
    }

    private func measured(_ list: TestHost, _ id: String) throws -> Measured {
        try #require(list.adapter.sectionController(forID: id) as? Measured)
    }

    private func frame(_ list: TestHost, _ view: ViewID, _ section: Int, _ item: Int) -> Rect? {
        list.adapter.layoutAttributes(of: .cell, at: IndexPath(section: section, item: item), in: view)?.frame
    }

    private func paths(_ list: TestHost) -> [IndexPath] {
        list.itemCounts.enumerated().flatMap { section, count in
            (0...count).map { IndexPath(section: section, item: $0) }
        }
    }
}

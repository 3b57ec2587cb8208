// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Working range counted in items")
struct WorkingRangeItemTests {
    private static func object(_ id: String, _ count: Int, _ more: [String: Value] = [:]) throws -> ListObject {
        let items = (0..<count).map { Value(["id": .string("\($0)"), "height": 10.0]) }
        return try ListObject(
            id: id, type: "binding", fields: try Fields(more.merging(["items": .array(element: "a{sv}", items)]) { $1 })
        )
    }

    private static func list(_ counts: [Int], _ range: Int = 0) throws -> TestHost {
        TestHost(
            try counts.enumerated().map { try object("o\($0)", $1) }, names: ["binding": "listd/binding"]
        ) { $0.workingRange = range }
    }

    /// Returns the sections of the working range, by counting items one by one.
    private func expectedSections(
        _ counts: [Int], from first: IndexPath, through last: IndexPath, trail: Int, lead: Int
    ) -> Range<Int> {
        let items = counts.enumerated().flatMap { section, count in
            (0..<count).map { IndexPath(section: section, item: $0) }
        }
        guard let begin = items.firstIndex(of: first), let end = items.firstIndex(of: last) else { return 0..<0 }
        let near = items[max(0, begin - trail)...min(items.count - 1, end + lead)]
        return (near.first?.section ?? 0)..<(near.last?.section ?? 0) + 1
    }

    @Test(
        "sections, ranges and updates are random → the working range is that of a count of single items",
        arguments: 0..<4)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed &+ 77)
        for _ in 0..<60 {
            var counts = (0..<Int.random(in: 1...12, using: &random)).map { _ in Int.random(in: 0...4, using: &random) }
            let places = counts.enumerated().flatMap { section, count in
                (0..<count).map { IndexPath(section: section, item: $0) }
            }
            guard !places.isEmpty else { continue }
            let list = try Self.list(counts)
            let (lead, trail) = (Int.random(in: 0...9, using: &random), Int.random(in: 0...9, using: &random))
            var options = ListViewOptions()
            options.layout = ListLayoutKind.none
            (options.lead, options.trail, options.workingRangeUnit) = (lead, trail, .items)
            try list.adapter.openView(1, options: options)
            let begin = Int.random(in: places.indices, using: &random)
            let (first, last) = (places[begin], places[Int.random(in: begin..<places.count, using: &random)])
            _ = try list.adapter.setVisibleRange(view: 1, first: first, last: last)
            var expected = expectedSections(counts, from: first, through: last, trail: trail, lead: lead)
            #expect(try list.adapter.viewDescription(1).workingRange == expected)
            counts.append(3)
            try list.perform(
                .applyChanges(removed: [], upserts: [.init(try Self.object("new", 3), position: .last)]))
            expected = expectedSections(counts, from: first, through: last, trail: trail, lead: lead)
            #expect(try list.adapter.viewDescription(1).workingRange == expected)
        }
    }

    /// The items of a list, with names that stay when items move.
    private struct Photographs {
        var objects: [(id: String, items: [String])] = []
        private var last = 0

        mutating func newName() -> String {
            last += 1
            return "i\(last)"
        }

        /// Makes up to three random changes.
        mutating func change(using random: inout SeededRandom) {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0...objects.count, using: &random)
                guard place < objects.count, Int.random(in: 0..<4, using: &random) > 0 else {
                    let count = Int.random(in: 0...6, using: &random)
                    objects.insert((newName(), (0..<count).map { _ in newName() }), at: place)
                    continue
                }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: objects.remove(at: place)
                case 1: objects.swapAt(place, Int.random(in: objects.indices, using: &random))
                case 2: objects[place].items.shuffle(using: &random)
                case 3 where !objects[place].items.isEmpty:
                    objects[place].items.remove(at: Int.random(in: objects[place].items.indices, using: &random))
                default:
                    let item = Int.random(in: 0...objects[place].items.count, using: &random)
                    objects[place].items.insert(newName(), at: item)
                }
            }
        }

        var all: [String] { objects.flatMap { object in object.items.map { "\(object.id)/\($0)" } } }

        func name(of item: ItemReference) -> String? {
            guard objects.indices.contains(item.section), objects[item.section].id == item.objectID,
                objects[item.section].items.indices.contains(item.item)
            else { return nil }
            return "\(item.objectID)/\(objects[item.section].items[item.item])"
        }

        func made() throws -> [ListObject] {
            try objects.map { object in
                let items = object.items.map { Value(["id": .string($0), "height": 10.0]) }
                return try ListObject(
                    id: object.id, type: "binding", fields: ["items": .array(element: "a{sv}", items)])
            }
        }
    }

    @Test(
        "lists, viewports and updates are random → the items that entered and exited are those around the visible ones",
        .rule("DT-05"), arguments: 0..<8)
    func itemsThatEnterAndExit(seed: UInt64) throws {
        var random = SeededRandom(seed: seed &+ 4711)
        let list = try Self.list([])
        var options = ListViewOptions()
        options.layout = seed % 2 == 0 ? ListLayoutKind.none : .flow
        (options.buffer, options.workingRangeUnit) = (0, .items)
        (options.trail, options.lead) = (Int.random(in: 0...7, using: &random), Int.random(in: 0...7, using: &random))
        try list.adapter.openView(1, options: options)
        var (present, near) = (Photographs(), Set<String>())
        for step in 0..<200 {
            let before = present
            if Int.random(in: 0..<3, using: &random) > 0 || step == 0 {
                present.change(using: &random)
                try list.update(try present.made())
            } else if options.layout == .flow {
                let rect = Rect(x: 0, y: Double.random(in: 0...200, using: &random), width: 100, height: 45)
                list.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect))
            } else {
                let first = IndexPath(section: Int.random(in: 0...6, using: &random), item: 0)
                let last = IndexPath(section: first.section + 1, item: 2)
                list.receive(try list.adapter.setVisibleRange(view: 1, first: first, last: last))
            }
            for case .workingRange(let change) in list.takeEvents() {
                for item in change.itemsDidExit { #expect(before.name(of: item).flatMap { near.remove($0) } != nil) }
                for item in change.itemsWillEnter {
                    #expect(present.name(of: item).map { near.insert($0).inserted } == true)
                }
            }
            let shown = try #require(list.adapter.presentation.views.view(1)).elements.filter { $0.key.kind == .cell }
            let all = present.all
            var expected: Set<String> = []
            if let first = shown.first, let last = shown.last {
                let counts = present.objects.map(\.items.count)
                let begin = counts[..<first.section].reduce(first.key.index, +)
                let end = counts[..<last.section].reduce(last.key.index, +)
                let range = max(0, begin - (options.trail ?? 0))...min(all.count - 1, end + (options.lead ?? 0))
                expected = Set(all[range])
            }
            #expect(near == expected, "step \(step)")
        }
        list.receive(try list.adapter.closeView(1))
        for case .workingRange(let change) in list.takeEvents() { #expect(change.itemsDidExit.count == near.count) }
    }

    @Test("a section's header sticks to the edge → items are counted from the first visible one, not from the header")
    func stickyHeader() throws {
        let list = TestHost(
            [try Self.object("o", 100, ["header": Value(["height": 20.0])])], names: ["binding": "listd/binding"]
        ) { $0.stickyHeaders = true }
        var options = ListViewOptions()
        (options.buffer, options.lead, options.trail, options.workingRangeUnit) = (0, 2, 2, .items)
        try list.adapter.openView(1, options: options)
        list.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 520, width: 100, height: 50)))
        var entered: [Int] = []
        for case .workingRange(let change) in list.takeEvents() { entered += change.itemsWillEnter.map(\.item) }
        #expect(entered == Array(48...56))
    }

    @Test("the adapter has a working range of its own → it is counted in items too, and clamped to the list")
    func adaptersRange() throws {
        let list = try Self.list([2, 0, 1, 5, 1, 2], 2)
        var options = ListViewOptions()
        options.layout = ListLayoutKind.none
        options.workingRangeUnit = .items
        try list.adapter.openView(1, options: options)
        let item = IndexPath(section: 3, item: 0)
        _ = try list.adapter.setVisibleRange(view: 1, first: item, last: item)
        // The two items before are the item of section 2 and the last item of section 0; the section between them
        // is empty.
        #expect(try list.adapter.viewDescription(1).workingRange == 0..<4)
        (options.lead, options.trail) = (.max, .max)
        try list.adapter.openView(2, options: options)
        _ = try list.adapter.setVisibleRange(view: 2, first: item, last: item)
        #expect(try list.adapter.viewDescription(2).workingRange == 0..<6)
    }

    @Test("only a header or footer is visible → the working range has the items before and after this element")
    func supplementary() throws {
        let more: [String: Value] = ["header": Value(["height": 20.0]), "footer": Value(["height": 20.0])]
        let list = TestHost(
            try [3, 3, 3, 3].enumerated().map { try Self.object("o\($0)", $1, more) },
            names: ["binding": "listd/binding"])
        var options = ListViewOptions()
        (options.buffer, options.lead, options.trail, options.workingRangeUnit) = (0, 1, 1, .items)
        try list.adapter.openView(1, options: options)
        // Each section has a header of 20, items of 30 and a footer of 20.
        for (y, range) in [(75.0, 0..<2), (125.0, 1..<3), (90.0, 0..<2), (5.0, 0..<1), (275.0, 3..<4)] {
            _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: 10))
            #expect(try list.adapter.viewDescription(1).workingRange == range, "\(y)")
        }
    }
}

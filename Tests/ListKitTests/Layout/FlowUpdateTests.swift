// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Flow layout: incremental changes", .rule("CV-01...CV-10", "LY-26", "LY-41", "LY-42"))
struct FlowUpdateTests {
    @Test(
        "random transactions change few items in many sections → the incremental layout equals a new layout",
        arguments: FlowReferenceTests.Situation.all)
    func randomTransactions(_ situation: FlowReferenceTests.Situation) {
        for (seed, size) in [0, 3, 70, 500].enumerated() {
            var generator = SeededGenerator(seed: seed)
            let configuration = situation.configuration(&generator)
            var sections = RandomSections(situation.character, seed: seed)
            var list = sections.list(size)
            let container = Size(width: 100, height: 100)
            var layout = FlowLayout(configuration)
            layout.prepare(list, container: container)
            for step in 0..<4 {
                let changes = list.change(upTo: [1, 3, 6, 2][step], &sections)
                layout.update(changes, source: list)
                let naive = NaiveFlow(list, configuration, container: container)
                expectSame(layout, naive, "seed \(seed), step \(step): \(changes)")
                expectSameWindows(5, layout, naive, &generator, "seed \(seed), step \(step)")
            }
        }
    }

    @Test(
        "all sections of a small list are deleted, and those of another list inserted → the layout equals a new layout")
    func everySmallPair() {
        let kinds = [
            TestSection(items: [.of(100, 10)]), TestSection(items: [.of(30, 20), .of(30, 5)], header: 7),
            TestSection(header: 5, footer: 5),
        ]
        let lists = (0...4).flatMap { length in
            (0..<[1, 3, 9, 27, 81][length]).map { code in
                (0..<length).map { (code / [1, 3, 9, 27][$0]) % 3 }
            }
        }
        let configuration = LayoutConfiguration(showHeaderWhenEmpty: true)
        let container = Size(width: 100, height: 100)
        // The list needs this many unchanged sections for the layout to edit the changed sections in place.
        let rest = Array(repeating: kinds[0], count: 256)
        let window = Rect(x: 0, y: 0, width: 100, height: 10_000)
        let fresh = lists.map { kindNumbers -> (TestList, FlowLayout, [LayoutAttributes]) in
            let list = TestList(sections: kindNumbers.map { kinds[$0] } + rest)
            var layout = FlowLayout(configuration)
            layout.prepare(list, container: container)
            return (list, layout, layout.attributes(in: window, origin: .zero))
        }
        var wrong: [String] = []
        for (old, before) in zip(lists, fresh) {
            for (new, after) in zip(lists, fresh) where new.count <= 2 {
                var layout = before.1
                layout.update(
                    LayoutChanges(deletes: Array(old.indices), inserts: Array(new.indices)), source: after.0)
                if layout.attributes(in: window, origin: .zero) != after.2 { wrong.append("\(old) → \(new)") }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test(
        "changes contradict each other → the list is laid out again in full", .rule("LY-48"),
        arguments: [
            LayoutChanges(), LayoutChanges(deletes: [0, 1, 2]), LayoutChanges(inserts: [-1, 500, Int.max]),
            LayoutChanges(deletes: [Int.min, 3, 3]), LayoutChanges(moves: [.init(from: 0, to: 900)]),
        ])
    func changesThatDoNotAddUp(_ changes: LayoutChanges) {
        var sections = RandomSections(.grid, seed: 1)
        var list = sections.list(300)
        var layout = FlowLayout(LayoutConfiguration())
        layout.prepare(list, container: Size(width: 100, height: 100))
        list.sections.append(sections.section())
        layout.update(changes, source: list)
        expectSame(
            layout, NaiveFlow(list, LayoutConfiguration(), container: Size(width: 100, height: 100)), "\(changes)")
    }

    @Test("a layout is copied before each change → each copy still has the layout of the former list")
    func copiesKeptOverChanges() {
        var sections = RandomSections(.large, seed: 4)
        var list = sections.list(300)
        let container = Size(width: 100, height: 100)
        var layout = FlowLayout(LayoutConfiguration())
        layout.prepare(list, container: container)
        var kept: [(FlowLayout, TestList)] = []
        for _ in 0..<4 {
            kept.append((layout, list))
            layout.update(list.change(upTo: 2, &sections), source: list)
        }
        for (layout, list) in kept + [(layout, list)] {
            expectSame(layout, NaiveFlow(list, LayoutConfiguration(), container: container), "\(list.sections.count)")
        }
    }

    @Test(
        "sizes are measured one by one → the layout equals the reference with the measured sizes",
        arguments: [
            RandomSections.Character.rows, .grid, .large,
        ])
    func measuredSizes(_ character: RandomSections.Character) {
        for seed in 0..<4 {
            var sections = RandomSections(character, seed: seed)
            var list = sections.list(150)
            let configuration = LayoutConfiguration(scale: seed % 2 == 0 ? 0 : 2)
            var layout = FlowLayout(configuration)
            layout.prepare(list, container: Size(width: 100, height: 100))
            for _ in 0..<10 {
                var paths = [IndexPath(section: -1, item: 0), IndexPath(section: 9999, item: 0)]
                for _ in 0..<3 {
                    let section = Int.random(in: 0..<150, using: &sections.generator)
                    guard !list.sections[section].items.isEmpty else { continue }
                    let item = Int.random(in: list.sections[section].items.indices, using: &sections.generator)
                    list.sections[section].items[item] = .of(sections.generator.quarters(0...300), 33.25)
                    list.sections[section].reportsUniformSize = false
                    paths.append(IndexPath(section: section, item: item))
                    paths.append(IndexPath(section: section, item: 100_000))
                }
                layout.resize(paths, source: list)
            }
            let naive = NaiveFlow(list, configuration, container: Size(width: 100, height: 100))
            expectSame(layout, naive, "seed \(seed)")
        }
    }
}

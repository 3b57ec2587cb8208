// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Flow layout: runs of equal sections, and sections of many items")
struct FlowRunTests {
    /// A layout source that reports runs of equal sections.
    private struct RunList: LayoutSource {
        let list: TestList

        var numberOfSections: Int { list.numberOfSections }
        func metrics(forSection section: Int) -> SectionMetrics { list.metrics(forSection: section) }
        func sizeForItem(at path: IndexPath) -> Size { list.sizeForItem(at: path) }
        func placementOfItem(at path: IndexPath) -> ItemPlacement { list.placementOfItem(at: path) }

        func run(fromSection section: Int) -> SectionRun {
            let rest = list.sections[section...]
            let count = rest.prefix { $0 == rest.first }.count
            return SectionRun(metrics: metrics(forSection: section), count: count)
        }
    }

    private static func section(_ generator: inout SeededGenerator) -> TestSection {
        let size = Size.of(Double([100, 50, 33, 7].randomElement(using: &generator) ?? 100), 10)
        let count = [0, 1, 1, 2, 5, 63, 64, 65, 200].randomElement(using: &generator) ?? 1
        return TestSection(
            items: Array(repeating: size, count: count), inset: EdgeInsets(top: 1, left: 0, bottom: 2, right: 0),
            header: generator.chance(oneIn: 4) ? 5 : 0, reportsUniformSize: true)
    }

    @Test(
        "equal sections are reported as runs → the layout is the same as when each section is reported separately",
        arguments: 0..<12)
    func runs(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var sections: [TestSection] = []
        for _ in 0..<6 {
            let length = [1, 2, 63, 64, 65, 130, 300].randomElement(using: &generator) ?? 1
            sections += Array(repeating: FlowRunTests.section(&generator), count: length)
        }
        let list = TestList(sections: sections)
        let configuration = LayoutConfiguration(
            direction: seed % 2 == 0 ? .vertical : .horizontal, showHeaderWhenEmpty: seed % 3 == 0,
            scale: Double(seed % 4))
        let container = Size(width: 100, height: 100)
        var (inRuns, single) = (FlowLayout(configuration), FlowLayout(configuration))
        inRuns.prepare(RunList(list: list), container: container)
        single.prepare(list, container: container)
        #expect(inRuns.contentSize == single.contentSize && inRuns.numberOfSections == sections.count)
        let all = Rect(x: 0, y: 0, width: 1e6, height: 1e6)
        #expect(inRuns.attributes(in: all, origin: .zero) == single.attributes(in: all, origin: .zero))
        // Changes of sections that were laid out as a run.
        var changed = list
        changed.sections.remove(at: sections.count / 2)
        inRuns.update(LayoutChanges(deletes: [sections.count / 2]), source: RunList(list: changed))
        single.prepare(changed, container: container)
        #expect(inRuns.attributes(in: all, origin: .zero) == single.attributes(in: all, origin: .zero))
    }

    @Test("a run has less than one section, or more sections than exist → it is clamped")
    func wrongRuns() {
        struct Boaster: LayoutSource {
            let count: Int
            var numberOfSections: Int { 3 }
            func metrics(forSection section: Int) -> SectionMetrics {
                SectionMetrics(itemCount: 1, uniformItemSize: .of(10, 10))
            }
            func sizeForItem(at path: IndexPath) -> Size { .of(10, 10) }
            func placementOfItem(at path: IndexPath) -> ItemPlacement { ItemPlacement(frame: .zero) }
            func run(fromSection section: Int) -> SectionRun {
                SectionRun(metrics: metrics(forSection: section), count: count)
            }
        }
        for count in [Int.min, -1, 0, 3, 4, Int.max] {
            var layout = FlowLayout(LayoutConfiguration())
            layout.prepare(Boaster(count: count), container: Size(width: 10, height: 100))
            #expect(layout.numberOfSections == 3 && layout.contentSize.height == 30)
        }
    }

    @Test(
        "large sections are added, removed and resized among small sections → the layout equals a new layout",
        arguments: 0..<8)
    func largeSections(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        func section(_ count: Int) -> TestSection {
            TestSection(
                items: (0..<count).map { _ in
                    .of(generator.quarters(40...200), generator.quarters(20...56))
                },
                header: generator.chance(oneIn: 3) ? 4 : 0)
        }
        func any() -> TestSection { section([0, 1, 3, 100, 129, 300].randomElement(using: &generator) ?? 1) }
        var list = TestList(sections: (0..<150).map { $0 % 40 == 7 ? any() : section(1) })
        let container = Size(width: 100, height: 100)
        var layout = FlowLayout(LayoutConfiguration())
        layout.prepare(list, container: container)
        for step in 0..<25 {
            let place = Int.random(in: 0..<list.sections.count, using: &generator)
            let changes: LayoutChanges
            switch step % 4 {
            case 0:
                list.sections.insert(any(), at: place)
                changes = LayoutChanges(inserts: [place])
            case 1:
                list.sections.remove(at: place)
                changes = LayoutChanges(deletes: [place])
            case 2:
                list.sections[place] = any()
                changes = LayoutChanges(reloads: [place])
            default:
                list.sections.insert(contentsOf: [section(1), section(200), section(2)], at: place)
                changes = LayoutChanges(inserts: [place, place + 1, place + 2])
            }
            layout.update(changes, source: list)
            let naive = NaiveFlow(list, LayoutConfiguration(), container: container)
            expectSame(layout, naive, "seed \(seed), step \(step): \(changes)")
        }
        while list.sections.count > 3 {
            list.sections.removeFirst()
            layout.update(LayoutChanges(deletes: [0]), source: list)
        }
        expectSame(layout, NaiveFlow(list, LayoutConfiguration(), container: container), "seed \(seed), three left")
    }
}

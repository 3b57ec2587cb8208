// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("Layouts: infinite, huge and invalid numbers")
struct HostileNumberTests {
    static let numbers: [Double] = [
        .nan, .infinity, -.infinity, 1e308, -1e308, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e18, -1e18, -1,
        -0.0, 0, 1e-9, 1, 44, 3e7, 1e12,
    ]

    /// Creates a list in which every length may be one of the hostile numbers.
    private func list(_ count: Int, _ generator: inout SeededGenerator) -> TestList {
        func number() -> Double { Self.numbers.randomElement(using: &generator) ?? 0 }
        return TestList(
            sections: (0..<count).map { _ in
                var section = TestSection(
                    items: (0..<Int.random(in: 0...5, using: &generator)).map { _ in .of(number(), number()) })
                section.inset = EdgeInsets(top: number(), left: number(), bottom: number(), right: number())
                section.lineSpacing = number()
                section.interitemSpacing = number()
                section.header = number()
                section.footer = number()
                section.placements = section.items.map { size in
                    ItemPlacement(
                        frame: Rect(origin: Point(x: number(), y: number()), size: size), zIndex: .max)
                }
                return section
            })
    }

    @Test(
        "the flow layout gets infinite, huge or invalid numbers → frames are finite, and changes equal a new layout",
        arguments: 0..<20)
    func flow(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        func number() -> Double { Self.numbers.randomElement(using: &generator) ?? 0 }
        let configuration = LayoutConfiguration(
            direction: seed % 2 == 0 ? .vertical : .horizontal, stickyHeaders: generator.chance(oneIn: 2),
            topContentInset: number(), stickyHeaderOffset: number(), stretchToEdge: generator.chance(oneIn: 2),
            showHeaderWhenEmpty: generator.chance(oneIn: 2),
            contentInset: EdgeInsets(top: number(), left: number(), bottom: number(), right: number()), scale: number())
        let container = Size(width: number(), height: number())
        var list = list(400, &generator)
        var layout = FlowLayout(configuration)
        layout.prepare(list, container: container)
        for step in 0..<6 {
            expectFinite(layout, list, "seed \(seed), step \(step)")
            let place = Int.random(in: 0..<400, using: &generator)
            list.sections.remove(at: place)
            list.sections.append(self.list(1, &generator).sections[0])
            layout.update(LayoutChanges(deletes: [place], inserts: [399]), source: list)
        }
        var fresh = FlowLayout(configuration)
        fresh.prepare(list, container: container)
        let all = Rect(x: -1e300, y: -1e300, width: .infinity, height: .infinity)
        #expect(layout.attributes(in: all, origin: .zero) == fresh.attributes(in: all, origin: .zero))
        #expect(layout.contentSize == fresh.contentSize)
    }

    @Test(
        "the absolute layout gets infinite, huge or invalid numbers → its frames are finite, and empty for NaN",
        arguments: 0..<10
    )
    func absolute(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var list = list(200, &generator)
        var layout = AbsoluteLayout(direction: seed % 2 == 0 ? .vertical : .horizontal)
        layout.prepare(list, container: .zero)
        for step in 0..<6 {
            expectFinite(layout, list, "seed \(seed), step \(step)")
            let place = Int.random(in: 0..<200, using: &generator)
            list.sections.remove(at: place)
            list.sections.append(self.list(1, &generator).sections[0])
            layout.update(LayoutChanges(deletes: [place], inserts: [199]), source: list)
        }
    }

    private func expectFinite(_ layout: some ListLayout, _ list: TestList, _ comment: Comment) {
        func isFinite(_ rect: Rect) -> Bool {
            rect.minX.isFinite && rect.minY.isFinite && rect.maxX.isFinite && rect.maxY.isFinite
                && rect.size.width >= 0 && rect.size.height >= 0
        }
        #expect(layout.contentSize.width.isFinite && layout.contentSize.height.isFinite, comment)
        for section in stride(from: 0, to: list.sections.count, by: 9) {
            let content = list.sections[section]
            let frames =
                content.items.indices.map { layout.attributes(ofItem: IndexPath(section: section, item: $0))?.frame }
                + [ElementKind.header, .footer].compactMap { layout.attributes(of: $0, section: section)?.frame }
            #expect(frames.allSatisfy { $0.map(isFinite) == true }, comment)
        }
        for edge in Self.numbers {
            let window = Rect(x: edge, y: -edge, width: abs(edge), height: abs(edge))
            let found = layout.attributes(in: window, origin: Point(x: edge, y: edge))
            #expect(found.allSatisfy { isFinite($0.frame) }, comment)
            _ = layout.item(at: Point(x: edge, y: edge))
            _ = layout.sections(in: window)
        }
    }

    @Test(
        "item counts are out of range → they are clamped to the layout's limits",
        arguments: [
            (Int.min, 0), (-1, 0), (3, 3), (Int.max, SectionMetrics.maximumItemCount),
        ])
    func itemCounts(_ claimed: Int, _ expected: Int) {
        struct Source: LayoutSource {
            let count: Int
            var numberOfSections: Int { 1 }
            func metrics(forSection section: Int) -> SectionMetrics {
                SectionMetrics(itemCount: count, uniformItemSize: .zero)
            }
            func sizeForItem(at path: IndexPath) -> Size { .zero }
            func placementOfItem(at path: IndexPath) -> ItemPlacement { ItemPlacement(frame: .zero) }
        }
        let rules = FlowRules(LayoutConfiguration(), container: .zero)
        let answer = CheckedSectionMetrics(section: 0, source: Source(count: claimed), rules: rules)
        #expect(answer.itemCount == expected)
    }

    @Test("the number of sections is negative → the list is empty")
    func negativeSections() {
        struct Source: LayoutSource {
            var numberOfSections: Int { -5 }
            func metrics(forSection section: Int) -> SectionMetrics { SectionMetrics(itemCount: 1) }
            func sizeForItem(at path: IndexPath) -> Size { .zero }
            func placementOfItem(at path: IndexPath) -> ItemPlacement { ItemPlacement(frame: .zero) }
        }
        for kind in ListLayoutKind.allCases {
            var layout = kind.makeLayout(LayoutConfiguration())
            layout.prepare(Source(), container: .zero)
            layout.update(LayoutChanges(deletes: [0], inserts: [0], reloads: [0]), source: Source())
            #expect(layout.numberOfSections == 0)
        }
    }

    @Test("the content is longer than the maximum → its positions are clamped, in ascending order")
    func endlessContent() {
        let huge = TestSection(items: [.of(100, 1e300)])
        var layout = FlowLayout(LayoutConfiguration())
        layout.prepare(TestList(sections: Array(repeating: huge, count: 80_000)), container: .of(100, 100))
        let starts = [0, 1, 1000, 60_000, 79_999].compactMap {
            layout.attributes(ofItem: IndexPath(section: $0, item: 0))?.frame.minY
        }
        #expect(starts.count == 5 && starts == starts.sorted() && layout.contentSize.height.isFinite)
    }
}

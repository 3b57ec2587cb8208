// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Absolute layout (LazyScrollView)")
struct AbsoluteLayoutTests {
    /// The arrangement of a list's items.
    enum Arrangement: CaseIterable {
        /// Items one after the other.
        case rows
        /// Items at any position, of any size, some of them empty.
        case scattered
        /// Many items at the same position.
        case stacked
        /// Small items, and a few that are as long as the whole content.
        case backgrounds

        func placement(_ number: Int, _ generator: inout SeededGenerator) -> ItemPlacement {
            let zIndex = generator.chance(oneIn: 3) ? Int.random(in: -2...2, using: &generator) : 0
            switch self {
            case .rows: return ItemPlacement(frame: Rect(x: 0, y: Double(number) * 10, width: 100, height: 10))
            case .scattered:
                let (x, y) = (generator.quarters(-400...4000), generator.quarters(-400...40_000))
                let frame = Rect(x: x, y: y, width: generator.quarters(0...400), height: generator.quarters(0...400))
                return ItemPlacement(frame: frame, zIndex: zIndex)
            case .stacked:
                let y = Double(Int.random(in: 0...3, using: &generator)) * 1000.1
                return ItemPlacement(frame: Rect(x: 0, y: y, width: 33.3, height: 7.7), zIndex: zIndex)
            case .backgrounds:
                if generator.chance(oneIn: 50) {
                    return ItemPlacement(frame: Rect(x: 0, y: 0, width: 100, height: 9000), zIndex: -1)
                }
                return ItemPlacement(frame: Rect(x: 5, y: generator.quarters(0...36_000), width: 9.9, height: 9.9))
            }
        }
    }

    /// Generates random sections for ``TestList/change(upTo:_:)``.
    struct Placements: SectionMaker {
        let arrangement: Arrangement
        var generator: SeededGenerator
        private var number = 0

        init(_ arrangement: Arrangement, seed: Int) {
            self.arrangement = arrangement
            generator = SeededGenerator(seed: seed)
        }

        mutating func section() -> TestSection {
            let count = generator.chance(oneIn: 40) ? 300 : generator.chance(oneIn: 4) ? 3 : 1
            return TestSection(
                placements: (0..<(generator.chance(oneIn: 20) ? 0 : count)).map { _ in
                    number += 1
                    return arrangement.placement(number, &generator)
                })
        }
    }

    @Test(
        "random lists get transactions → every query equals a check of all frames",
        arguments: Arrangement.allCases, [ScrollDirection.vertical, .horizontal])
    func randomTransactions(_ arrangement: Arrangement, _ direction: ScrollDirection) {
        for (seed, size) in [0, 4, 150, 400].enumerated() {
            var maker = Placements(arrangement, seed: seed)
            var list = TestList(sections: (0..<size).map { _ in maker.section() })
            var layout = AbsoluteLayout(direction: direction)
            layout.prepare(list, container: Size(width: 100, height: 100))
            expectSame(layout, list, &maker.generator, "seed \(seed)")
            for step in 0..<8 {
                layout.update(list.change(upTo: [1, 3, 8, 2][step % 4], &maker), source: list)
                expectSame(layout, list, &maker.generator, "seed \(seed), step \(step)")
            }
        }
    }

    @Test("placements of single items change → every query equals a check of the changed frames")
    func resizedItems() {
        var maker = Placements(.scattered, seed: 3)
        var list = TestList(sections: (0..<200).map { _ in maker.section() })
        var layout = AbsoluteLayout(direction: .vertical)
        layout.prepare(list, container: .zero)
        for _ in 0..<20 {
            var paths = [IndexPath(section: 0, item: -1), IndexPath(section: 200, item: 0)]
            for _ in 0..<5 {
                let section = Int.random(in: 0..<200, using: &maker.generator)
                guard let item = list.sections[section].placements.indices.randomElement(using: &maker.generator) else {
                    continue
                }
                list.sections[section].placements[item] = Arrangement.scattered.placement(0, &maker.generator)
                paths.append(IndexPath(section: section, item: item))
            }
            layout.resize(paths, source: list)
            expectSame(layout, list, &maker.generator, "resized")
        }
    }

    @Test("items overlap → they are ordered by z, then by path, and a hit test finds the topmost item")
    func order() {
        let frame = Rect(x: 0, y: 0, width: 10, height: 10)
        let list = TestList(sections: [
            TestSection(placements: [ItemPlacement(frame: frame, zIndex: 1), ItemPlacement(frame: frame)]),
            TestSection(placements: [ItemPlacement(frame: frame), ItemPlacement(frame: frame, zIndex: -1)]),
        ])
        var layout = AbsoluteLayout(direction: .vertical)
        layout.prepare(list, container: .zero)
        let paths = layout.attributes(in: frame, origin: .zero).map(\.path)
        #expect(
            paths == [
                IndexPath(section: 1, item: 1), IndexPath(section: 0, item: 1), IndexPath(section: 1, item: 0),
                IndexPath(section: 0, item: 0),
            ])
        #expect(layout.item(at: Point(x: 9, y: 9)) == IndexPath(section: 0, item: 0))
        #expect(layout.item(at: Point(x: 10, y: 9)) == nil)
        #expect(layout.sections(in: frame) == 0...1)
        #expect(layout.sections(in: Rect(x: 10, y: 0, width: 5, height: 5)) == nil)
        #expect(layout.attributes(of: .header, section: 0) == nil)
    }

    private func expectSame(
        _ layout: some ListLayout, _ list: TestList, _ generator: inout SeededGenerator, _ comment: Comment
    ) {
        let all = list.sections.enumerated().flatMap { section, content in
            content.placements.enumerated().map { item, placement in
                LayoutAttributes(
                    path: IndexPath(section: section, item: item), kind: .cell, frame: placement.frame,
                    zIndex: placement.zIndex)
            }
        }
        let visible = all.filter { $0.frame.hasArea }
        #expect(layout.numberOfSections == list.sections.count, comment)
        #expect(layout.contentSize.width == visible.map(\.frame.maxX).reduce(0, max), comment)
        #expect(layout.contentSize.height == visible.map(\.frame.maxY).reduce(0, max), comment)
        let sample = all.shuffled(using: &generator).prefix(20)
        #expect(sample.allSatisfy { layout.attributes(ofItem: $0.path) == $0 }, comment)
        for section in stride(from: 0, to: list.sections.count, by: 17) {
            let count = list.sections[section].placements.count
            #expect(layout.itemCount(ofSection: section) == count, comment)
            #expect(layout.attributes(ofItem: IndexPath(section: section, item: count)) == nil, comment)
        }
        let everything = Rect(x: -1e9, y: -1e9, width: 2e9, height: 2e9)
        let windows =
            [everything]
            + (0..<6).map { _ in
                Rect(
                    x: generator.quarters(-400...4000), y: generator.quarters(-400...40_000),
                    width: generator.quarters(0...2000), height: generator.quarters(0...2000))
            }
        for window in windows {
            let expected = visible.filter { $0.frame.intersects(window) }
                .sorted { ($0.zIndex, $0.path) < ($1.zIndex, $1.path) }
            #expect(layout.attributes(in: window, origin: .zero) == expected, comment)
        }
    }
}

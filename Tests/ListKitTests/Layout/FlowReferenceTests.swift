// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Flow layout against a reference implementation")
struct FlowReferenceTests {
    /// The kind of sections and the settings of a comparison.
    struct Situation: Sendable, CustomTestStringConvertible {
        let character: RandomSections.Character
        let direction: ScrollDirection
        let scale: Double
        let stretches: Bool

        var testDescription: String {
            "\(character), \(direction), scale \(scale)\(stretches ? ", stretched" : "")"
        }

        func configuration(_ generator: inout SeededGenerator) -> LayoutConfiguration {
            LayoutConfiguration(
                direction: direction, stickyHeaders: generator.chance(oneIn: 2),
                topContentInset: generator.quarters(-40...40),
                stickyHeaderOffset: generator.quarters(-40...40), stretchToEdge: stretches,
                showHeaderWhenEmpty: generator.chance(oneIn: 2),
                contentInset: EdgeInsets(
                    top: generator.quarters(0...20), left: generator.quarters(0...20),
                    bottom: generator.quarters(0...20),
                    right: generator.quarters(0...20)), scale: scale)
        }

        static let all = RandomSections.Character.allCases.flatMap { character in
            [ScrollDirection.vertical, .horizontal].flatMap { direction in
                [(0.0, false), (0, true), (1, false), (2, true), (3, false)].map {
                    Situation(character: character, direction: direction, scale: $0.0, stretches: $0.1)
                }
            }
        }
    }

    @Test(
        "random lists are laid out → frames, content size and visible windows equal the reference",
        .rule("LY-46", "LY-49...LY-51"),
        arguments: Situation.all)
    func randomLists(_ situation: Situation) {
        for seed in 0..<6 {
            var generator = SeededGenerator(seed: seed)
            let configuration = situation.configuration(&generator)
            var sections = RandomSections(situation.character, seed: seed)
            let list = sections.list([0, 1, 5, 40, 150, 300][seed])
            let container = Size(width: 100, height: 100)
            var layout = FlowLayout(configuration)
            layout.prepare(list, container: container)
            let naive = NaiveFlow(list, configuration, container: container)
            expectSame(layout, naive, "seed \(seed)")
            expectSameWindows(20, layout, naive, &generator, "seed \(seed)")
        }
    }

    @Test(
        "sizes are not whole pixels → they are rounded with 32-bit floats like in IGListKit, at each scale",
        .rule("LY-51"),
        arguments: [1.0, 2, 3], [1.0, 0.4, 4.0 / 3, 4.0 / 7, 4.0 / 9])
    func pixels(scale: Double, factor: Double) {
        #expect(wrongFrameCount(scale: scale, factor: factor, rounding: .singlePrecision) == 0)
    }

    @Test(
        "a reference rounds with 64 bits → frames are equal at scales 1 and 2, and some differ at scale 3",
        .rule("LY-51")
    )
    func lostPixels() {
        let wrong = [1.0, 2, 3].map { wrongFrameCount(scale: $0, factor: 1, rounding: .doublePrecision) }
        #expect(wrong[0] == 0 && wrong[1] == 0 && wrong[2] > 0)
    }

    /// Returns the number of items whose frames differ from those of a reference with this rounding. Sizes are
    /// multiples of a quarter of `factor`.
    private func wrongFrameCount(scale: Double, factor: Double, rounding: NaiveFlow.Rounding) -> Int {
        let configuration = LayoutConfiguration(scale: scale)
        // No sum of sizes equals this width, so that rounding errors do not decide where a row ends. No coordinate
        // is below 0, where 32 bits would keep the rounding errors.
        let container = Size(width: 103.45671, height: 100)
        var wrong = 0
        for (character, seed) in zip([RandomSections.Character.rows, .grid, .grid, .rows, .grid, .grid], 0...) {
            var sections = RandomSections(character, seed: seed)
            let list = sections.list(100).multiplied(by: factor)
            var layout = FlowLayout(configuration)
            layout.prepare(list, container: container)
            let naive = NaiveFlow(list, configuration, container: container, rounding: rounding)
            for (section, expected) in naive.sections.enumerated() {
                for (item, frame) in expected.items.enumerated() {
                    let found = layout.attributes(ofItem: IndexPath(section: section, item: item))?.frame
                    if !near(found, frame) { wrong += 1 }
                }
            }
        }
        return wrong
    }
}

/// Compares all frames of a layout with the naive ones, by one query for all and a sample of queries for single
/// items.
func expectSame(_ layout: some ListLayout, _ naive: NaiveFlow, _ comment: Comment) {
    #expect(layout.numberOfSections == naive.sections.count, comment)
    #expect(near(layout.contentSize, naive.contentSize), comment)
    let all = Rect(x: -1e9, y: -1e9, width: 2e9, height: 2e9)
    #expect(isSame(layout, naive, all, .zero), comment)
    var wrong: [String] = []
    for section in stride(from: naive.sections.count % 3, to: naive.sections.count, by: 1 + naive.sections.count / 20) {
        let expected = naive.sections[section]
        if layout.itemCount(ofSection: section) != expected.items.count { wrong.append("count of \(section)") }
        for (item, frame) in expected.items.enumerated().suffix(6) {
            let found = layout.attributes(ofItem: IndexPath(section: section, item: item))?.frame
            if !near(found, frame) { wrong.append("item \(section).\(item)") }
        }
        for (kind, frame) in [(ElementKind.header, expected.header), (.footer, expected.footer)] {
            let found = layout.attributes(of: kind, section: section)?.frame
            if !near(found, frame.hasArea ? frame : nil) { wrong.append("\(kind) \(section)") }
        }
    }
    #expect(wrong.isEmpty, comment)
}

/// Compares queries for random windows with the naive results.
func expectSameWindows(
    _ count: Int, _ layout: some ListLayout, _ naive: NaiveFlow, _ generator: inout SeededGenerator, _ comment: Comment
) {
    let length = max(0, Int(naive.end(Rect(origin: .zero, size: naive.contentSize)) * 4))
    let isVertical = naive.configuration.direction == .vertical
    var wrong: [Rect] = []
    for _ in 0..<count {
        let offset = generator.quarters(-80...length)
        let origin = isVertical ? Point(x: 0, y: offset) : Point(x: offset, y: 0)
        // The window is off the grid, so that no frame ends exactly at its edge, where a rounding error would
        // decide.
        let window = Rect(
            x: origin.x + 0.0625, y: origin.y + 0.0625, width: generator.quarters(1...480),
            height: generator.quarters(1...480))
        if !isSame(layout, naive, window, origin) { wrong.append(window) }
    }
    #expect(wrong.isEmpty, comment)
}

private func isSame(_ layout: some ListLayout, _ naive: NaiveFlow, _ window: Rect, _ origin: Point) -> Bool {
    let found = layout.attributes(in: window, origin: origin)
    let expected = naive.attributes(in: window, origin: origin)
    guard found.count == expected.count else { return false }
    return zip(found, expected).allSatisfy {
        $0.path == $1.path && $0.kind == $1.kind && $0.zIndex == $1.zIndex && near($0.frame, $1.frame)
    }
}

/// Returns whether two frames are equal except for the rounding errors of thirds.
func near(_ first: Rect?, _ second: Rect?) -> Bool {
    guard let first, let second else { return first == second }
    return abs(first.minX - second.minX) < 1e-5 && abs(first.minY - second.minY) < 1e-5 && near(first.size, second.size)
}

func near(_ first: Size, _ second: Size) -> Bool {
    abs(first.width - second.width) < 1e-5 && abs(first.height - second.height) < 1e-5
}

extension Rect {
    /// Whether the rectangle is not empty.
    var hasArea: Bool { size.width > 0 && size.height > 0 }
}

extension TestList {
    /// Returns the list with every length multiplied.
    fileprivate func multiplied(by factor: Double) -> TestList {
        TestList(
            sections: sections.map { section in
                var section = section
                let inset = section.inset
                section.items = section.items.map { .of($0.width * factor, $0.height * factor) }
                section.inset = EdgeInsets(
                    top: inset.top * factor, left: inset.left * factor, bottom: inset.bottom * factor,
                    right: inset.right * factor)
                section.lineSpacing *= factor
                section.interitemSpacing *= factor
                section.header *= factor
                section.footer *= factor
                return section
            })
    }
}

import ListKit
import Testing

@Suite("Flow layout against a plain second writing of the algorithm")
struct FlowReferenceTests {
    /// What every comparison runs over.
    struct Situation: Sendable, CustomTestStringConvertible {
        let character: RandomSections.Character
        let direction: ScrollDirection
        let scale: Double
        let stretches: Bool

        var testDescription: String {
            "\(character), \(direction), scale \(scale)\(stretches ? ", stretched" : "")"
        }

        func configuration(_ generator: inout SeededGenerator) -> FlowConfiguration {
            FlowConfiguration(
                direction: direction, stickyHeaders: generator.once(in: 2),
                topContentInset: generator.quarters(-40...40),
                stickyHeaderOffset: generator.quarters(-40...40), stretchToEdge: stretches,
                showHeaderWhenEmpty: generator.once(in: 2),
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
        "random list → every frame, the content size and every window as in the second writing (F93–F97, LY-46, LY-49…LY-51)",
        arguments: Situation.all)
    func randomLists(_ situation: Situation) {
        for seed in 0..<12 {
            var generator = SeededGenerator(seed: seed)
            let configuration = situation.configuration(&generator)
            var sections = RandomSections(situation.character, seed: seed)
            let list = sections.list([0, 1, 5, 40, 200][seed % 5])
            let container = Size(width: 100, height: 100)
            var layout = ListLayout(.flow(configuration))
            layout.prepare(list, container: container)
            let naive = NaiveFlow(list, configuration, container: container)
            expectSame(layout, naive, "seed \(seed)")
            for _ in 0..<20 { expectSameWindow(layout, naive, &generator, "seed \(seed)") }
        }
    }
}

/// Holds every frame of a layout against the naive one.
func expectSame(_ layout: ListLayout, _ naive: NaiveFlow, _ comment: Comment) {
    #expect(layout.numberOfSections == naive.sections.count, comment)
    #expect(near(layout.contentSize, naive.contentSize), comment)
    for (section, expected) in naive.sections.enumerated() {
        #expect(layout.itemCount(ofSection: section) == expected.items.count, comment)
        for (item, frame) in expected.items.enumerated() {
            let found = layout.attributes(ofItem: IndexPath(section: section, item: item))?.frame
            #expect(near(found, frame), "\(comment): item \(section).\(item)")
        }
        let (header, footer) = (expected.header, expected.footer)
        let foundHeader = layout.attributes(of: .header, section: section)?.frame
        #expect(near(foundHeader, header.hasArea ? header : nil), "\(comment): header \(section)")
        let foundFooter = layout.attributes(of: .footer, section: section)?.frame
        #expect(near(foundFooter, footer.hasArea ? footer : nil), "\(comment): footer \(section)")
    }
}

/// Holds the answer about one random window against the naive one.
func expectSameWindow(
    _ layout: ListLayout, _ naive: NaiveFlow, _ generator: inout SeededGenerator, _ comment: Comment
) {
    let length = Int(naive.end(Rect(origin: .zero, size: naive.contentSize)) * 4)
    let origin = Point(x: generator.quarters(-80...max(0, length)), y: generator.quarters(-80...max(0, length)))
    let isVertical = naive.configuration.direction == .vertical
    let viewport = Point(x: isVertical ? 0 : origin.x, y: isVertical ? origin.y : 0)
    // An eighth off the grid, so that no frame ends exactly at an edge where dust would decide.
    let window = Rect(
        x: viewport.x + 0.0625, y: viewport.y + 0.0625, width: generator.quarters(1...480),
        height: generator.quarters(1...480))
    let found = layout.attributes(in: window, origin: viewport)
    let expected = naive.attributes(in: window, origin: viewport)
    #expect(found.map(\.path) == expected.map(\.path), "\(comment): \(window)")
    #expect(found.map(\.kind) == expected.map(\.kind), "\(comment): \(window)")
    #expect(found.map(\.zIndex) == expected.map(\.zIndex), "\(comment): \(window)")
    #expect(zip(found, expected).allSatisfy { near($0.frame, $1.frame) }, "\(comment): \(window)")
    let first = naive.sections.indices.lazy.flatMap { section in
        naive.sections[section].items.indices.map { IndexPath(section: section, item: $0) }
    }.first { naive.sections[$0.section].items[$0.item].intersects(window) }
    #expect(layout.firstItem(in: window) == first, "\(comment): \(window)")
}

/// Whether two frames are the same but for the dust of thirds.
func near(_ first: Rect?, _ second: Rect?) -> Bool {
    guard let first, let second else { return first == second }
    return abs(first.minX - second.minX) < 1e-5 && abs(first.minY - second.minY) < 1e-5 && near(first.size, second.size)
}

func near(_ first: Size, _ second: Size) -> Bool {
    abs(first.width - second.width) < 1e-5 && abs(first.height - second.height) < 1e-5
}

extension Rect {
    /// Whether the rectangle covers anything.
    var hasArea: Bool { size.width > 0 && size.height > 0 }
}

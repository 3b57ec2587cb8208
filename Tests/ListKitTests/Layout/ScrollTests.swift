// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Scrolling: scroll-to, first visible item, visibility", .rule("AD-109...AD-133"))
struct ScrollTests {
    static let cases = Result { try ScrollCase.load() }

    @Test(
        "a scroll test vector is played → offsets and first visible items are those of IGListKit",
        arguments: try cases.get().filter { $0.operations != nil })
    func operations(_ vector: ScrollCase) throws {
        let layout = vector.layout
        let isVertical = vector.direction == .vertical
        var offset = 0.0
        var (lead, trail) = (vector.contentInset?.lead ?? 0, vector.contentInset?.trail ?? 0)
        for operation in vector.operations ?? [] {
            if let inset = operation.inset { (lead, trail) = (inset[0], inset[1]) }
            if operation.op == "setOffset" {
                offset = try #require(operation.offset)
            } else if let range = try range(operation, vector, layout) {
                let target = ScrollTarget(
                    range: range, position: try #require(operation.position),
                    additionalOffset: operation.additionalOffset ?? 0)
                let size = layout.contentSize
                offset = target.offset(
                    viewport: vector.viewport,
                    content: vector.contentLength ?? (isVertical ? size.height : size.width), lead: lead, trail: trail)
            }
            let origin = isVertical ? Point(x: 0, y: offset) : Point(x: offset, y: 0)
            let inset =
                isVertical
                ? EdgeInsets(top: lead, left: 0, bottom: trail, right: 0)
                : EdgeInsets(top: 0, left: lead, bottom: 0, right: trail)
            if let expected = operation.expected.offset { #expect(offset == expected) }
            if let expected = operation.expected.firstVisible {
                let path = layout.firstVisibleItem(origin: origin, contentInset: inset)
                #expect(path == IndexPath(section: expected[0], item: expected[1]))
            }
            if let expected = operation.expected.offsetIntoFirstVisible {
                #expect(layout.offsetIntoFirstVisibleItem(origin: origin, contentInset: inset) == expected)
            }
        }
    }

    private func range(
        _ operation: ScrollCase.Operation, _ vector: ScrollCase, _ layout: FlowLayout
    ) throws -> ClosedRange<Double>? {
        guard let section = operation.section else { return nil }
        if let ranges = vector.sectionRanges { return ranges[section][0]...ranges[section][1] }
        if operation.op == "scrollToItem" {
            return layout.scrollRange(ofItem: IndexPath(section: section, item: try #require(operation.item)))
        }
        return layout.scrollRange(ofSection: section, supplementary: Set(operation.supplementary ?? []))
    }

    @Test(
        "a visibility test vector is played → the visible sections and items are those of IGListKit",
        arguments: try cases.get().filter { $0.operations == nil })
    func visibility(_ vector: ScrollCase) throws {
        let viewport = Rect(x: 0, y: try #require(vector.offset), width: 100, height: 100)
        let visible = vector.layout.attributes(in: viewport, origin: viewport.origin)
        if let sections = vector.visibleSections { #expect(Set(visible.map(\.path.section)) == Set(sections)) }
        let own = visible.filter { $0.path.section == vector.section }
        if let items = vector.visibleItems { #expect(own.map(\.path.item) == items) }
        if let count = vector.otherVisibleCount {
            #expect(visible.count { $0.path.section == vector.otherSection } == count)
        }
        if let count = vector.fullyVisibleCount {
            #expect(own.count { $0.frame.minY >= viewport.minY && $0.frame.maxY <= viewport.maxY } == count)
        }
    }

    @Test(
        "a list is empty → it has no first visible item, the offset 0, and no visible range",
        .rule("AD-119", "AD-120", "AD-129"))
    func emptyList() {
        var layout = FlowLayout(LayoutConfiguration())
        layout.prepare(TestList(sections: []), container: .of(100, 100))
        #expect(layout.firstVisibleItem(origin: .zero) == nil)
        #expect(layout.offsetIntoFirstVisibleItem(origin: .zero) == 0)
        #expect(layout.scrollRange(ofSection: 0) == nil)
        #expect(layout.scrollRange(ofItem: IndexPath(section: 0, item: 0)) == nil)
    }

    @Test(
        "sections share a column → the first visible item is the first item of the column at the edge",
        .rule("AD-126", "AD-128"))
    func sharedColumns() {
        // The nth section has n items, and a column has three items. The columns are: the first and second section |
        // the third | three items of the fourth | the last item of the fourth and two of the fifth | …
        let list = TestList(sections: (1...6).map { TestSection(items: Array(repeating: .of(100, 33), count: $0)) })
        var layout = FlowLayout(LayoutConfiguration(direction: .horizontal))
        layout.prepare(list, container: .of(100, 100))
        let leaders = [0.0, 80, 120, 350, 400, 590].map { layout.firstVisibleItem(origin: Point(x: $0, y: 0)) }
        let expected = [(0, 0), (0, 0), (2, 0), (3, 3), (4, 2), (5, 0)]
        #expect(leaders == expected.map { IndexPath(section: $0.0, item: $0.1) })
        let offsets = [0.0, 80, 120, 350, 400, 590].map {
            layout.offsetIntoFirstVisibleItem(origin: Point(x: $0, y: 0))
        }
        #expect(offsets == [0, 80, 20, 50, 0, 90])
    }

    @Test("the scroll position is none → the scroll is the smallest sufficient one, and visible items cause none")
    func nearest() {
        func offset(_ range: ClosedRange<Double>, from current: Double) -> Double {
            ScrollTarget(range: range, position: .none).offset(viewport: 100, content: 1000, current: current)
        }
        #expect(offset(250...300, from: 220) == 220)
        #expect(offset(250...300, from: 0) == 200)
        #expect(offset(250...300, from: 700) == 250)
        #expect(offset(250...450, from: 300) == 300)
        #expect(offset(250...450, from: 0) == 250)
        #expect(offset(250...450, from: 900) == 350)
        #expect(offset(0...10, from: 5000) == 0)
    }

    @Test(
        "a view scrolls to the first element, with any scroll position → the offset is 0, not -0",
        arguments: ScrollPosition.allCases)
    func positiveZero(position: ScrollPosition) {
        for (length, content) in [(44.0, 1000.0), (44, 44), (100, 100), (0, 0)] {
            for current in [nil, 0.0, -0.0] {
                let target = ScrollTarget(range: 0...length, position: position, additionalOffset: -0.0)
                let offset = target.offset(viewport: 100, content: content, current: current)
                #expect(offset == 0 && offset.sign == .plus)
            }
        }
    }
}

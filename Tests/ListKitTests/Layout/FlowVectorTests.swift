// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Flow layout: IGListKit's own cases", .rule("CV-05", "LY-01...LY-42"))
struct FlowVectorTests {
    /// The pixels per point at which IGListKit's expectations hold; 0 = without rounding.
    static let scales = [0.0, 1, 2, 3]

    @Test(
        "a test vector is laid out in full at each step → the frames are those that IGListKit expects",
        arguments: try LayoutVectors.load().cases, scales)
    func vectorInFull(_ vector: LayoutCase, scale: Double) throws {
        try run(vector, scale: scale) { layout, _, list, container in layout.prepare(list, container: container) }
    }

    @Test(
        "a test vector is laid out incrementally from step to step → the frames are those that IGListKit expects",
        arguments: try LayoutVectors.load().cases, scales)
    func vectorByChanges(_ vector: LayoutCase, scale: Double) throws {
        try run(vector, scale: scale) { layout, step, list, container in
            let moves = (step.operations?.moveSections ?? []).map { LayoutChanges.Move(from: $0[0], to: $0[1]) }
            let modified = step.operations?.didModifySection ?? []
            if layout.numberOfSections == 0 || step.container != nil {
                layout.prepare(list, container: container)
            } else {
                let reloads = step.sections == nil ? modified : Array(list.sections.indices)
                layout.update(LayoutChanges(moves: moves, reloads: reloads), source: list)
            }
        }
    }

    @Test(
        "the bounds change → the invalidation is that of the test vector", .rule("LY-01", "LY-47"),
        arguments: try LayoutVectors.load().boundsChange)
    func bounds(_ vector: BoundsCase) {
        let layout = FlowLayout(LayoutConfiguration(stickyHeaders: vector.config.stickyHeaders))
        let change = layout.invalidation(from: rect(vector.old), to: rect(vector.new))
        #expect((change != .nothing) == vector.shouldInvalidate)
        if vector.invalidates == "everything" { #expect(change == .everything) }
    }

    private typealias Follow = (inout FlowLayout, LayoutCase.Step, TestList, Size) throws -> Void

    private func run(_ vector: LayoutCase, scale: Double, follow: Follow) throws {
        var list = TestList(sections: [])
        var container = Size(width: vector.config.container[0], height: vector.config.container[1])
        var origin = Point.zero
        var layout = FlowLayout(try vector.config.configuration(scale: scale))
        for step in vector.steps {
            if let sections = step.sections { list.sections = sections.map(\.section) }
            if let size = step.container { container = Size(width: size[0], height: size[1]) }
            if let offset = step.contentOffset { origin = Point(x: offset[0], y: offset[1]) }
            if let offset = step.stickyHeaderYOffset { layout.stickyHeaderOffset = offset }
            try follow(&layout, step, list, container)
            check(step.expected, layout, origin: origin)
        }
    }

    private func check(_ expected: LayoutCase.Expected, _ layout: FlowLayout, origin: Point) {
        if let size = expected.contentSize { #expect(layout.contentSize == Size(width: size[0], height: size[1])) }
        if let width = expected.contentWidth { #expect(layout.contentSize.width == width) }
        if let height = expected.contentHeight { #expect(layout.contentSize.height == height) }
        for header in expected.headers ?? [] {
            let frame = layout.attributes(of: .header, section: header.numbers[0], origin: origin)?.frame
            #expect(frame == header.rect, "header \(header.numbers)")
        }
        for footer in expected.footers ?? [] {
            let frame = layout.attributes(of: .footer, section: footer.numbers[0], origin: origin)?.frame
            #expect(frame == footer.rect, "footer \(footer.numbers)")
        }
        for item in expected.items ?? [] {
            let path = IndexPath(section: item.numbers[0], item: item.numbers[1])
            #expect(layout.attributes(ofItem: path)?.frame == item.rect, "item \(item.numbers)")
        }
        for absent in expected.itemAttributesAbsent ?? [] {
            #expect(layout.attributes(ofItem: IndexPath(section: absent[0], item: absent[1])) == nil)
        }
        for query in expected.queries ?? [] {
            let found = layout.attributes(in: rect(query.rect), origin: origin).map { [$0.path.section, $0.path.item] }
            #expect(found == query.items)
        }
    }
}

/// Creates a rectangle from four numbers of a vector.
func rect(_ numbers: [Double]) -> Rect {
    Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
}

// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Flow layout rules that the test vectors do not cover")
struct FlowRuleTests {
    private let inset = EdgeInsets(top: 10, left: 10, bottom: 5, right: 5)

    private func layout(
        _ sections: [TestSection], _ configuration: LayoutConfiguration = LayoutConfiguration(),
        container: Size = .of(100, 100)
    ) -> FlowLayout {
        var layout = FlowLayout(configuration)
        layout.prepare(TestList(sections: sections), container: container)
        return layout
    }

    private func frame(_ layout: FlowLayout, _ section: Int, _ item: Int) -> Rect? {
        layout.attributes(ofItem: IndexPath(section: section, item: item))?.frame
    }

    @Test(
        "a horizontal list has headers, spacing and insets → its frames are the transposed frames of a vertical layout",
        .rule("LY-10"))
    func horizontalHeaders() {
        let sections = [[Size.of(10, 85), .of(20, 85)], [.of(30, 85)]].map {
            TestSection(
                items: $0, inset: EdgeInsets(top: 10, left: 10, bottom: 5, right: 5), lineSpacing: 10, header: 10)
        }
        let layout = layout(sections, LayoutConfiguration(direction: .horizontal))
        #expect(layout.attributes(of: .header, section: 0)?.frame == Rect(x: 10, y: 10, width: 10, height: 85))
        #expect(frame(layout, 0, 1) == Rect(x: 40, y: 10, width: 20, height: 85))
        #expect(layout.contentSize == .of(120, 100))
    }

    @Test(
        "sticky headers are vertical → they are at 15 and 50 for offset 5, and at 40 and 55 for offset 45",
        .rule("LY-12", "LY-13"))
    func stickyHeaders() {
        let sections = [
            TestSection(items: [.of(100, 20), .of(100, 20)], header: 10),
            TestSection(items: [.of(100, 30), .of(100, 30), .of(100, 30)], header: 10),
        ]
        let layout = layout(sections, LayoutConfiguration(stickyHeaders: true, topContentInset: 10))
        func headers(_ offset: Double) -> [Double?] {
            [0, 1].map { layout.attributes(of: .header, section: $0, origin: Point(x: 0, y: offset))?.frame.minY }
        }
        #expect(headers(5) == [15, 50])
        #expect(headers(45) == [40, 55])
        #expect([0, 1].map { layout.attributes(of: .header, section: $0)?.frame.minY } == [0, 50])
    }

    @Test(
        "the interitem spacing is half a point → the items share a row, and their frames are on whole pixels",
        .rule("LY-17", "LY-21", "LY-51"),
        arguments: [
            (0.0, 33.5, 67.0), (1.0, 33.0, 67.0), (2.0, 33.5, 67.0), (3.0, 100 / 3.0, 67.0),
        ])
    func halfPoints(_ scale: Double, _ second: Double, _ third: Double) {
        let items = Array(repeating: Size.of(33, 33), count: 3)
        let one = layout([TestSection(items: items, interitemSpacing: 0.5)], LayoutConfiguration(scale: scale))
        let three = layout(
            items.map { TestSection(items: [$0], interitemSpacing: 0.5) }, LayoutConfiguration(scale: scale))
        #expect((0..<3).map { frame(one, 0, $0)?.minX } == [0, second, third])
        #expect((0..<3).map { frame(three, $0, 0)?.minX } == [0, second, third])
        #expect(one.contentSize.height == 33 && three.contentSize.height == 33)
    }

    @Test("a section does not fit into the row → it starts a new row with its insets", .rule("LY-23"))
    func wrappingInsets() {
        let sections = [
            TestSection(items: [.of(33, 33), .of(33, 33)]),
            TestSection(items: [.of(33, 45)], inset: EdgeInsets(top: 10, left: 10, bottom: 10, right: 10)),
        ]
        let layout = layout(sections)
        #expect(frame(layout, 1, 0) == Rect(x: 10, y: 43, width: 33, height: 45))
        #expect(layout.contentSize.height == 98)
    }

    @Test(
        "a window is on a thousand rows → exactly the overlapping rows are found, not those that only touch the edges",
        .rule("LY-27"))
    func thousandRows() {
        let layout = layout((0..<100).map { _ in TestSection(items: Array(repeating: .of(100, 20), count: 10)) })
        func count(_ y: Double, _ height: Double) -> Int {
            layout.attributes(in: Rect(x: 0, y: y, width: 100, height: height), origin: .zero).count
        }
        #expect([count(0, 100), count(500, 1000), count(10, 100), count(20, 20), count(40, 0)] == [5, 50, 6, 1, 0])
    }

    @Test(
        "a row ends at most 1 point before the edge → it is stretched; at most 1 point beyond it → it is not wrapped",
        .rule("LY-32", "LY-34", "LY-35"))
    func edges() {
        let stretched = layout(
            [TestSection(items: Array(repeating: .of(33, 33), count: 3))], LayoutConfiguration(stretchToEdge: true))
        #expect(frame(stretched, 0, 2) == Rect(x: 66, y: 0, width: 34, height: 33))
        let fits = layout([TestSection(items: [.of(50, 10), .of(51, 10)])])
        #expect(frame(fits, 0, 1) == Rect(x: 50, y: 0, width: 51, height: 10))
        let wraps = layout([TestSection(items: [.of(50, 10), .of(52, 10)])])
        #expect(frame(wraps, 0, 1) == Rect(x: 0, y: 10, width: 52, height: 10))
    }

    @Test("an item is longer than the row → its length is clamped to the row", .rule("LY-44"))
    func tooLong() {
        let layout = layout([TestSection(items: [.of(500, 10)], inset: inset)])
        #expect(frame(layout, 0, 0) == Rect(x: 10, y: 10, width: 85, height: 10))
    }

    @Test("a window is outside of all sections → the layout finds no sections in it", .rule("LY-45"))
    func emptyWindow() {
        let layout = layout([TestSection(items: [.of(100, 10)]), TestSection(items: [.of(100, 10)])])
        #expect(layout.sections(in: Rect(x: 0, y: 20, width: 100, height: 50)) == nil)
        #expect(layout.sections(in: Rect(x: 0, y: 5, width: 100, height: 50)) == 0...1)
        #expect(layout.attributes(in: Rect(x: 0, y: 20, width: 100, height: 50), origin: .zero).isEmpty)
    }

    @Test(
        "the last section shares a row with a taller section → the last section determines the content size",
        .rule("LY-46")
    )
    func lastSectionDecides() {
        let layout = layout([TestSection(items: [.of(50, 80)]), TestSection(items: [.of(50, 20)])])
        #expect(layout.contentSize == .of(100, 20))
    }

    @Test("a row has a leading inset → the inset reduces the remaining width", .rule("LY-49"))
    func stretchIgnoresLeadingInset() {
        let left = EdgeInsets(top: 0, left: 10, bottom: 0, right: 0)
        let layout = layout(
            [TestSection(items: [.of(79.5, 10)], inset: left), TestSection(items: [.of(90, 10)], inset: left)],
            LayoutConfiguration(stretchToEdge: true))
        // The first item ends at 10 + 79.5 = 89.5. The row's width without its inset is 90, so the gap counts as 0.5,
        // and the item is stretched by 0.5 to 80.
        #expect(frame(layout, 0, 0)?.size.width == 80)
        #expect(frame(layout, 1, 0)?.size.width == 90)
    }

    @Test(
        "an empty section has a header → only the header is laid out, without the leading, with the trailing inset",
        .rule("LY-50"))
    func emptySectionWithHeader() {
        let sections = [
            TestSection(items: [.of(100, 10)]), TestSection(inset: inset, header: 20),
            TestSection(items: [.of(100, 10)]),
        ]
        let layout = layout(sections, LayoutConfiguration(showHeaderWhenEmpty: true))
        #expect(layout.attributes(of: .header, section: 1)?.frame == Rect(x: 10, y: 10, width: 85, height: 20))
        #expect(frame(layout, 2, 0)?.minY == 35)
    }

    @Test(
        "a section has headers, items and footers → z orders them by section and item, supplementary views above items")
    func zOrder() {
        let layout = layout([
            TestSection(items: [.of(100, 10)]), TestSection(items: [.of(100, 10), .of(100, 10)], header: 5, footer: 5),
        ])
        let all = layout.attributes(in: Rect(x: 0, y: 0, width: 100, height: 100), origin: .zero)
        #expect(all.map(\.kind) == [.cell, .header, .cell, .cell, .footer])
        #expect(all.map(\.zIndex) == [0, 1999, 1000, 1001, 1999])
        #expect(layout.attributes(of: .cell, section: 0) == nil)
    }

    @Test("a section has more than 999 items → the z-order of its header is greater than that of every item")
    func zOfManyItems() throws {
        let rows = [Size](repeating: .of(100, 10), count: 1200)
        let layout = layout(
            [TestSection(items: rows, header: 20, footer: 20), TestSection(items: [.of(100, 10)])],
            LayoutConfiguration(stickyHeaders: true))
        let items = [997, 998, 999, 1000, 1199].map { frameZ(layout, 0, $0) }
        #expect(items == [997, 998, 998, 998, 998])
        #expect(layout.attributes(of: .footer, section: 0)?.zIndex == 999 && frameZ(layout, 1, 0) == 1000)
        let viewport = Rect(x: 0, y: 11_005, width: 100, height: 100)
        let shown = layout.attributes(in: viewport, origin: viewport.origin)
        let header = try #require(shown.first { $0.kind == .header })
        #expect(header.frame.minY == 11_005 && header.zIndex == 999)
        let covered = shown.filter { $0.kind == .cell && $0.frame.intersects(header.frame) }
        #expect(covered.map(\.path.item) == [1098, 1099, 1100] && covered.allSatisfy { $0.zIndex < header.zIndex })
    }

    private func frameZ(_ layout: FlowLayout, _ section: Int, _ item: Int) -> Int? {
        layout.attributes(ofItem: IndexPath(section: section, item: item))?.zIndex
    }

    @Test("the offset of sticky headers changes → headers move, and items do not", .rule("LY-15"))
    func stickyOffset() {
        var layout = layout(
            [TestSection(items: [.of(100, 100)], header: 10)], LayoutConfiguration(stickyHeaders: true))
        let origin = Point(x: 0, y: 30)
        let items = frame(layout, 0, 0)
        layout.stickyHeaderOffset = 7
        #expect(layout.attributes(of: .header, section: 0, origin: origin)?.frame.minY == 37)
        #expect(frame(layout, 0, 0) == items)
        #expect(layout.stickyHeaderOffset == 7 && layout.direction == .vertical)
        #expect(layout.configuration == LayoutConfiguration(stickyHeaders: true, stickyHeaderOffset: 7))
    }
}

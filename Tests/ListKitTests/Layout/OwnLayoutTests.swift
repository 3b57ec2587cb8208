// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

/// A layout with two columns. Each item is placed at the end of the shorter column.
private struct WaterfallLayout: ListLayout {
    /// The frames of all items, by section.
    private var frames: [[Rect]] = []
    private var container = Size.zero
    let direction: ScrollDirection

    var numberOfSections: Int { frames.count }

    var contentSize: Size {
        Size(width: container.width, height: frames.joined().map(\.maxY).max() ?? 0)
    }

    init(_ configuration: LayoutConfiguration) { direction = configuration.direction }

    mutating func prepare(_ source: some LayoutSource, container: Size) {
        self.container = container
        var ends = [0.0, 0]
        frames = (0..<source.numberOfSections).map { section in
            let metrics = source.metrics(forSection: section)
            return (0..<metrics.itemCount).map { item in
                let path = IndexPath(section: section, item: item)
                let column = ends[0] <= ends[1] ? 0 : 1
                let height = (metrics.uniformItemSize ?? source.sizeForItem(at: path)).height
                defer { ends[column] += height }
                return Rect(
                    x: Double(column) * container.width / 2, y: ends[column], width: container.width / 2, height: height
                )
            }
        }
    }

    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool {
        prepare(source, container: container)
        return true
    }

    func itemCount(ofSection section: Int) -> Int? { frames.indices.contains(section) ? frames[section].count : nil }

    func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] {
        // In reverse order, because views must sort the attributes.
        all.filter { $0.frame.intersects(rect) }.reversed()
    }

    func attributes(ofItem path: IndexPath) -> LayoutAttributes? { all.first { $0.path == path } }

    func item(at point: Point) -> IndexPath? {
        attributes(in: Rect(origin: point, size: Size(width: 1, height: 1)), origin: point).last?.path
    }

    private var all: [LayoutAttributes] {
        frames.enumerated().flatMap { section, frames in
            frames.enumerated().map { item, frame in
                LayoutAttributes(
                    path: IndexPath(section: section, item: item), kind: .cell, frame: frame, zIndex: 0)
            }
        }
    }
}

/// A layout that places each item where its fields say, moved down by 1,000 points.
private struct ShiftedLayout: ListLayout {
    private var base: any ListLayout

    var direction: ScrollDirection { base.direction }
    var numberOfSections: Int { base.numberOfSections }
    var contentSize: Size { Size(width: base.contentSize.width, height: base.contentSize.height + 1000) }

    init(_ configuration: LayoutConfiguration) { base = ListLayoutKind.absolute.makeLayout(configuration) }

    mutating func prepare(_ source: some LayoutSource, container: Size) { base.prepare(source, container: container) }

    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool {
        base.update(changes, source: source)
    }

    func itemCount(ofSection section: Int) -> Int? { base.itemCount(ofSection: section) }

    func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] {
        let baseRect = Rect(origin: unshifted(rect.origin), size: rect.size)
        return base.attributes(in: baseRect, origin: unshifted(origin)).map(shifted)
    }

    func attributes(ofItem path: IndexPath) -> LayoutAttributes? { base.attributes(ofItem: path).map(shifted) }

    func item(at point: Point) -> IndexPath? { base.item(at: unshifted(point)) }

    private func unshifted(_ point: Point) -> Point { Point(x: point.x, y: point.y - 1000) }

    private func shifted(_ attributes: LayoutAttributes) -> LayoutAttributes {
        var attributes = attributes
        attributes.frame.origin.y += 1000
        return attributes
    }
}

extension ListLayoutKind {
    fileprivate static let waterfall = ListLayoutKind(name: "waterfall") { WaterfallLayout($0) }
    fileprivate static let shifted = ListLayoutKind(name: "shifted", usesPlacements: true) { ShiftedLayout($0) }
}

@Suite("Custom layouts defined by a program")
struct OwnLayoutTests {
    private static let heights = [30.0, 50, 20, 40, 10, 60]

    private func object(_ number: Int, height: Double? = nil) throws -> ListObject {
        try ListObject(
            id: "o\(number)", fields: ["height": .double(height ?? Self.heights[number % Self.heights.count])])
    }

    /// Returns the frames in a viewport if each item is placed in the shorter of two columns.
    private func expected(_ heights: [Double], in viewport: Rect) -> [Rect] {
        var ends = [0.0, 0]
        return heights.map { height -> Rect in
            let column = ends[0] <= ends[1] ? 0 : 1
            ends[column] += height
            return Rect(
                x: Double(column) * viewport.size.width / 2, y: ends[column] - height, width: viewport.size.width / 2,
                height: height)
        }.filter { $0.intersects(viewport) }
    }

    @Test(
        "a list has a custom layout → views show the layout's frames, also after changes, scrolls and measured sizes")
    func list() throws {
        let list = TestHost(try (0..<40).map { try object($0) }) { $0.layout = .waterfall }
        var screen = try list.open()
        var heights = (0..<40).map { Self.heights[$0 % Self.heights.count] }
        let top = Rect(x: 0, y: 0, width: 100, height: 100)
        #expect(screen.items.map(\.frame) == expected(heights, in: top))
        let everything = Rect(x: 0, y: 0, width: 100, height: 10_000)
        #expect(screen.contentSize.height == expected(heights, in: everything).map(\.maxY).max())

        let middle = Rect(x: 0, y: 300, width: 100, height: 100)
        screen.receive(try list.adapter.setViewport(view: 1, seen: screen.sequence, rect: middle).effects)
        #expect(screen.items.map(\.frame) == expected(heights, in: middle))

        screen.receive(try list.adapter.setViewport(view: 1, seen: screen.sequence, rect: top).effects)
        screen.receive(
            try list.adapter.reportSizes(
                view: 1, sizes: [MeasuredSize(objectID: "o1", item: 0, size: Size(width: 50, height: 90))]
            ).effects)
        heights[1] = 90
        #expect(screen.items.map(\.frame) == expected(heights, in: top))

        screen.receive(try list.update([object(7)] + (0..<40).filter { $0 != 7 }.map { try object($0) }).events)
        heights.insert(heights.remove(at: 7), at: 0)
        #expect(screen.items.map(\.frame) == expected(heights, in: top))
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("objects are inserted above the viewport of a custom layout → the first visible item stays in place")
    func anchored() throws {
        let list = TestHost(try (0..<40).map { try object($0, height: 20) }) { $0.layout = .waterfall }
        var screen = try list.open(y: 100)
        let first = try #require(screen.items.first { $0.frame.minY >= screen.offset.y })
        screen.receive(try list.update((-4..<40).map { try object($0, height: 20) }).events)
        let after = try #require(screen.items.first { $0.objectID == first.objectID })
        #expect(screen.offset.y == 140 && after.frame.minY - 140 == first.frame.minY - 100)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a list with a custom layout gets scroll-to and hit tests → the results are those of the layout")
    func queries() throws {
        let list = TestHost(try (0..<40).map { try object($0, height: 20) }) { $0.layout = .waterfall }
        var screen = try list.open()
        screen.receive(try list.adapter.scrollTo(view: 1, object: "o20", item: 0, position: .start).reply.effects)
        #expect(screen.offset.y == 200 && screen.items.contains { $0.objectID == "o20" })
        #expect(list.adapter.item(at: Point(x: 60, y: 205), in: 1) == IndexPath(section: 21, item: 0))
        #expect(list.adapter.firstVisibleItem(in: 1) == IndexPath(section: 20, item: 0))
    }

    @Test("a custom layout uses placements → the placements of section controllers are requested")
    func placements() throws {
        let fields: Fields = ["x": 5, "y": 10, "width": 20, "height": 30]
        let list = TestHost([try ListObject(id: "a", fields: fields)]) { $0.layout = .shifted }
        let screen = try list.open(y: 980)
        #expect(screen.items.map(\.frame) == [Rect(x: 5, y: 1010, width: 20, height: 30)])
        #expect(screen.contentSize == Size(width: 25, height: 1040))
    }

    @Test(
        "a list changes to a custom layout and back → the list is laid out anew each time",
        arguments: [ListLayoutKind.flow, .absolute], [ListLayoutKind.waterfall, .shifted])
    func changed(from: ListLayoutKind, to: ListLayoutKind) throws {
        let list = TestHost(try (0..<10).map { try object($0) }) { $0.layout = from }
        var screen = try list.open()
        _ = list.takeEvents()
        let before = screen.items
        for kind in [to, from] {
            var configuration = list.adapter.configuration
            configuration.layout = kind
            #expect(try list.perform(.configure(configuration, controllersChanged: false)).revision != nil)
            screen.receive(list.takeEvents())
            try screen.expectEqualToResync(of: list.adapter)
            #expect((screen.items.map(\.frame) == before.map(\.frame)) == (kind == from))
        }
    }

    @Test("one view has a custom layout, another the list's layout → each shows its own frames")
    func ofOneView() throws {
        let list = TestHost(try (0..<10).map { try object($0, height: 20) })
        let plain = try list.open()
        var options = ListViewOptions()
        (options.layout, options.buffer) = (.waterfall, 0)
        try list.adapter.openView(2, options: options)
        var own = Screen(view: 2)
        own.receive(
            try list.adapter.setViewport(view: 2, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100)).effects)
        #expect(plain.items.map(\.frame.minY) == [0, 20, 40, 60, 80])
        #expect(own.items.map(\.frame.minY) == [0, 0, 20, 20, 40, 40, 60, 60, 80, 80])
    }

    @Test("a built-in layout's name is looked up → its kind is found; a custom layout's name → the result is nil")
    func names() {
        #expect(ListLayoutKind.allCases.map(\.rawValue) == ["flow", "absolute", "none"])
        #expect(ListLayoutKind.allCases.allSatisfy { ListLayoutKind(rawValue: $0.rawValue) == $0 })
        #expect(ListLayoutKind(rawValue: "waterfall") == nil && ListLayoutKind.waterfall != .flow)
    }
}

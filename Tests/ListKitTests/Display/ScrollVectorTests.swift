// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite(
    "scroll.json: scroll-to-object, first visible item and visibility through the adapter",
    .rule("AD-42...AD-50", "AD-109...AD-132")
)
struct ScrollVectorTests {
    /// A section controller with equal items and an optional header.
    final class Stack: ListSectionController, ListSupplementarySource {
        var count = 0
        var header = 0.0
        let itemSize: Size
        init(_ itemSize: Size) {
            self.itemSize = itemSize
            super.init()
            supplementarySource = self
        }
        override func didUpdate(to object: ListObject) {
            count = object.fields["count"]?.int ?? 0
            header = object.fields["header"]?.double ?? 0
        }
        override func numberOfItems() -> Int { count }
        override func sizeForItem(at index: Int) -> Size { itemSize }
        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "cell") }
        var supportedElementKinds: Set<ElementKind> { header > 0 ? [.header] : [] }
        func sizeForSupplementaryElement(of kind: ElementKind) -> Size { Size(width: header, height: header) }
        func supplementaryElement(of kind: ElementKind) -> ListItem { ListItem(reuseIdentifier: "header") }
    }

    static func cases(_ key: String) throws -> [JSON] {
        // The layout's tests check the cases that have only a content length.
        try (Vectors.load("scroll")[key]?.array ?? []).filter { $0["sectionItemCounts"] != nil }
    }

    private func list(_ vector: JSON) throws -> TestHost {
        let isVertical = vector["axis"]?.string != "horizontal"
        let length = vector["itemLength"]?.number ?? 10
        let size = isVertical ? Size(width: 100, height: length) : Size(width: length, height: 100)
        var headers: [Int: Double] = [:]
        for pair in vector["headers"]?.array ?? [] { headers[pair[0]?.integer ?? -1] = pair[1]?.number }
        let objects = try (vector["sectionItemCounts"]?.array ?? []).enumerated().map { index, count in
            try ListObject(
                id: "\(index)",
                fields: ["count": .int64(Int64(count.integer ?? 0)), "header": .double(headers[index] ?? 0)])
        }
        return TestHost(objects, provider: ScriptedProvider { _ in Stack(size) }) {
            $0.direction = isVertical ? .vertical : .horizontal
            $0.showHeaderWhenEmpty = true
        }
    }

    private func insets(_ pair: (Double, Double), isVertical: Bool) -> EdgeInsets {
        isVertical
            ? EdgeInsets(top: pair.0, left: 0, bottom: pair.1, right: 0)
            : EdgeInsets(top: 0, left: pair.0, bottom: 0, right: pair.1)
    }

    @Test(
        "views scroll as a script says → the offsets and the first visible items are those of the test vector",
        arguments: try cases("cases"))
    func script(vector: JSON) throws {
        let list = try list(vector)
        let isVertical = vector["axis"]?.string != "horizontal"
        let length = vector["viewportLength"]?.number ?? 100
        let inset = vector["contentInset"]
        var options = ListViewOptions()
        options.contentInset = insets(
            (inset?["lead"]?.number ?? 0, inset?["trail"]?.number ?? 0), isVertical: isVertical)
        try list.adapter.openView(1, options: options)
        func show(_ offset: Double) throws {
            let rect =
                isVertical
                ? Rect(x: 0, y: offset, width: 100, height: length) : Rect(x: offset, y: 0, width: length, height: 100)
            _ = try list.adapter.setViewport(view: 1, seen: 0, rect: rect)
            _ = try list.adapter.resync(view: 1)
        }
        try show(0)
        for operation in vector["operations"]?.array ?? [] {
            let position = ScrollPosition(rawValue: operation["position"]?.string ?? "none") ?? .none
            let id = operation["section"]?.integer.map(String.init) ?? "nobody"
            switch operation["op"]?.string {
            case "setOffset": try show(operation["offset"]?.number ?? 0)
            case "scrollToItem":
                _ = try list.adapter.scrollTo(
                    view: 1, object: id, item: operation["item"]?.integer ?? 0, position: position)
            default:
                let kinds = (operation["supplementary"]?.array ?? []).compactMap(\.string).compactMap(
                    ElementKind.init(rawValue:))
                _ = try list.adapter.scroll(
                    view: 1, toObject: id, supplementary: Set(kinds), position: position,
                    additionalOffset: operation["additionalOffset"]?.number ?? 0)
            }
            let viewport = try list.adapter.viewDescription(1).viewport
            let expected = operation["expected"]
            if let offset = expected?["offset"]?.number {
                #expect((isVertical ? viewport.minY : viewport.minX) == offset)
            }
            if let path = expected?["firstVisible"] {
                #expect(
                    list.adapter.firstVisibleItem(in: 1)
                        == IndexPath(section: path[0]?.integer ?? -1, item: path[1]?.integer ?? -1))
            }
            if let offset = expected?["offsetIntoFirstVisible"]?.number {
                #expect(list.adapter.offsetIntoFirstVisibleItem(in: 1) == offset)
            }
        }
    }

    @Test(
        "a view has an offset → the visible sections and items are those of the test vector",
        arguments: try cases("visibility"))
    func visibility(vector: JSON) throws {
        let list = try list(vector)
        _ = try list.open(y: vector["offset"]?.number ?? 0)
        if let sections = vector["visibleSections"]?.array {
            #expect(list.adapter.visibleSections(in: 1) == sections.compactMap(\.integer))
            #expect(list.adapter.visibleObjects(in: 1).map(\.id) == sections.compactMap(\.integer).map(String.init))
            #expect(list.adapter.visibleSectionControllers(in: 1).count == sections.count)
        }
        let section = vector["section"]?.integer ?? 0
        if let items = vector["visibleItems"]?.array {
            #expect(list.adapter.visibleItems(ofObject: "\(section)", in: 1) == items.compactMap(\.integer))
            let other = vector["otherSection"]?.integer ?? 0
            #expect(
                list.adapter.visibleItems(ofObject: "\(other)", in: 1).count == vector["otherVisibleCount"]?.integer)
        }
        if let count = vector["fullyVisibleCount"]?.integer {
            #expect(list.adapter.sectionController(at: section)?.context?.fullyVisibleIndexes.count == count)
        }
        #expect(list.adapter.visibleItems(ofObject: "nobody", in: 1).isEmpty)
    }
}

/// LazyScrollView's layout: each item brings its frame and its z.
struct AbsoluteLayout: Sendable {
    let direction: ScrollDirection
    private var placements: [[ItemPlacement]] = []

    init(direction: ScrollDirection) {
        self.direction = direction
    }

    var numberOfSections: Int { placements.count }

    mutating func prepare(_ source: some LayoutSource) {
        placements = (0..<max(0, source.numberOfSections)).map { section in
            (0..<max(0, source.metrics(forSection: section).itemCount)).map {
                source.placementOfItem(at: IndexPath(section: section, item: $0))
            }
        }
    }

    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) {
        prepare(source)
    }

    mutating func resize(_ items: [IndexPath], source: some LayoutSource) {
        prepare(source)
    }

    func itemCount(ofSection section: Int) -> Int? {
        placements.indices.contains(section) ? placements[section].count : nil
    }

    var contentSize: Size {
        var size = Size.zero
        for placement in placements.joined() {
            size = Size(width: max(size.width, placement.frame.maxX), height: max(size.height, placement.frame.maxY))
        }
        return size
    }

    func attributes(in rect: Rect) -> [LayoutAttributes] {
        var result: [LayoutAttributes] = []
        for (section, items) in placements.enumerated() {
            for (item, placement) in items.enumerated() where placement.frame.intersects(rect) {
                let path = IndexPath(section: section, item: item)
                result.append(
                    LayoutAttributes(path: path, kind: .cell, frame: placement.frame, zIndex: placement.zIndex))
            }
        }
        return result.sorted { ($0.zIndex, $0.path) < ($1.zIndex, $1.path) }
    }

    func attributes(ofItem path: IndexPath) -> LayoutAttributes? {
        guard let count = itemCount(ofSection: path.section), (0..<count).contains(path.item) else { return nil }
        let placement = placements[path.section][path.item]
        return LayoutAttributes(path: path, kind: .cell, frame: placement.frame, zIndex: placement.zIndex)
    }

    func item(at point: Point) -> IndexPath? {
        attributes(in: Rect(x: point.x, y: point.y, width: .ulpOfOne, height: .ulpOfOne)).last?.path
    }
}

/// The layout of a list whose clients lay out for themselves: frames are zero, only the items are counted.
struct NoLayout: Sendable {
    private var counts: [Int] = []

    var numberOfSections: Int { counts.count }

    mutating func prepare(_ source: some LayoutSource) {
        counts = (0..<max(0, source.numberOfSections)).map { max(0, source.metrics(forSection: $0).itemCount) }
    }

    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) {
        prepare(source)
    }

    func itemCount(ofSection section: Int) -> Int? {
        counts.indices.contains(section) ? counts[section] : nil
    }

    func attributes(ofItem path: IndexPath) -> LayoutAttributes? {
        guard let count = itemCount(ofSection: path.section), (0..<count).contains(path.item) else { return nil }
        return LayoutAttributes(path: path, kind: .cell, frame: .zero, zIndex: 0)
    }
}

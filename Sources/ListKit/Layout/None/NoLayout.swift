/// The layout of a list whose clients lay out for themselves: frames are zero, only the items are counted.
struct NoLayout: Sendable {
    private var tree = LeafTree<CountBlock>()

    var numberOfSections: Int { tree.total.sections }

    mutating func prepare(_ source: some LayoutSource) {
        tree = LeafTree(sections: (0..<max(0, source.numberOfSections)).lazy.map { Self.count($0, source) })
    }

    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) {
        guard let edit = SectionEdit(changes, from: numberOfSections, to: max(0, source.numberOfSections)) else {
            return prepare(source)
        }
        _ = tree.apply(
            edit, inserted: edit.insertions.map { Self.count($0, source) },
            reloaded: edit.reloads.map { Self.count($0, source) })
    }

    func itemCount(ofSection section: Int) -> Int? {
        guard section >= 0, let (leaf, before) = tree.first(where: { $0.sections > section }) else { return nil }
        return tree.leaves[leaf].itemCount(of: section - before.sections)
    }

    func attributes(ofItem path: IndexPath) -> LayoutAttributes? {
        guard let count = itemCount(ofSection: path.section), (0..<count).contains(path.item) else { return nil }
        return LayoutAttributes(path: path, kind: .cell, frame: .zero, zIndex: 0)
    }

    /// The items from one path through another, and so many more on both sides; see ``ListLayout/items(from:through:overscan:)``.
    func items(from first: IndexPath, through last: IndexPath, overscan: Int) -> [IndexPath] {
        let overscan = min(max(0, overscan), tree.total.items)
        let start = max(0, position(of: first) - overscan)
        let end = min(tree.total.items, position(after: last) + overscan)
        guard start < end, let (leaf, before) = tree.first(where: { $0.items > start }) else { return [] }
        var paths: [IndexPath] = []
        paths.reserveCapacity(end - start)
        var section = before.sections
        var item = start - before.items
        var block = Optional(leaf)
        while let leaf = block, paths.count < end - start {
            for count in tree.leaves[leaf].sections {
                while item < count, paths.count < end - start {
                    paths.append(IndexPath(section: section, item: item))
                    item += 1
                }
                item = max(0, item - count)
                section += 1
            }
            block = tree.leaf(after: leaf)
        }
        return paths
    }

    /// How many items lie before a path, which may name one that does not exist.
    private func position(of path: IndexPath) -> Int {
        guard path.section >= 0 else { return 0 }
        guard let (leaf, before) = tree.first(where: { $0.sections > path.section }) else { return tree.total.items }
        let counts = tree.leaves[leaf].sections
        let section = path.section - before.sections
        return before.items + counts[..<section].reduce(0, +) + min(max(0, path.item), counts[section])
    }

    /// How many items lie before the one after a path.
    private func position(after path: IndexPath) -> Int {
        position(of: IndexPath(section: path.section, item: path.item == .max ? .max : path.item + 1))
    }

    private static func count(_ section: Int, _ source: some LayoutSource) -> Int {
        min(max(0, source.metrics(forSection: section).itemCount), SectionMetrics.maximumItemCount)
    }
}

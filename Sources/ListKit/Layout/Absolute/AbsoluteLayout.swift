// SPDX-License-Identifier: Apache-2.0

extension ListLayoutKind {
    /// The layout in which each item has a frame of its own, as in LazyScrollView.
    public static let absolute = ListLayoutKind(name: "absolute", usesPlacements: true) {
        AbsoluteLayout(direction: $0.direction)
    }
}

/// The layout of LazyScrollView: each item has a frame and a stacking order of its own.
///
/// The layout has two trees: one with the placements by section, the other with the items by their start along the
/// scroll axis. Items refer to their section by a handle, so that moving a section does not change its items.
public struct AbsoluteLayout: ListLayout {
    /// The axis along which the list scrolls.
    public let direction: ScrollDirection
    private var sections = LeafTree<PlacementBlock>()
    private var positions = PositionTree()
    /// The number of each section's leaf in `sections`, by the handle of the section.
    private var blocks: [Int32] = []
    private var freeHandles: [UInt32] = []

    /// Makes a layout without sections.
    public init(direction: ScrollDirection) {
        self.direction = direction
    }

    /// The number of sections in the layout.
    public var numberOfSections: Int { sections.order.total.sections }

    /// The size of the content, up to the right and bottom edges of the items.
    public var contentSize: Size { sections.order.total.reach }

    /// Whether views keep visible items in place: false.
    public var supportsAnchoring: Bool { false }

    /// Returns nothing, as no frame depends on the viewport.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation { .nothing }

    /// Reads all placements from the source. O(n log n).
    ///
    /// - Parameter container: ignored.
    public mutating func prepare(_ source: some LayoutSource, container: Size) { prepare(source) }

    private mutating func prepare(_ source: some LayoutSource) {
        let count = max(0, source.numberOfSections)
        var entries: [PositionEntry] = []
        let new = (0..<count).lazy.map { section in
            SectionPlacements(
                handle: UInt32(truncatingIfNeeded: section),
                placements: Self.readPlacements(ofSection: section, from: source))
        }
        var fresh = AbsoluteLayout(direction: direction)
        fresh.sections = LeafTree(sections: new)
        fresh.blocks = Array(repeating: 0, count: count)
        for leaf in fresh.sections.leaves.indices {
            fresh.storeLeafNumber(leaf)
            for section in fresh.sections.leaves[leaf].sections { entries += self.entries(of: section) }
        }
        fresh.positions = PositionTree(entries)
        self = fresh
    }

    /// Updates the layout after one transaction; see ``ListLayout/update(_:source:)``.
    @discardableResult
    public mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool {
        let count = max(0, source.numberOfSections)
        guard let edit = SectionEdit(changes, from: numberOfSections, to: count), edit.count < count else {
            prepare(source)
            return true
        }
        let inserted = edit.insertions.map { readNewSection($0, source) }
        let reloaded = edit.reloads.map { readNewSection($0, source) }
        let isMoved =
            !edit.removals.isEmpty || !inserted.isEmpty
            || zip(edit.reloads, reloaded).contains { !hasPlacements($1.placements, section: $0) }
        let edited = sections.apply(edit, inserted: inserted, reloaded: reloaded)
        for section in inserted + reloaded {
            for entry in entries(of: section) { positions.insert(entry) }
        }
        for section in edited.removed {
            for entry in entries(of: section) { positions.remove(entry) }
            freeHandles.append(section.handle)
        }
        for leaf in edited.touched { storeLeafNumber(leaf) }
        return isMoved
    }

    /// Returns whether a section has exactly the given placements.
    private func hasPlacements(_ placements: [ItemPlacement], section: Int) -> Bool {
        guard itemCount(ofSection: section) == placements.count else { return false }
        return placements.indices.allSatisfy {
            placement(of: IndexPath(section: section, item: $0)) == placements[$0]
        }
    }

    /// Reads the placements of single items again.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool {
        var isMoved = false
        for path in items {
            guard let (leaf, section) = locate(path.section), placement(of: path) != nil else { continue }
            let new = source.placementOfItem(at: path).checked
            guard let old = sections.update(leaf, { $0.replace(path.item, in: section, by: new) }) else { continue }
            isMoved = isMoved || new != old
            let handle = sections.leaves[leaf].handles[section]
            if let entry = entry(old, handle: handle, item: path.item) { positions.remove(entry) }
            if let entry = entry(new, handle: handle, item: path.item) { positions.insert(entry) }
        }
        return isMoved
    }
}

extension AbsoluteLayout {
    /// Returns the number of items in a section; `nil` past the last section.
    public func itemCount(ofSection section: Int) -> Int? {
        locate(section).map { sections.leaves[$0.leaf].itemCount(of: $0.section) }
    }

    /// Returns the attributes of an item; `nil` if the item does not exist. O(log n).
    public func attributes(ofItem path: IndexPath) -> LayoutAttributes? {
        placement(of: path).map { Self.attributes(path, $0) }
    }

    /// Returns the items that overlap a rectangle, ordered by stacking order and then by path. Touching edges do not
    /// count.
    ///
    /// - Complexity: O(log n) for each item in the rectangle's range of the scroll axis.
    ///
    /// - Parameter origin: ignored.
    public func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] {
        let span = span(of: rect)
        return attributes(in: span) { $0.intersects(rect) }
    }

    /// Returns the frontmost item at a point. The right and bottom edges of a frame do not belong to the item.
    public func item(at point: Point) -> IndexPath? {
        let along = direction == .vertical ? point.y : point.x
        return attributes(in: PositionSpan(start: along.nextDown, end: along.nextUp)) {
            $0.minX <= point.x && point.x < $0.maxX && $0.minY <= point.y && point.y < $0.maxY
        }.last?.path
    }

    private func attributes(in span: PositionSpan, where matches: (Rect) -> Bool) -> [LayoutAttributes] {
        var result: [LayoutAttributes] = []
        var last = (leaf: -1, block: PlacementBlock.vacant, before: 0)
        positions.visit(span) { entry in
            let leaf = Int(blocks[Int(entry.handle)])
            if leaf != last.leaf { last = (leaf, sections.leaves[leaf], sections.order.sum(before: leaf).sections) }
            guard let section = last.block.handles.firstIndex(of: entry.handle),
                let placement = last.block.placement(of: Int(entry.item), in: section), matches(placement.frame)
            else { return }
            result.append(Self.attributes(IndexPath(section: last.before + section, item: Int(entry.item)), placement))
        }
        result.sort { ($0.zIndex, $0.path) < ($1.zIndex, $1.path) }
        return result
    }

    private func placement(of path: IndexPath) -> ItemPlacement? {
        guard let (leaf, section) = locate(path.section) else { return nil }
        return sections.leaves[leaf].placement(of: path.item, in: section)
    }

    private static func attributes(_ path: IndexPath, _ placement: ItemPlacement) -> LayoutAttributes {
        LayoutAttributes(path: path, kind: .cell, frame: placement.frame, zIndex: placement.zIndex)
    }

    /// Returns the leaf of a section and the index of the section in it; nil if the section does not exist.
    private func locate(_ section: Int) -> (leaf: Int, section: Int)? {
        guard section >= 0, let (leaf, before) = sections.order.first(where: { $0.sections > section }) else {
            return nil
        }
        return (leaf, section - before.sections)
    }

    private func span(of rect: Rect) -> PositionSpan {
        switch direction {
        case .vertical: PositionSpan(start: rect.minY, end: rect.maxY)
        case .horizontal: PositionSpan(start: rect.minX, end: rect.maxX)
        }
    }

    private static func readPlacements(ofSection section: Int, from source: some LayoutSource) -> [ItemPlacement] {
        let count = min(max(0, source.metrics(forSection: section).itemCount), SectionMetrics.maximumItemCount)
        return (0..<count).map { source.placementOfItem(at: IndexPath(section: section, item: $0)).checked }
    }

    private mutating func readNewSection(_ section: Int, _ source: some LayoutSource) -> SectionPlacements {
        let handle = freeHandles.popLast() ?? UInt32(truncatingIfNeeded: blocks.count)
        if Int(handle) == blocks.count { blocks.append(0) }
        return SectionPlacements(handle: handle, placements: Self.readPlacements(ofSection: section, from: source))
    }

    /// Stores the number of a leaf in `blocks` for each section of the leaf.
    private mutating func storeLeafNumber(_ leaf: Int) {
        for handle in sections.leaves[leaf].handles { blocks[Int(handle)] = Int32(truncatingIfNeeded: leaf) }
    }

    private func entry(_ placement: ItemPlacement, handle: UInt32, item: Int) -> PositionEntry? {
        guard placement.isVisible else { return nil }
        let span = span(of: placement.frame)
        return PositionEntry(from: span.start, to: span.end, handle: handle, item: item)
    }

    private func entries(of section: SectionPlacements) -> [PositionEntry] {
        section.placements.enumerated().compactMap { entry($1, handle: section.handle, item: $0) }
    }
}

/// The objects of a list in their order, kept up from what its engine prepares: what a list is made again from when the
/// process of its engine is gone.
///
/// It has one owner and is not shared. Finding an object and each single change cost O(log n).
@_spi(Daemon) public struct ListSnapshot: ~Copyable {
    private var tree = SectionTree()

    /// Makes a snapshot; repeated identifiers, and more objects than a list can have, are left out.
    public init(_ objects: [ListObject] = []) { replace(objects) }

    /// How many objects there are.
    public var count: Int { tree.count() }

    /// The objects in their order.
    ///
    /// - Complexity: O(n).
    public var objects: [ListObject] { tree.objects() }

    /// The objects of a range of positions, as many as there are.
    public func objects(in range: Range<Int>) -> [ListObject] {
        var result: [ListObject] = []
        tree.forEachSection(in: range) { _, section in result.append(section.object) }
        return result
    }

    /// The object with an identifier and its position; `nil` when there is none.
    public func find(_ id: String) -> (position: Int, object: ListObject)? {
        tree.section(of: id).map { ($0.index, $0.section.object) }
    }

    /// Takes over what was stored.
    ///
    /// What names an unknown object as its predecessor goes to the end.
    public mutating func apply(_ content: PreparedTransaction.Content) {
        switch content {
        case .replace(let objects): replace(objects)
        case .changes(let changes):
            for id in changes.removed { tree.remove(id) }
            for object in changes.updated { _ = tree.replace(object) }
            for placement in changes.placed { place(placement) }
            _ = tree.commit()
        }
    }

    /// Takes over what was stored, and says where the objects went.
    ///
    /// - Complexity: O(changes · log n), O(n) for a whole list.
    public mutating func applyFollowing(_ content: PreparedTransaction.Content) -> PositionMap {
        let count = count
        switch content {
        case .replace:
            let before = objects
            apply(content)
            let runs = before.enumerated().compactMap { old, object in
                tree.index(of: object.id).map { PositionMap.Run(old: old, new: $0, length: 1) }
            }
            return PositionMap(oldCount: count, newCount: self.count, runs: runs)
        case .changes(let changes):
            let deletes = changes.removed.compactMap { tree.index(of: $0) }
            let placed = changes.placed.map { (id: $0.object.id, old: tree.index(of: $0.object.id)) }
            apply(content)
            var moves: [(old: Int, new: Int)] = []
            var inserts: [Int] = []
            for (id, old) in placed {
                guard let new = tree.index(of: id) else { continue }
                if let old { moves.append((old, new)) } else { inserts.append(new) }
            }
            return PositionMap(oldCount: count, deletes: deletes, inserts: inserts, moves: moves)
        }
    }

    private mutating func place(_ placement: PreparedTransaction.Placement) {
        tree.remove(placement.object.id)
        let index = placement.predecessor.map { id in tree.index(of: id).map { $0 + 1 } ?? tree.count() } ?? 0
        _ = tree.insert(placement.object, at: index)
    }

    private mutating func replace(_ objects: [ListObject]) {
        var dropped: [Int] = []
        guard let new = try? SectionTree(objects, dropped: &dropped) else { return }
        tree = new
    }
}

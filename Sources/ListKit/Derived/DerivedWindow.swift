/// What an open transaction does to the first sections of a list, as many as a limit lets through.
struct DerivedWindow {
    /// Positions before of what leaves.
    private var deletes: [Int]
    /// Positions after of what comes, or moves.
    private var placed: [Int]
    /// Positions after of what stays in its place, with another content.
    private var updates: [Int] = []

    /// Looks at a tree in which a transaction is open.
    ///
    /// - Parameter limit: 0 = all sections.
    /// - Complexity: O(changes · log n).
    init(_ tree: borrowing SectionTree, limit: Int) {
        let changes = tree.changes()
        let end = limit > 0 ? limit : Int.max
        let origins = Set(changes.moves.map(\.from))
        let targets = Set(changes.moves.map(\.to))
        deletes = changes.deletes.filter { $0 < end }
        placed = changes.inserts.filter { $0 < end }
        for move in changes.moves {
            if move.to < end { placed.append(move.to) } else if move.from < end { deletes.append(move.from) }
        }
        if limit > 0 {
            // What nobody moved keeps its order: those that others push over the end stand there one after the other.
            let isNew = targets.union(changes.inserts)
            let isOld = origins.union(changes.deletes)
            deletes += Self.crossing(tree, from: limit, of: .new, to: .old, besides: isNew)
            placed += Self.crossing(tree, from: limit, of: .old, to: .new, besides: isOld)
        }
        placed.sort()
        let isPlaced = Set(placed)
        for old in changes.updates where !origins.contains(old) {
            guard let object = tree.object(at: old, in: .old), let new = tree.index(of: object), new < end else {
                continue
            }
            if !isPlaced.contains(new) { updates.append(new) }
        }
    }

    /// Where sections behind a limit on one side stand that are before it on the other one.
    private static func crossing(
        _ tree: borrowing SectionTree, from limit: Int, of side: ListSide, to otherSide: ListSide,
        besides touched: Set<Int>
    ) -> [Int] {
        var result: [Int] = []
        var index = limit
        while let object = tree.object(at: index, in: side) {
            if !touched.contains(index) {
                guard let other = tree.index(of: object, in: otherSide), other < limit else { break }
                result.append(other)
            }
            index += 1
        }
        return result
    }

    /// The change of the first sections; `nil` when there is none.
    ///
    /// - Complexity: O(changes · log n).
    func change(of tree: borrowing SectionTree) -> DerivedChange? {
        if deletes.isEmpty, placed.isEmpty, updates.isEmpty { return nil }
        var removed: [String] = []
        for old in deletes { if let object = tree.object(at: old, in: .old) { removed.append(object.id) } }
        var upserts: [UpdateRequest.Upsert] = []
        for index in updates { if let object = tree.object(at: index) { upserts.append(UpdateRequest.Upsert(object)) } }
        for index in placed {
            guard let object = tree.object(at: index) else { continue }
            let before = index > 0 ? tree.object(at: index - 1) : nil
            upserts.append(UpdateRequest.Upsert(object, position: before.map { .after($0.id) } ?? .first))
        }
        return .changes(removed: removed, upserts: upserts)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The changes of an open transaction that concern the first sections of a list, up to a limit.
struct DerivedWindow {
    /// The old positions of sections that leave the window.
    private var deletes: [Int]
    /// The new positions of sections that are inserted into the window or moved.
    private var placed: [Int]
    /// The new positions of sections with new content that are not moved.
    private var updates: [Int] = []

    /// Computes the changes from a tree with an open transaction.
    ///
    /// - Parameter limit: the maximum number of sections in the window; 0 for no limit.
    /// - Complexity: O(changes · log n).
    init(_ tree: borrowing SectionTree, limit: Int) {
        let changes = tree.changes()
        let end = limit > 0 ? limit : Int.max
        let moves = Self.minimizedMoves(in: changes, of: tree)
        let origins = Set(moves.map(\.from))
        let targets = Set(moves.map(\.to))
        deletes = changes.deletes.filter { $0 < end }
        placed = changes.inserts.filter { $0 < end }
        for move in moves {
            if move.to < end { placed.append(move.to) } else if move.from < end { deletes.append(move.from) }
        }
        if limit > 0 {
            // Sections that were not moved keep their order. So the sections that cross the limit only because other
            // sections changed are adjacent to the limit.
            let isNew = targets.union(changes.inserts)
            let isOld = origins.union(changes.deletes)
            deletes += Self.positionsCrossingLimit(tree, from: limit, of: .new, to: .old, besides: isNew)
            placed += Self.positionsCrossingLimit(tree, from: limit, of: .old, to: .new, besides: isOld)
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

    /// Returns the positions on `otherSide` of the sections that are at or after the limit on `side`, but before the
    /// limit on `otherSide`. Sections whose positions on `side` are in `touched` are ignored.
    private static func positionsCrossingLimit(
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

    /// The number of moves beyond which the moves are not minimised.
    private static let minimizationLimit = 256

    /// Returns moves that bring the sections into their new order. If two sections would be moved past the same
    /// unmoved section, the unmoved section is moved instead of both.
    ///
    /// To keep a moved section in place, all unmoved sections that it crosses must be moved instead. This can save
    /// moves only if it crosses fewer unmoved sections than there are moves. Of these moved sections and the unmoved
    /// sections that they cross, a longest subsequence that keeps its order stays in place; all others are moved.
    /// - Complexity: O(moves² · log n), for at most 256 moves.
    private static func minimizedMoves(
        in changes: ListIndexSetResult, of tree: borrowing SectionTree
    ) -> [ListMoveIndex] {
        let moves = changes.moves
        guard moves.count > 1, moves.count <= minimizationLimit else { return moves }
        let gone = (changes.deletes + moves.map(\.from)).sorted()
        let come = (changes.inserts + moves.map(\.to)).sorted()
        let isGone = Set(gone)
        var candidates: [ListMoveIndex] = []
        var fixed: [ListMoveIndex] = []
        var crossed: Set<Int> = []
        for move in moves {
            // The numbers of unmoved sections before the moved one, in the old and in the new list.
            let (before, after) = (
                move.from - SectionTree.count(below: move.from, in: gone),
                move.to - SectionTree.count(below: move.to, in: come)
            )
            guard abs(after - before) < moves.count else {
                fixed.append(move)
                continue
            }
            candidates.append(move)
            var (left, old) = (abs(after - before), move.from)
            while left > 0, (0..<tree.count(.old)).contains(old) {
                old += after > before ? 1 : -1
                guard !isGone.contains(old) else { continue }
                crossed.insert(old)
                left -= 1
            }
        }
        guard candidates.count > 1 else { return moves }
        var movable = candidates
        for old in crossed {
            guard let object = tree.object(at: old, in: .old), let new = tree.index(of: object) else { return moves }
            movable.append(ListMoveIndex(from: old, to: new))
        }
        movable.sort { $0.from < $1.from }
        let stays = LongestIncreasingRun.memberCounts(
            of: movable.map { LongestIncreasingRun.Stretch(first: UInt32(truncatingIfNeeded: $0.to), count: 1) })
        let moved = zip(movable, stays).compactMap { $1 > 0 ? nil : $0 }
        return moved.count < candidates.count ? fixed + moved : moves
    }

    /// Returns the change of the window; `nil` if nothing changed.
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

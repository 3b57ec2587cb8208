// SPDX-License-Identifier: Apache-2.0

/// The difference of two lists in linear time, with IGListKit's results exactly (`ListDiff`, `ListDiffPaths`).
///
/// Elements with equal identifiers are the same element. Repeated identifiers are allowed: the first before is the first after,
/// and so on; what is left over is deleted or inserted (DF-17 … DF-22).
public enum ListDiff {
    /// What changed between two lists of objects.
    ///
    /// Reads hashes that were taken when the objects were made, and touches no reference count.
    /// - Parameters:
    ///   - option: when an object with the same identifier counts as changed.
    ///   - moves: which objects are reported as moved.
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst; at most 40 bytes an object besides the result.
    public static func between(
        _ old: [ListObject], _ new: [ListObject], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        between(old, new, option: option, moves: moves, areUnique: false)
    }

    /// The same for a caller who knows whether identifiers repeat; a promise that is not kept gives a result that may differ from
    /// IGListKit's and is otherwise sound.
    static func between(
        _ old: [ListObject], _ new: [ListObject], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional, areUnique: Bool
    ) -> ListIndexSetResult {
        let lookup = ObjectLookup(old: old, new: new)
        return ObjectDiffSource.withSource(old, new, option: option) { source in
            DiffEngine.result(source, moves: moves, areUnique: areUnique, lookup: lookup)
        }
    }

    /// What changed between two lists of any elements.
    ///
    /// What is asked of the elements is compiled into the caller's module, so that it costs no dynamic dispatch there.
    /// - Complexity: O(n) hashes and comparisons, with minimal moves O(n · log n) at worst.
    @inlinable
    public static func between<Element: ListDiffable>(
        _ old: [Element], _ new: [Element], option: ListDiffOption = .equality, moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        let (oldIDs, newIDs) = (old.map { $0.diffIdentifier }, new.map { $0.diffIdentifier })
        return _between(
            oldIDs, newIDs, oldHashes: oldIDs.map { $0.hashValue }, newHashes: newIDs.map { $0.hashValue }, moves,
            compare: { before, after in
                guard oldIDs[before] == newIDs[after] else { return .different }
                if new[after].isIdentical(toDiffable: old[before]) { return .unchanged }
                if option == .pointerPersonality { return .changed }
                return new[after].isEqual(toDiffable: old[before]) ? .unchanged : .changed
            },
            compareOld: { oldIDs[$0] == oldIDs[$1] }, compareNew: { newIDs[$0] == newIDs[$1] })
    }

    @usableFromInline
    static func _between<Identifier: Hashable & Sendable>(
        _ old: [Identifier], _ new: [Identifier], oldHashes: [Int], newHashes: [Int], _ moves: ListDiffMoves,
        compare: @escaping (Int, Int) -> DiffRelation, compareOld: @escaping (Int, Int) -> Bool,
        compareNew: @escaping (Int, Int) -> Bool
    ) -> ListIndexSetResult {
        let source = ElementDiffSource(
            oldHashes: oldHashes, newHashes: newHashes, compare: compare, compareOld: compareOld,
            compareNew: compareNew)
        return DiffEngine.result(
            source, moves: moves, areUnique: false, lookup: IdentifierLookup(old: old, new: new))
    }

    /// What changed between the items of one section before and one section after (`ListDiffPaths`).
    @inlinable
    public static func paths<Element: ListDiffable>(
        fromSection: Int, toSection: Int, _ old: [Element], _ new: [Element], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional
    ) -> ListIndexPathResult {
        ListIndexPathResult(
            fromSection: fromSection, toSection: toSection,
            indexes: between(old, new, option: option, moves: moves))
    }
}

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
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst; about 20 bytes an object besides the result.
    public static func between(
        _ old: [ListObject], _ new: [ListObject], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        let lookup = ObjectLookup(old: old, new: new)
        return ObjectDiffSource.withSource(old, new, option: option) { source in
            result(source, moves: moves, lookup: lookup)
        }
    }

    /// What changed between two lists of any elements.
    ///
    /// - Complexity: O(n) hashes and comparisons, with minimal moves O(n · log n) at worst.
    public static func between<Element: ListDiffable>(
        _ old: [Element], _ new: [Element], option: ListDiffOption = .equality, moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        let elements = TypedElements(old: old, new: new, option: option)
        let lookup = IdentifierLookup(old: elements.oldIdentifiers, new: elements.newIdentifiers)
        return result(elements.source, moves: moves, lookup: lookup)
    }

    /// What changed between the items of one section before and one section after (`ListDiffPaths`).
    public static func paths<Element: ListDiffable>(
        fromSection: Int, toSection: Int, _ old: [Element], _ new: [Element], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional
    ) -> ListIndexPathResult {
        ListIndexPathResult(
            fromSection: fromSection, toSection: toSection,
            indexes: between(old, new, option: option, moves: moves))
    }

    static func result(
        _ source: some DiffSource, moves: ListDiffMoves, lookup: (any DiffLookup)?
    ) -> ListIndexSetResult {
        let (oldCount, newCount) = (source.oldCount, source.newCount)
        if oldCount == 0 || newCount == 0 {
            return ListIndexSetResult(
                inserts: ListIndexSet(0..<newCount), deletes: ListIndexSet(0..<oldCount), lookup: lookup)
        }
        let engine = DiffEngine(source)
        engine.pairFlat()
        return engine.result(moves: moves, lookup: lookup)
    }
}

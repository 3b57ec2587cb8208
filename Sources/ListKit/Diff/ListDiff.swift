// SPDX-License-Identifier: Apache-2.0

/// The difference of two lists in linear time, with IGListKit's results exactly (`ListDiff`, `ListDiffPaths`).
///
/// Elements with equal identifiers are the same element. Repeated identifiers are allowed: the first before is the
/// first after, and so on; the rest is deleted or inserted (DF-17 … DF-22).
public enum ListDiff {
    /// The changes between two lists of objects.
    ///
    /// Reads hashes that were computed when the objects were made, and touches no reference count.
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

    /// The same for a caller that knows whether identifiers repeat; if the promise is wrong, the result may differ from
    /// IGListKit's, but is valid.
    static func between(
        _ old: [ListObject], _ new: [ListObject], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional, areUnique: Bool
    ) -> ListIndexSetResult {
        let lookup = IdentifierLookup { isNew in (isNew ? new : old).map(\.id) }
        return ObjectDiffSource.withSource(old, new, option: option) { source in
            DiffEngine.result(source, moves: moves, areUnique: areUnique, lookup: lookup)
        }
    }

    /// The changes between two lists of any elements.
    ///
    /// The comparisons of elements are compiled into the caller's module, so that they cost no dynamic dispatch there.
    /// - Complexity: O(n) comparisons, and hashes of what is not in the same order; with minimal moves O(n · log n) at worst.
    @inlinable
    public static func between<Element: ListDiffable>(
        _ old: [Element], _ new: [Element], option: ListDiffOption = .equality, moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        let (oldIDs, newIDs) = (old.map { $0.diffIdentifier }, new.map { $0.diffIdentifier })
        return _between(old, new, option, moves) { isNew in isNew ? newIDs : oldIDs }
    }

    /// The same for elements that may be kept until somebody asks the result for identifiers.
    @inlinable
    public static func between<Element: ListDiffable & Sendable>(
        _ old: [Element], _ new: [Element], option: ListDiffOption = .equality, moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        _between(old, new, option, moves) { isNew in (isNew ? new : old).map { $0.diffIdentifier } }
    }

    /// - Parameter identifiers: those after the update, or those before it.
    @inlinable
    static func _between<Element: ListDiffable>(
        _ old: [Element], _ new: [Element], _ option: ListDiffOption, _ moves: ListDiffMoves,
        identifiers: @escaping @Sendable (Bool) -> [Element.DiffIdentifier]
    ) -> ListIndexSetResult {
        @inline(__always)
        func relation(_ before: Element, _ after: Element) -> DiffRelation {
            guard before.diffIdentifier == after.diffIdentifier else { return .different }
            if after.isIdentical(toDiffable: before) { return .unchanged }
            if option == .pointerPersonality { return .changed }
            return after.isEqual(toDiffable: before) ? .unchanged : .changed
        }
        @inline(__always)
        func contains(_ list: [Element], _ range: Range<Int>, _ element: Element) -> Bool {
            let identifier = element.diffIdentifier
            for index in range where list[index].diffIdentifier == identifier { return true }
            return false
        }
        let source = ElementDiffSource(
            oldCount: old.count, newCount: new.count, hashOld: { old[$0].diffIdentifier.hashValue },
            hashNew: { new[$0].diffIdentifier.hashValue },
            countUnchanged: { before, after, limit in
                var count = 0
                while count < limit, relation(old[before + count], new[after + count]) == .unchanged { count += 1 }
                return count
            },
            countUnchangedBefore: { before, after, limit in
                var count = 0
                while count < limit, relation(old[before - 1 - count], new[after - 1 - count]) == .unchanged {
                    count += 1
                }
                return count
            },
            compare: { relation(old[$0], new[$1]) },
            matches: { old[$0].diffIdentifier == new[$1].diffIdentifier },
            isOldIn: { contains(old, $1, old[$0]) }, isNewIn: { contains(new, $1, new[$0]) },
            isNewInOld: { contains(old, $1, new[$0]) })
        return _between(source, moves, identifiers)
    }

    @usableFromInline
    static func _between<Identifier: Hashable & Sendable>(
        _ source: ElementDiffSource, _ moves: ListDiffMoves, _ identifiers: @escaping @Sendable (Bool) -> [Identifier]
    ) -> ListIndexSetResult {
        DiffEngine.result(source, moves: moves, areUnique: false, lookup: IdentifierLookup(identifiers))
    }

    /// The changes between the items of one section before and one section after (`ListDiffPaths`).
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

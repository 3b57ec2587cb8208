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
        // Elements are read where they lie: an element that is copied out of an array costs two counted references.
        unsafe old.withUnsafeBufferPointer { old in
            unsafe new.withUnsafeBufferPointer { new in
                unsafe _between(ElementDiffSource(old, new, option), moves, identifiers)
            }
        }
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

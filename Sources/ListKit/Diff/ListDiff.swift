// SPDX-License-Identifier: Apache-2.0

/// The diff of two lists in linear time. The results are exactly those of IGListKit's `ListDiff` and `ListDiffPaths`.
///
/// Elements with equal identifiers are the same element. Identifiers may repeat: the first old occurrence is paired
/// with the first new one, the second with the second, and so on; surplus occurrences are deleted or inserted (DF-17
/// … DF-22).
public enum ListDiff {
    /// Returns the changes between two lists of objects.
    ///
    /// Uses the hashes that were computed when the objects were made, and retains no object.
    /// - Parameters:
    ///   - option: the condition under which an object with the same identifier counts as changed.
    ///   - moves: the rule by which objects are reported as moved.
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst. At most 40 bytes of memory per object besides
    ///   the result.
    public static func between(
        _ old: [ListObject], _ new: [ListObject], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        between(old, new, option: option, moves: moves, areUnique: false)
    }

    /// Returns the changes between two lists of objects. With `areUnique` the caller promises that no identifier
    /// occurs twice in the old list or twice in the new list, which is faster. If the promise is broken, the result
    /// is valid but may differ from IGListKit's.
    static func between(
        _ old: [ListObject], _ new: [ListObject], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional, areUnique: Bool
    ) -> ListIndexSetResult {
        let lookup = IdentifierLookup { isNew in (isNew ? new : old).map(\.id) }
        return ObjectDiffSource.withSource(old, new, option: option) { source in
            DiffEngine.result(source, moves: moves, areUnique: areUnique, lookup: lookup)
        }
    }

    /// Returns the changes between two lists of any elements.
    ///
    /// The comparisons of elements are compiled into the caller's module, which avoids dynamic dispatch for each
    /// element.
    /// - Complexity: O(n) comparisons, and a hash for each element that is not in the same order in both lists; with
    ///   minimal moves O(n · log n) at worst.
    @inlinable
    public static func between<Element: ListDiffable>(
        _ old: [Element], _ new: [Element], option: ListDiffOption = .equality, moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        let (oldIDs, newIDs) = (old.map { $0.diffIdentifier }, new.map { $0.diffIdentifier })
        return _between(old, new, option, moves) { isNew in isNew ? newIDs : oldIDs }
    }

    /// Returns the changes between two lists of sendable elements. The result keeps the elements, and computes its
    /// table of identifiers only if it is queried.
    @inlinable
    public static func between<Element: ListDiffable & Sendable>(
        _ old: [Element], _ new: [Element], option: ListDiffOption = .equality, moves: ListDiffMoves = .positional
    ) -> ListIndexSetResult {
        _between(old, new, option, moves) { isNew in (isNew ? new : old).map { $0.diffIdentifier } }
    }

    /// - Parameter identifiers: returns all new identifiers for `true`, and all old ones for `false`.
    @inlinable
    static func _between<Element: ListDiffable>(
        _ old: [Element], _ new: [Element], _ option: ListDiffOption, _ moves: ListDiffMoves,
        identifiers: @escaping @Sendable (Bool) -> [Element.DiffIdentifier]
    ) -> ListIndexSetResult {
        // Elements are read in place: copying an element out of an array would cost a retain and a release.
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

    /// Returns the changes between the items of an old section and of a new one (`ListDiffPaths`).
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

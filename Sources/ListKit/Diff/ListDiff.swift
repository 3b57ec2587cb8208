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

/// An element that can be compared by the diff, by identity and by content (IGListKit's `ListDiffable`).
public protocol ListDiffable {
    /// The type of the identifier.
    associatedtype DiffIdentifier: Hashable & Sendable

    /// The identifier, by which the diff recognises the element in the old and the new list.
    var diffIdentifier: DiffIdentifier { get }

    /// Returns whether both have the same content. Called only for elements with equal identifiers.
    func isEqual(toDiffable other: Self) -> Bool

    /// Returns whether both are the same instance. Needed for the option `pointerPersonality`, and used as a
    /// shortcut. Always false for value types.
    func isIdentical(toDiffable other: Self) -> Bool
}

extension ListDiffable {
    /// Returns false, as value types have no instances.
    @inlinable
    public func isIdentical(toDiffable other: Self) -> Bool { false }
}

extension ListDiffable where Self: AnyObject {
    /// Returns whether both are the same instance.
    @inlinable
    public func isIdentical(toDiffable other: Self) -> Bool { self === other }
}

extension ListDiffable where Self: Equatable {
    /// Returns whether both are equal.
    @inlinable
    public func isEqual(toDiffable other: Self) -> Bool { self == other }
}

extension ListDiffable where Self: Identifiable, DiffIdentifier == ID {
    /// The `id` of the element.
    @inlinable
    public var diffIdentifier: ID { id }
}

/// A string is its own identifier and is compared by value (IGListKit's built-in conformances).
extension String: ListDiffable {
    /// The string itself.
    @inlinable
    public var diffIdentifier: String { self }
}

/// An integer is its own identifier and is compared by value (IGListKit's built-in conformances).
extension Int: ListDiffable {
    /// The number itself.
    @inlinable
    public var diffIdentifier: Int { self }
}

/// A floating-point number is its own identifier and is compared by value (IGListKit's built-in conformances).
extension Double: ListDiffable {
    /// The number itself.
    @inlinable
    public var diffIdentifier: Double { self }
}

/// An object is identified by its identifier; its content is its type and its fields.
extension ListObject: ListDiffable {
    /// The identifier.
    public var diffIdentifier: String { id }

    /// Returns whether type and fields are equal.
    public func isEqual(toDiffable other: ListObject) -> Bool { hasSameContent(as: other) }

    /// Returns whether both share one allocation.
    public func isIdentical(toDiffable other: ListObject) -> Bool { storage.isIdentical(to: other.storage) }
}

/// The condition under which an element with the same identifier counts as changed (IGListKit's `ListDiffOption`).
@frozen public enum ListDiffOption: Sendable, Hashable {
    /// The element is another instance (DF-15). Value types have no instances, so their elements always count as
    /// changed.
    case pointerPersonality
    /// The element is another instance with different content.
    case equality
}

/// The rule by which elements are reported as moved.
@frozen public enum ListDiffMoves: Sendable, Hashable {
    /// IGListKit's rule: an element moved if its new index differs from its old index − deletes before it + inserts
    /// before it.
    case positional
    /// The smallest number of moves: all paired elements except a longest increasing subsequence of them.
    ///
    /// If identifiers repeat, elements are paired as in IGListKit, the first old occurrence with the first new one
    /// and so on. Another pairing may need fewer moves. The identifiers of a list's objects never repeat.
    case minimal
}

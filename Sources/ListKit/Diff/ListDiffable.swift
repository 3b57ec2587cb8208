// SPDX-License-Identifier: Apache-2.0

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

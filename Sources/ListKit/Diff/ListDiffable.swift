// SPDX-License-Identifier: Apache-2.0

/// The identity and content of an element, for the diff (IGListKit's `ListDiffable`).
public protocol ListDiffable {
    /// The type of the identifier.
    associatedtype DiffIdentifier: Hashable & Sendable

    /// Identifies the element before and after an update.
    var diffIdentifier: DiffIdentifier { get }

    /// Whether the content is the same; only called for two elements with equal identifiers.
    func isEqual(toDiffable other: Self) -> Bool

    /// Whether both are one instance, for the option `pointerPersonality` and as a shortcut; values never are.
    func isIdentical(toDiffable other: Self) -> Bool
}

extension ListDiffable {
    /// Values have no instances.
    @inlinable
    public func isIdentical(toDiffable other: Self) -> Bool { false }
}

extension ListDiffable where Self: AnyObject {
    /// Instances of classes are compared by reference.
    @inlinable
    public func isIdentical(toDiffable other: Self) -> Bool { self === other }
}

extension ListDiffable where Self: Equatable {
    /// Content is equal when the elements are.
    @inlinable
    public func isEqual(toDiffable other: Self) -> Bool { self == other }
}

extension ListDiffable where Self: Identifiable, DiffIdentifier == ID {
    /// An `Identifiable` element is identified by its `id`.
    @inlinable
    public var diffIdentifier: ID { id }
}

/// Strings are their own identifier and equal by value (IGListKit's built-in conformances).
extension String: ListDiffable {
    /// The string itself.
    @inlinable
    public var diffIdentifier: String { self }
}

/// Numbers are their own identifier and equal by value (IGListKit's built-in conformances).
extension Int: ListDiffable {
    /// The number itself.
    @inlinable
    public var diffIdentifier: Int { self }
}

/// Numbers are their own identifier and equal by value (IGListKit's built-in conformances).
extension Double: ListDiffable {
    /// The number itself.
    @inlinable
    public var diffIdentifier: Double { self }
}

/// Objects of a list: the same when their identifiers are, equal when type and fields are.
extension ListObject: ListDiffable {
    /// The identifier.
    public var diffIdentifier: String { id }

    /// Whether type and fields are equal.
    public func isEqual(toDiffable other: ListObject) -> Bool { hasSameContent(as: other) }

    /// Whether both share one allocation.
    public func isIdentical(toDiffable other: ListObject) -> Bool { storage.isIdentical(to: other.storage) }
}

/// When an element with the same identifier counts as changed (IGListKit's `ListDiffOption`).
@frozen public enum ListDiffOption: Sendable, Hashable {
    /// It is another instance (DF-15); for values, which have none, this is always so.
    case pointerPersonality
    /// It is another instance and its content differs.
    case equality
}

/// Which elements are reported as moved.
@frozen public enum ListDiffMoves: Sendable, Hashable {
    /// IGListKit's: each element whose index differs from old index − deletes before it + inserts before it.
    case positional
    /// The fewest for the pairs that identifiers determine: all but a longest increasing subsequence of the staying
    /// elements.
    ///
    /// Where identifiers repeat, the pairs are IGListKit's, the first before with the first after and so on; other pairs may
    /// need fewer moves. The objects of a list never repeat.
    case minimal
}

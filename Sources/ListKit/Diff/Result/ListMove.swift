// SPDX-License-Identifier: Apache-2.0

/// A move inside a list, from an old index to a new one (IGListKit's `ListMoveIndex`).
@frozen public struct ListMoveIndex: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The old index.
    public let from: Int
    /// The new index.
    public let to: Int

    /// Makes a move.
    @inlinable
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// Returns whether a move comes first: moves are ordered by their old index only (rule DR-10).
    public static func < (lhs: ListMoveIndex, rhs: ListMoveIndex) -> Bool { lhs.from < rhs.from }

    /// The old and the new index (rule DD-04).
    public var description: String { "<ListMoveIndex; from: \(from); to: \(to)>" }
}

/// A move of an item, from an old path to a new one (IGListKit's `ListMoveIndexPath`).
@frozen public struct ListMoveIndexPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The old path.
    public let from: IndexPath
    /// The new path.
    public let to: IndexPath

    /// Makes a move.
    @inlinable
    public init(from: IndexPath, to: IndexPath) {
        self.from = from
        self.to = to
    }

    /// Returns whether a move comes first: moves are ordered by their old path only, by section and then by item
    /// (rule DR-09).
    public static func < (lhs: ListMoveIndexPath, rhs: ListMoveIndexPath) -> Bool { lhs.from < rhs.from }

    /// The old and the new path (rule DD-05).
    public var description: String {
        "<ListMoveIndexPath; from: (\(from.section), \(from.item)); to: (\(to.section), \(to.item))>"
    }
}

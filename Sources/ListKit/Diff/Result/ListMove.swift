// SPDX-License-Identifier: Apache-2.0

/// One move inside a list: from an index before the update to one after it (IGListKit's `ListMoveIndex`).
@frozen public struct ListMoveIndex: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The index before the update.
    public let from: Int
    /// The index after the update.
    public let to: Int

    /// Makes a move.
    @inlinable
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// Moves are ordered by their origin only (rule DR-10).
    public static func < (lhs: ListMoveIndex, rhs: ListMoveIndex) -> Bool { lhs.from < rhs.from }

    /// Both ends (rule DD-04).
    public var description: String { "<ListMoveIndex; from: \(from); to: \(to)>" }
}

/// One move of an item: from a path before the update to one after it (IGListKit's `ListMoveIndexPath`).
@frozen public struct ListMoveIndexPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The path before the update.
    public let from: IndexPath
    /// The path after the update.
    public let to: IndexPath

    /// Makes a move.
    @inlinable
    public init(from: IndexPath, to: IndexPath) {
        self.from = from
        self.to = to
    }

    /// Moves are ordered by their origin only: section, then item (rule DR-09).
    public static func < (lhs: ListMoveIndexPath, rhs: ListMoveIndexPath) -> Bool { lhs.from < rhs.from }

    /// Both ends (rule DD-05).
    public var description: String {
        "<ListMoveIndexPath; from: (\(from.section), \(from.item)); to: (\(to.section), \(to.item))>"
    }
}

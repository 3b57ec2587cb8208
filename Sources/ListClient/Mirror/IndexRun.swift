// SPDX-License-Identifier: Apache-2.0

/// A range of consecutive positions in a list: the first position and their number.
public struct IndexRun: Sendable, Hashable {
    /// The first position, counted from 0.
    public let first: Int
    /// The number of positions; at least 1 in the daemon's messages.
    public let count: Int

    /// Creates a run.
    public init(first: Int, count: Int) {
        self.first = first
        self.count = count
    }

    /// The positions as a range.
    public var range: Range<Int> { first..<(first + count) }
}

/// A move of an element: its positions before and after the transaction.
public struct IndexMove: Sendable, Hashable {
    /// The position before the transaction.
    public let from: Int
    /// The position after the transaction.
    public let to: Int

    /// Creates a move.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

/// The place of an item: its section and its index inside of the section.
public struct ItemPath: Sendable, Hashable {
    /// The index of the section, counted from 0.
    public let section: Int
    /// The index of the item inside of the section, counted from 0.
    public let item: Int

    /// Creates a path.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
}

/// A move of an item: its places before and after the transaction.
public struct ItemMove: Sendable, Hashable {
    /// The place before the transaction.
    public let from: ItemPath
    /// The place after the transaction.
    public let to: ItemPath

    /// Creates a move.
    public init(from: ItemPath, to: ItemPath) {
        self.from = from
        self.to = to
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Neighbouring positions of a list: the first one and their number.
public struct IndexRun: Sendable, Hashable {
    /// The first position, counted from 0.
    public let first: Int
    /// The number of positions; at least 1 in the daemon's messages.
    public let count: Int

    /// Makes a run.
    public init(first: Int, count: Int) {
        self.first = first
        self.count = count
    }

    /// The positions in ascending order.
    public var range: Range<Int> { first..<(first + count) }
}

/// An element that moves: its position before and after the transaction.
public struct IndexMove: Sendable, Hashable {
    /// The position before the transaction.
    public let from: Int
    /// The position after the transaction.
    public let to: Int

    /// Makes a move.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

/// The place of an item: its section and its index inside the section.
public struct ItemPath: Sendable, Hashable {
    /// The section, counted from 0.
    public let section: Int
    /// The item's index inside the section, from 0.
    public let item: Int

    /// Makes a path.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
}

/// An item that moves.
public struct ItemMove: Sendable, Hashable {
    /// The place before the transaction.
    public let from: ItemPath
    /// The place after the transaction.
    public let to: ItemPath

    /// Makes a move.
    public init(from: ItemPath, to: ItemPath) {
        self.from = from
        self.to = to
    }
}

/// Neighbouring positions of a list: the first one and how many there are.
package struct IndexRun: Sendable, Hashable {
    /// The first position, counted from 0.
    package let first: Int
    /// How many positions follow each other; at least 1 in what the daemon sends.
    package let count: Int

    /// Makes a run.
    package init(first: Int, count: Int) {
        self.first = first
        self.count = count
    }

    /// The positions in ascending order.
    package var range: Range<Int> { first..<(first + count) }
}

/// An element that changes its place: its position before and after the transaction.
package struct IndexMove: Sendable, Hashable {
    /// The position before the transaction.
    package let from: Int
    /// The position after the transaction.
    package let to: Int

    /// Makes a move.
    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

/// The place of an item: its section and its number inside the section.
package struct ItemPath: Sendable, Hashable {
    /// The section, counted from 0.
    package let section: Int
    /// The item inside the section, counted from 0.
    package let item: Int

    /// Makes a path.
    package init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
}

/// An item that changes its place.
package struct ItemMove: Sendable, Hashable {
    /// The place before the transaction.
    package let from: ItemPath
    /// The place after the transaction.
    package let to: ItemPath

    /// Makes a move.
    package init(from: ItemPath, to: ItemPath) {
        self.from = from
        self.to = to
    }
}

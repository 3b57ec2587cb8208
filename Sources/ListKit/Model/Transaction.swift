// SPDX-License-Identifier: Apache-2.0

/// One applied change of a list, as it is announced to mirrors.
///
/// To apply it: remove deletes and move origins (positions before), insert inserts and move targets in ascending order
/// (positions after), then refresh reloads (positions before). A moved object that also changed is in `moves` and in
/// `reloads`. Sections that are deleted, inserted or reloaded have no item entries.
@frozen public struct Transaction: Sendable, Hashable {
    /// How a mirror applies a transaction.
    @frozen public enum Kind: String, Sendable, Hashable {
        /// By its batches.
        case update
        /// By reading everything again; the batches are empty.
        case reload
    }

    /// The revision before.
    public var baseRevision: UInt64
    /// The revision after: one more.
    public var revision: UInt64
    /// How a mirror applies it.
    public var kind: Kind
    /// Whether all its requests were animated.
    public var animated: Bool
    /// Sections after the transaction.
    public var sectionCount: Int
    /// Items after the transaction.
    public var itemCount: Int
    /// The changes of sections.
    public var sections: SectionBatch
    /// The changes of items in sections that stay.
    public var items: ItemBatch

    /// Makes a transaction.
    public init(
        baseRevision: UInt64, revision: UInt64, kind: Kind, animated: Bool, sectionCount: Int, itemCount: Int,
        sections: SectionBatch = SectionBatch(), items: ItemBatch = ItemBatch()
    ) {
        self.baseRevision = baseRevision
        self.revision = revision
        self.kind = kind
        self.animated = animated
        self.sectionCount = sectionCount
        self.itemCount = itemCount
        self.sections = sections
        self.items = items
    }
}

/// The changes of sections in a transaction.
@frozen public struct SectionBatch: Sendable, Hashable {
    /// Positions before, ascending.
    public var deletes: [IndexRun] = []
    /// Positions after, ascending.
    public var inserts: [IndexRun] = []
    /// From before to after, ascending in the position after.
    public var moves: [IndexMove] = []
    /// Positions before, ascending.
    public var reloads: [IndexRun] = []

    /// Makes an empty batch.
    public init() {}

    /// Whether nothing happens.
    public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty }

    /// Sections deleted, inserted, moved and reloaded, counted one by one.
    public var changeCount: Int {
        [deletes, inserts, reloads].joined().reduce(moves.count) { $0 + Int($1.length) }
    }
}

/// The changes of items in a transaction, in sections that stay.
@frozen public struct ItemBatch: Sendable, Hashable {
    /// Places before, ascending.
    public var deletes: [ItemPlace] = []
    /// Places after, ascending.
    public var inserts: [ItemPlace] = []
    /// From before to after, ascending in the place after.
    public var moves: [ItemMove] = []
    /// Places before, ascending.
    public var reloads: [ItemPlace] = []

    /// Makes an empty batch.
    public init() {}

    /// Whether nothing happens.
    public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty }
}

/// A run of neighbouring positions.
@frozen public struct IndexRun: Sendable, Hashable {
    /// The first position.
    public var first: UInt32
    /// How many there are.
    public var length: UInt32

    /// Makes a run.
    public init(first: UInt32, length: UInt32) {
        self.first = first
        self.length = length
    }

    /// The positions.
    public var range: Range<Int> { Int(first)..<Int(first) + Int(length) }
}

/// A section that moves.
@frozen public struct IndexMove: Sendable, Hashable {
    /// The position before.
    public var old: UInt32
    /// The position after.
    public var new: UInt32

    /// Makes a move.
    public init(old: UInt32, new: UInt32) {
        self.old = old
        self.new = new
    }
}

/// The place of an item.
@frozen public struct ItemPlace: Sendable, Hashable, Comparable {
    /// The section.
    public var section: UInt32
    /// The item inside the section.
    public var item: UInt32

    /// Makes a place.
    public init(section: UInt32, item: UInt32) {
        self.section = section
        self.item = item
    }

    /// Places are ordered by section, then by item.
    public static func < (lhs: ItemPlace, rhs: ItemPlace) -> Bool {
        (lhs.section, lhs.item) < (rhs.section, rhs.item)
    }
}

/// An item that moves.
@frozen public struct ItemMove: Sendable, Hashable {
    /// The place before.
    public var old: ItemPlace
    /// The place after.
    public var new: ItemPlace

    /// Makes a move.
    public init(old: ItemPlace, new: ItemPlace) {
        self.old = old
        self.new = new
    }
}

// SPDX-License-Identifier: Apache-2.0

/// One applied change of a list, as clients that mirror the list receive it.
///
/// To apply a transaction, remove the deletes and the origins of moves (old positions), insert the inserts and the
/// targets of moves in ascending order (new positions), then refresh the reloads (old positions). An object that
/// moved and also changed is in both `moves` and `reloads`. The items of deleted, inserted and reloaded sections are
/// not listed.
@frozen public struct Transaction: Sendable, Hashable {
    /// The way in which a mirror applies a transaction.
    @frozen public enum Kind: String, Sendable, Hashable {
        /// Apply the batches.
        case update
        /// Read the whole list again; the batches are empty.
        case reload
    }

    /// The revision of the list before the transaction.
    public var baseRevision: UInt64
    /// The revision of the list after the transaction, one more than `baseRevision`.
    public var revision: UInt64
    /// The way in which a mirror applies the transaction.
    public var kind: Kind
    /// Whether all update requests in the transaction are animated.
    public var animated: Bool
    /// The number of sections after the transaction.
    public var sectionCount: Int
    /// The number of items after the transaction.
    public var itemCount: Int
    /// The changes of sections.
    public var sections: SectionBatch
    /// The changes of items in sections that are neither deleted, inserted nor reloaded.
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
    /// The deleted sections: old positions, ascending.
    public var deletes: [IndexRun] = []
    /// The inserted sections: new positions, ascending.
    public var inserts: [IndexRun] = []
    /// The moved sections: from old to new position, ascending by new position.
    public var moves: [IndexMove] = []
    /// The reloaded sections: old positions, ascending.
    public var reloads: [IndexRun] = []

    /// Makes an empty batch.
    public init() {}

    /// Whether the batch has no changes.
    public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty }

    /// The number of deleted, inserted, moved and reloaded sections together.
    public var changeCount: Int {
        [deletes, inserts, reloads].joined().reduce(moves.count) { $0 + Int($1.length) }
    }
}

/// The changes of items in a transaction, in sections that are neither deleted, inserted nor reloaded.
@frozen public struct ItemBatch: Sendable, Hashable {
    /// The deleted items: old places, ascending.
    public var deletes: [ItemPlace] = []
    /// The inserted items: new places, ascending.
    public var inserts: [ItemPlace] = []
    /// The moved items: from old to new place, ascending by new place.
    public var moves: [ItemMove] = []
    /// The reloaded items: old places, ascending.
    public var reloads: [ItemPlace] = []

    /// Makes an empty batch.
    public init() {}

    /// Whether the batch has no changes.
    public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty }
}

/// A run of neighbouring positions.
@frozen public struct IndexRun: Sendable, Hashable {
    /// The first position.
    public var first: UInt32
    /// The number of positions.
    public var length: UInt32

    /// Makes a run.
    public init(first: UInt32, length: UInt32) {
        self.first = first
        self.length = length
    }

    /// The positions as a range.
    public var range: Range<Int> { Int(first)..<Int(first) + Int(length) }
}

/// The move of a section.
@frozen public struct IndexMove: Sendable, Hashable {
    /// The old position.
    public var old: UInt32
    /// The new position.
    public var new: UInt32

    /// Makes a move.
    public init(old: UInt32, new: UInt32) {
        self.old = old
        self.new = new
    }
}

/// The place of an item.
@frozen public struct ItemPlace: Sendable, Hashable, Comparable {
    /// The position of the section.
    public var section: UInt32
    /// The index of the item in the section.
    public var item: UInt32

    /// Makes a place.
    public init(section: UInt32, item: UInt32) {
        self.section = section
        self.item = item
    }

    /// Returns whether a place comes first: places are ordered by section, then by item.
    public static func < (lhs: ItemPlace, rhs: ItemPlace) -> Bool {
        (lhs.section, lhs.item) < (rhs.section, rhs.item)
    }
}

/// The move of an item.
@frozen public struct ItemMove: Sendable, Hashable {
    /// The old place.
    public var old: ItemPlace
    /// The new place.
    public var new: ItemPlace

    /// Makes a move.
    public init(old: ItemPlace, new: ItemPlace) {
        self.old = old
        self.new = new
    }
}

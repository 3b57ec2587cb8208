// SPDX-License-Identifier: Apache-2.0

/// The changes of one transaction: the contract's `Updated` signal as a value.
///
/// Deletes, reloads and the origins of moves are positions before the transaction; inserts and the targets of moves are
/// positions after it (contract, "Announcing").
public struct Update: Sendable, Equatable {
    /// How a client applies an update.
    public enum Kind: String, Sendable {
        /// The changes are in the batches.
        case update
        /// The batches are empty: everything must be read again.
        case reload
        /// Nothing changed: the daemon repeats its revision so that a client which lost the last signal notices.
        case announce
    }

    /// Changes of whole sections.
    public struct Sections: Sendable, Equatable {
        /// Positions of deleted sections, before the transaction.
        public var deletes: [IndexRun]
        /// Positions of inserted sections, after the transaction.
        public var inserts: [IndexRun]
        /// Sections that moved.
        public var moves: [IndexMove]
        /// Sections with new content, before the transaction.
        public var reloads: [IndexRun]

        /// Makes a batch; nothing changes by default.
        public init(
            deletes: [IndexRun] = [], inserts: [IndexRun] = [], moves: [IndexMove] = [], reloads: [IndexRun] = []
        ) {
            self.deletes = deletes
            self.inserts = inserts
            self.moves = moves
            self.reloads = reloads
        }

        /// Whether nothing changes.
        public var isEmpty: Bool { keepsOrder && reloads.isEmpty }

        /// Whether no section moves, comes or leaves.
        var keepsOrder: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty }
    }

    /// Changes of items inside sections that stay.
    public struct Items: Sendable, Equatable {
        /// Places of deleted items, before the transaction.
        public var deletes: [ItemPath]
        /// Places of inserted items, after the transaction.
        public var inserts: [ItemPath]
        /// Items that moved.
        public var moves: [ItemMove]
        /// Items with new content, before the transaction.
        public var reloads: [ItemPath]

        /// Makes a batch; nothing changes by default.
        public init(
            deletes: [ItemPath] = [], inserts: [ItemPath] = [], moves: [ItemMove] = [], reloads: [ItemPath] = []
        ) {
            self.deletes = deletes
            self.inserts = inserts
            self.moves = moves
            self.reloads = reloads
        }

        /// Whether nothing changes.
        public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty }

        /// The sections that change, before the transaction.
        var oldSections: [Int] { (deletes + reloads + moves.map(\.from)).map(\.section) }

        /// The sections that change, after the transaction.
        var newSections: [Int] { (inserts + moves.map(\.to)).map(\.section) }
    }

    /// The revision before the transaction.
    public var baseRevision: UInt64
    /// The revision after the transaction.
    public var revision: UInt64
    /// How to apply it.
    public var kind: Kind
    /// Whether the writer requests an animation.
    public var animated: Bool
    /// The number of sections after the transaction; absent in answers of `GetChanges`.
    public var sectionCount: Int?
    /// The number of items after the transaction; absent in answers of `GetChanges`.
    public var itemCount: Int?
    /// Changes of sections.
    public var sections: Sections
    /// Changes of items.
    public var items: Items

    /// Makes an update.
    public init(
        baseRevision: UInt64, revision: UInt64, kind: Kind, animated: Bool = true, sectionCount: Int? = nil,
        itemCount: Int? = nil, sections: Sections = Sections(), items: Items = Items()
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

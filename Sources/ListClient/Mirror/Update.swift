// SPDX-License-Identifier: Apache-2.0

/// The changes of one transaction, as in the contract's `Updated` signal.
///
/// Deletes, reloads and origins of moves are positions before the transaction. Inserts and targets of moves are
/// positions after it (contract, "Announcing").
public struct Update: Sendable, Equatable {
    /// The kind of an update, which determines how a client applies it.
    public enum Kind: String, Sendable {
        /// The batches contain the changes.
        case update
        /// The batches are empty, and everything must be read again.
        case reload
        /// Nothing changed. The daemon repeats its revision so that a client that lost the last signal notices this.
        case announce
    }

    /// A batch of changes of whole sections.
    public struct Sections: Sendable, Equatable {
        /// The deleted sections, as positions before the transaction.
        public var deletes: [IndexRun]
        /// The inserted sections, as positions after the transaction.
        public var inserts: [IndexRun]
        /// The moved sections.
        public var moves: [IndexMove]
        /// The sections with new content, as positions before the transaction.
        public var reloads: [IndexRun]

        /// Creates a batch, which is empty by default.
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

        /// Whether no section is inserted, deleted or moved.
        var keepsOrder: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty }
    }

    /// A batch of item changes in sections that stay.
    public struct Items: Sendable, Equatable {
        /// The deleted items, as places before the transaction.
        public var deletes: [ItemPath]
        /// The inserted items, as places after the transaction.
        public var inserts: [ItemPath]
        /// The moved items.
        public var moves: [ItemMove]
        /// The items with new content, as places before the transaction.
        public var reloads: [ItemPath]

        /// Creates a batch, which is empty by default.
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

        /// The indexes of the changed sections before the transaction.
        var oldSections: [Int] { (deletes + reloads + moves.map(\.from)).map(\.section) }

        /// The indexes of the changed sections after the transaction.
        var newSections: [Int] { (inserts + moves.map(\.to)).map(\.section) }
    }

    /// The epoch of the revisions; nil in answers of `GetChanges`, which are about the epoch of the call.
    public var epoch: String?
    /// The revision before the transaction.
    public var baseRevision: UInt64
    /// The revision after the transaction.
    public var revision: UInt64
    /// The kind, which determines how to apply the update.
    public var kind: Kind
    /// Whether the writer requested an animation.
    public var animated: Bool
    /// The number of sections after the transaction; nil = not known.
    public var sectionCount: Int?
    /// The number of items after the transaction; nil = not known.
    public var itemCount: Int?
    /// Whether every section has exactly one item after the transaction, so that section and item need no mapping; always
    /// false in answers of `GetChanges`, which do not tell it.
    public var isFlat: Bool
    /// The changes of sections.
    public var sections: Sections
    /// The changes of items.
    public var items: Items

    /// Creates an update.
    public init(
        epoch: String? = nil, baseRevision: UInt64, revision: UInt64, kind: Kind, animated: Bool = true,
        sectionCount: Int? = nil, itemCount: Int? = nil, isFlat: Bool = false, sections: Sections = Sections(),
        items: Items = Items()
    ) {
        self.epoch = epoch
        self.baseRevision = baseRevision
        self.revision = revision
        self.kind = kind
        self.animated = animated
        self.sectionCount = sectionCount
        self.itemCount = itemCount
        self.isFlat = isFlat
        self.sections = sections
        self.items = items
    }
}

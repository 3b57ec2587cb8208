/// What one transaction did to a list: the contract's `Updated` signal as a value.
///
/// Deletes, reloads and the origins of moves are positions before the transaction; inserts and the targets of moves are
/// positions after it (contract, "Announcing").
package struct Update: Sendable, Equatable {
    /// How a client takes an update in.
    package enum Kind: String, Sendable {
        /// The batches say what changed.
        case update
        /// The batches are empty: everything is to be read anew.
        case reload
        /// Nothing changed: the daemon repeats its revision so that a client which lost the last signal notices.
        case announce
    }

    /// Changes of whole sections.
    package struct Sections: Sendable, Equatable {
        /// Positions that went away, before the transaction.
        package var deletes: [IndexRun]
        /// Positions that are new, after the transaction.
        package var inserts: [IndexRun]
        /// Sections that changed their place.
        package var moves: [IndexMove]
        /// Sections with new content, before the transaction.
        package var reloads: [IndexRun]

        /// Makes a batch; nothing changes by default.
        package init(
            deletes: [IndexRun] = [], inserts: [IndexRun] = [], moves: [IndexMove] = [], reloads: [IndexRun] = []
        ) {
            self.deletes = deletes
            self.inserts = inserts
            self.moves = moves
            self.reloads = reloads
        }

        /// Whether nothing changes.
        package var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty }
    }

    /// Changes of items inside sections that stay.
    package struct Items: Sendable, Equatable {
        /// Places that went away, before the transaction.
        package var deletes: [ItemPath]
        /// Places that are new, after the transaction.
        package var inserts: [ItemPath]
        /// Items that changed their place.
        package var moves: [ItemMove]
        /// Items with new content, before the transaction.
        package var reloads: [ItemPath]

        /// Makes a batch; nothing changes by default.
        package init(
            deletes: [ItemPath] = [], inserts: [ItemPath] = [], moves: [ItemMove] = [], reloads: [ItemPath] = []
        ) {
            self.deletes = deletes
            self.inserts = inserts
            self.moves = moves
            self.reloads = reloads
        }

        /// Whether nothing changes.
        package var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty }
    }

    /// The revision before the transaction.
    package var baseRevision: UInt64
    /// The revision after the transaction.
    package var revision: UInt64
    /// How to take it in.
    package var kind: Kind
    /// Whether the writer would like it animated.
    package var animated: Bool
    /// Sections after the transaction; absent in what `GetChanges` answers.
    package var sectionCount: Int?
    /// Items after the transaction; absent in what `GetChanges` answers.
    package var itemCount: Int?
    /// Changes of sections.
    package var sections: Sections
    /// Changes of items.
    package var items: Items

    /// Makes an update.
    package init(
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

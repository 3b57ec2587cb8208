// SPDX-License-Identifier: Apache-2.0

public import DBus

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

// These conformances read the contract's integers directly into the mirror's types.

extension IndexRun: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(uu)" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            IndexRun(first: Int(try inside.readUInt32()), count: Int(try inside.readUInt32()))
        }
    }
}

extension IndexMove: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(uu)" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            IndexMove(from: Int(try inside.readUInt32()), to: Int(try inside.readUInt32()))
        }
    }
}

extension ItemPath: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(uu)" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in try ItemPath(members: &inside) }
    }

    fileprivate init(members reader: inout MessageReader) throws(DBusError) {
        self.init(section: Int(try reader.readUInt32()), item: Int(try reader.readUInt32()))
    }
}

extension ItemMove: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(uuuu)" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            ItemMove(from: try ItemPath(members: &inside), to: try ItemPath(members: &inside))
        }
    }
}

extension Update.Sections: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(a(uu)a(uu)a(uu)a(uu))" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Update.Sections(
                deletes: try [IndexRun](from: &inside), inserts: try [IndexRun](from: &inside),
                moves: try [IndexMove](from: &inside), reloads: try [IndexRun](from: &inside))
        }
    }
}

extension Update.Items: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(a(uu)a(uu)a(uuuu)a(uu))" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Update.Items(
                deletes: try [ItemPath](from: &inside), inserts: try [ItemPath](from: &inside),
                moves: try [ItemMove](from: &inside), reloads: try [ItemPath](from: &inside))
        }
    }
}

extension Update.Kind {
    init(reading reader: inout MessageReader) throws(DBusError) {
        let word = try reader.readString()
        guard let kind = Update.Kind(rawValue: word) else { throw .invalidArgs("unknown kind of update “\(word)”") }
        self = kind
    }
}

extension Update {
    /// Reads the body of an `Updated` signal.
    public init(signal reader: inout MessageReader) throws(DBusError) {
        self.init(
            epoch: try reader.readString(), baseRevision: try reader.readUInt64(), revision: try reader.readUInt64(),
            kind: try Kind(reading: &reader), animated: try reader.readBool(),
            sectionCount: Int(try reader.readUInt32()), itemCount: Int(try reader.readUInt32()),
            sections: try Sections(from: &reader), items: try Items(from: &reader))
        isFlat = try [String: DBusValue](from: &reader)["flat"]?.unwrapped == .boolean(true)
    }

    /// Reads a batch in the answer of `GetChanges`.
    public init(batch reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Update(
                baseRevision: try inside.readUInt64(), revision: try inside.readUInt64(),
                kind: try Kind(reading: &inside), sectionCount: Int(try inside.readUInt32()),
                itemCount: Int(try inside.readUInt32()), sections: try Sections(from: &inside),
                items: try Items(from: &inside))
        }
    }
}

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
    public init(section: Int, item: Int = 0) {
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

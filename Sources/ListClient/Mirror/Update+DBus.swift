// SPDX-License-Identifier: Apache-2.0

public import DBus

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

public import DBus

/// The content of an object or item, `a{sv}`, with the variants taken off.
public struct Content: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "a{sv}" }

    /// The values by key.
    public let values: [String: DBusValue]

    /// Reads a content.
    public init(from reader: inout MessageReader) throws(DBusError) {
        values = try reader.array { (inside) throws(DBusError) in
            var values: [String: DBusValue] = [:]
            while !inside.atEnd {
                try inside.dictionaryEntry { (entry) throws(DBusError) in
                    let key = try entry.readString()
                    values[key] = try DBusValue(from: &entry).unwrapped
                }
            }
            return values
        }
    }
}

extension MirroredObject: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(ssa{sv})" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            MirroredObject(
                id: try inside.readString(), type: try inside.readString(),
                fields: try Content(from: &inside).values)
        }
    }
}

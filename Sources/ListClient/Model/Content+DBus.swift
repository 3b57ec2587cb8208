// SPDX-License-Identifier: Apache-2.0

public import DBus

extension Content: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "a{sv}" }

    /// Reads a content. Values are unwrapped from their variants.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self.init(
            try reader.array { (inside) throws(DBusError) in
                var fields: [Element] = []
                while !inside.atEnd {
                    try inside.dictionaryEntry { (entry) throws(DBusError) in
                        fields.append((key: try entry.readString(), value: try DBusValue(from: &entry).unwrapped))
                    }
                }
                return fields
            })
    }
}

extension Content: DBusEncodable {
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { value.append(to: &writer) }
}

extension MirroredObject: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(ssa{sv})" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            MirroredObject(
                id: try inside.readString(), type: try inside.readString(),
                fields: try Content(from: &inside))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension Array: DBusType where Element: DBusType {
    /// The type of the value on the wire.
    public static var signature: Signature { Signature(unchecked: "a" + Element.signature.text) }
}

extension Array: DBusEncodable where Element: DBusEncodable {
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) {
        Element.encode(array: self, to: &writer)
    }
}

extension Array: DBusDecodable where Element: DBusDecodable {
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try Element.decodeArray(from: &reader)
    }
}

extension Dictionary: DBusType where Key: DBusType, Value: DBusType {
    /// The type of the value on the wire.
    public static var signature: Signature { Signature(unchecked: "a{\(Key.signature)\(Value.signature)}") }
}

/// Entries are written in arbitrary order. Of several received entries with the same key, the last one is kept.
extension Dictionary: DBusEncodable where Key: DBusEncodable, Value: DBusEncodable {
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) {
        writer.array { inside in
            for (key, value) in self {
                inside.dictionaryEntry { entry in
                    key.encode(to: &entry)
                    value.encode(to: &entry)
                }
            }
        }
    }
}

extension Dictionary: DBusDecodable where Key: DBusDecodable, Value: DBusDecodable {
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.array { (inside) throws(DBusError) in
            var entries: [Key: Value] = [:]
            while !inside.atEnd {
                try inside.dictionaryEntry { (entry) throws(DBusError) in
                    let key = try Key(from: &entry)
                    entries[key] = try Value(from: &entry)
                }
            }
            return entries
        }
    }
}

/// A D-Bus struct of any members. For example, `DBusStruct(1 as UInt32, "one")` has the type `(us)`.
///
/// Tuples cannot conform to protocols, so this type wraps a tuple.
public struct DBusStruct<each Member> {
    /// The members as a tuple.
    public var members: (repeat each Member)

    /// Creates a struct of these members, in this order.
    public init(_ members: repeat each Member) {
        self.members = (repeat each members)
    }
}

extension DBusStruct: Sendable where repeat each Member: Sendable {}

extension DBusStruct: DBusType where repeat each Member: DBusType {
    /// The type of the value on the wire.
    public static var signature: Signature {
        Signature(unchecked: "(\(Signature.of(repeat (each Member).self)))")
    }
}

extension DBusStruct: DBusEncodable where repeat each Member: DBusEncodable {
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) {
        writer.structure { inside in
            repeat (each members).encode(to: &inside)
        }
    }
}

extension DBusStruct: DBusDecodable where repeat each Member: DBusDecodable {
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        members = try reader.structure { (inside) throws(DBusError) in
            (repeat try (each Member)(from: &inside))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A Swift type that corresponds to one D-Bus type.
public protocol DBusType {
    /// The corresponding D-Bus type: a signature of exactly one complete type.
    static var signature: Signature { get }
}

/// A Swift type whose values can be written into a message.
public protocol DBusEncodable: DBusType {
    /// Appends the value. The appended value has the type `signature`.
    func encode(to writer: inout MessageWriter)
    /// Appends an array of values. Arrays of numbers are copied in one piece.
    static func encode(array: [Self], to writer: inout MessageWriter)
}

/// A Swift type whose values can be read from a message.
public protocol DBusDecodable: DBusType {
    /// Reads the next value.
    ///
    /// - Throws: `InvalidArgs` when the next value has a different type.
    init(from reader: inout MessageReader) throws(DBusError)
    /// Reads an array of values. Arrays of numbers are copied in one piece.
    ///
    /// - Throws: `InvalidArgs` when the next value has a different type.
    static func decodeArray(from reader: inout MessageReader) throws(DBusError) -> [Self]
}

extension DBusEncodable {
    /// Writes an array element by element.
    public static func encode(array: [Self], to writer: inout MessageWriter) {
        writer.array { inside in
            for element in array { element.encode(to: &inside) }
        }
    }
}

extension DBusDecodable {
    /// Reads an array element by element.
    public static func decodeArray(from reader: inout MessageReader) throws(DBusError) -> [Self] {
        try reader.array { (inside) throws(DBusError) in
            var elements: [Self] = []
            while !inside.atEnd { elements.append(try Self(from: &inside)) }
            return elements
        }
    }
}

/// A Swift type that can be both written and read.
public typealias DBusCodable = DBusEncodable & DBusDecodable

extension Signature {
    /// Returns the signature of a body that contains values of these types.
    static func of<each Value: DBusType>(_ types: repeat (each Value).Type) -> Signature {
        var text = ""
        for type in repeat each types { text += type.signature.text }
        return Signature(unchecked: text)
    }
}

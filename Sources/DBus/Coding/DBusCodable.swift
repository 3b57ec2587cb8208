// SPDX-License-Identifier: Apache-2.0

/// A Swift type that stands for one D-Bus type.
public protocol DBusType {
    /// Its D-Bus type: exactly one complete type.
    static var signature: Signature { get }
}

/// A Swift type whose values can be written into a message.
public protocol DBusEncodable: DBusType {
    /// Appends the value with exactly the type `signature`.
    func encode(to writer: inout MessageWriter)
    /// Appends an array of values; numbers are copied in one piece.
    static func encode(array: [Self], to writer: inout MessageWriter)
}

/// A Swift type whose values can be read out of a message.
public protocol DBusDecodable: DBusType {
    /// Reads a value.
    ///
    /// - Throws: `InvalidArgs` when another type comes next.
    init(from reader: inout MessageReader) throws(DBusError)
    /// Reads an array of values; numbers are copied in one piece.
    ///
    /// - Throws: `InvalidArgs` when another type comes next.
    static func decodeArray(from reader: inout MessageReader) throws(DBusError) -> [Self]
}

extension DBusEncodable {
    /// Writes an array of such values at once.
    public static func encode(array: [Self], to writer: inout MessageWriter) {
        writer.array { inside in
            for element in array { element.encode(to: &inside) }
        }
    }
}

extension DBusDecodable {
    /// Reads an array of such values at once.
    public static func decodeArray(from reader: inout MessageReader) throws(DBusError) -> [Self] {
        try reader.array { (inside) throws(DBusError) in
            var elements: [Self] = []
            while !inside.atEnd { elements.append(try Self(from: &inside)) }
            return elements
        }
    }
}

/// A Swift type that can be written and read.
public typealias DBusCodable = DBusEncodable & DBusDecodable

extension Signature {
    /// The signature of a body that holds values of these types.
    static func of<each Value: DBusType>(_ types: repeat (each Value).Type) -> Signature {
        var text = ""
        for type in repeat each types { text += type.signature.text }
        return Signature(unchecked: text)
    }
}

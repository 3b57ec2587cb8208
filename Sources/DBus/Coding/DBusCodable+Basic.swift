// SPDX-License-Identifier: Apache-2.0

extension UInt8: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "y" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt8() }
}

extension Bool: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "b" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readBool() }
}

extension Int16: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "n" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readInt16() }
}

extension UInt16: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "q" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt16() }
}

extension Int32: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "i" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readInt32() }
}

extension UInt32: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "u" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt32() }
}

extension Int64: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "x" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readInt64() }
}

extension UInt64: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "t" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt64() }
}

extension Double: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "d" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readDouble() }
}

extension String: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "s" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readString() }
}

extension ObjectPath: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "o" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readObjectPath() }
}

extension Signature: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "g" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readSignature() }
}

extension FileDescriptor: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "h" }
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) { writer.append(self) }
    /// Reads a value from a message.
    public convenience init(from reader: inout MessageReader) throws(DBusError) {
        self.init(adopting: try reader.readRawDescriptor())
    }
}

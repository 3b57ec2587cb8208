extension UInt8: DBusCodable {
    package static var signature: Signature { "y" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt8() }
}

extension Bool: DBusCodable {
    package static var signature: Signature { "b" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readBool() }
}

extension Int16: DBusCodable {
    package static var signature: Signature { "n" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readInt16() }
}

extension UInt16: DBusCodable {
    package static var signature: Signature { "q" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt16() }
}

extension Int32: DBusCodable {
    package static var signature: Signature { "i" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readInt32() }
}

extension UInt32: DBusCodable {
    package static var signature: Signature { "u" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt32() }
}

extension Int64: DBusCodable {
    package static var signature: Signature { "x" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readInt64() }
}

extension UInt64: DBusCodable {
    package static var signature: Signature { "t" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readUInt64() }
}

extension Double: DBusCodable {
    package static var signature: Signature { "d" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readDouble() }
}

extension String: DBusCodable {
    package static var signature: Signature { "s" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readString() }
}

extension ObjectPath: DBusCodable {
    package static var signature: Signature { "o" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readObjectPath() }
}

extension Signature: DBusCodable {
    package static var signature: Signature { "g" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package init(from reader: inout MessageReader) throws(DBusError) { self = try reader.readSignature() }
}

extension FileDescriptor: DBusCodable {
    package static var signature: Signature { "h" }
    package func encode(to writer: inout MessageWriter) { writer.append(self) }
    package convenience init(from reader: inout MessageReader) throws(DBusError) {
        self.init(adopting: try reader.readRawDescriptor())
    }
}

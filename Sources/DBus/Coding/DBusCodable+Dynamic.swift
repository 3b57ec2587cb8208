// SPDX-License-Identifier: Apache-2.0

/// A variant that contains a value of a known Swift type.
public struct Variant<Value> {
    /// The contained value.
    public var value: Value

    /// Creates a variant that contains `value`.
    public init(_ value: Value) {
        self.value = value
    }
}

extension Variant: Sendable where Value: Sendable {}
extension Variant: Equatable where Value: Equatable {}

extension Variant: DBusType {
    /// The type of the value on the wire.
    public static var signature: Signature { "v" }
}

extension Variant: DBusEncodable where Value: DBusEncodable {
    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) {
        writer.variant(Value.signature) { inside in value.encode(to: &inside) }
    }
}

extension Variant: DBusDecodable where Value: DBusDecodable {
    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        value = try reader.variant { (inside) throws(DBusError) in
            let found = inside.nextSignature
            guard found == Value.signature else {
                throw .invalidArgs("a variant has the type \(found.text.quoted) instead of “\(Value.signature)”")
            }
            return try Value(from: &inside)
        }
    }
}

/// Where a typed value is expected, a `DBusValue` is encoded as a variant: `[String: DBusValue]` is `a{sv}`.
///
/// A `DBusValue.variant` is not wrapped a second time. A decoded value is the content of the variant.
extension DBusValue: DBusCodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "v" }

    /// Writes the value into a message.
    public func encode(to writer: inout MessageWriter) {
        if case .variant(let inner) = self {
            writer.variant(inner.signature) { inside in inner.append(to: &inside) }
        } else {
            writer.variant(signature) { inside in append(to: &inside) }
        }
    }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.variant { (inside) throws(DBusError) in try DBusValue(next: &inside) }
    }
}

extension DBusValue {
    /// Appends the value with its own type, not wrapped in a variant.
    public func append(to writer: inout MessageWriter) {
        switch self {
        case .byte(let value): writer.append(value)
        case .boolean(let value): writer.append(value)
        case .int16(let value): writer.append(value)
        case .uint16(let value): writer.append(value)
        case .int32(let value): writer.append(value)
        case .uint32(let value): writer.append(value)
        case .int64(let value): writer.append(value)
        case .uint64(let value): writer.append(value)
        case .double(let value): writer.append(value)
        case .string(let value): writer.append(value)
        case .objectPath(let value): writer.append(value)
        case .signature(let value): writer.append(value)
        case .fileDescriptor(let value): writer.append(value)
        case .array, .dictionary, .structure, .variant: appendContainer(to: &writer)
        }
    }

    private func appendContainer(to writer: inout MessageWriter) {
        switch self {
        case .array(_, let elements):
            writer.array { inside in
                for element in elements { element.append(to: &inside) }
            }
        case .dictionary(_, _, let entries):
            writer.array { inside in
                for entry in entries {
                    inside.dictionaryEntry { inside in
                        entry.key.append(to: &inside)
                        entry.value.append(to: &inside)
                    }
                }
            }
        case .structure(let members):
            writer.structure { inside in
                for member in members { member.append(to: &inside) }
            }
        case .variant(let inner):
            writer.variant(inner.signature) { inside in inner.append(to: &inside) }
        default:
            break  // the caller writes basic values
        }
    }

    /// Reads the next value, of any type.
    ///
    /// - Throws: `InvalidArgs` after the last value.
    public init(next reader: inout MessageReader) throws(DBusError) {
        switch reader.next {
        case .byte: self = .byte(try reader.readUInt8())
        case .boolean: self = .boolean(try reader.readBool())
        case .int16: self = .int16(try reader.readInt16())
        case .uint16: self = .uint16(try reader.readUInt16())
        case .int32: self = .int32(try reader.readInt32())
        case .uint32: self = .uint32(try reader.readUInt32())
        case .int64: self = .int64(try reader.readInt64())
        case .uint64: self = .uint64(try reader.readUInt64())
        case .double: self = .double(try reader.readDouble())
        case .string: self = .string(try reader.readString())
        case .objectPath: self = .objectPath(try reader.readObjectPath())
        case .signature: self = .signature(try reader.readSignature())
        case .fileDescriptor: self = .fileDescriptor(try reader.readFileDescriptor())
        case .array: self = try DBusValue.readArray(&reader)
        case .structure:
            self = .structure(
                try reader.structure { (inside) throws(DBusError) in try DBusValue.readAll(&inside) })
        case .variant:
            self = .variant(try reader.variant { (inside) throws(DBusError) in try DBusValue(next: &inside) })
        case .dictionaryEntry, nil: throw .invalidArgs("the message has fewer values than expected")
        }
    }

    /// Reads the remaining values of the reader's level.
    public static func readAll(_ reader: inout MessageReader) throws(DBusError) -> [DBusValue] {
        var values: [DBusValue] = []
        while !reader.atEnd { values.append(try DBusValue(next: &reader)) }
        return values
    }

    private static func readArray(_ reader: inout MessageReader) throws(DBusError) -> DBusValue {
        let whole = reader.nextSignature.text.dropFirst()
        guard reader.nextElement == .dictionaryEntry else {
            let elements = try reader.array { (inside) throws(DBusError) in try readAll(&inside) }
            return .array(element: Signature(unchecked: String(whole)), elements)
        }
        let entries = try reader.array { (inside) throws(DBusError) in
            var entries: [Entry] = []
            while !inside.atEnd {
                entries.append(
                    try inside.dictionaryEntry { (entry) throws(DBusError) in
                        Entry(key: try DBusValue(next: &entry), value: try DBusValue(next: &entry))
                    })
            }
            return entries
        }
        let key = whole.dropFirst().prefix(1)
        let value = whole.dropFirst(2).dropLast()
        return .dictionary(
            key: Signature(unchecked: String(key)), value: Signature(unchecked: String(value)), entries)
    }
}

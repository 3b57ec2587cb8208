// SPDX-License-Identifier: Apache-2.0

internal import CDBus

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

/// A number type whose arrays are written and read as one block of memory.
public protocol FixedElement: BitwiseCopyable, Sendable {
    /// The corresponding D-Bus type.
    static var typeCode: TypeCode { get }
}

extension UInt8: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .byte }
}

extension Int16: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .int16 }
}

extension UInt16: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .uint16 }
}

extension Int32: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .int32 }
}

extension UInt32: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .uint32 }
}

extension Int64: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .int64 }
}

extension UInt64: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .uint64 }
}

extension Double: FixedElement {
    /// The corresponding D-Bus type.
    public static var typeCode: TypeCode { .double }
}

extension FixedElement where Self: DBusEncodable {
    /// Writes an array of numbers as one block.
    public static func encode(array: [Self], to writer: inout MessageWriter) {
        writer.appendArray(array)
    }
}

extension FixedElement where Self: DBusDecodable {
    /// Reads an array of numbers as one block.
    public static func decodeArray(from reader: inout MessageReader) throws(DBusError) -> [Self] {
        try reader.fixedArray(of: Self.self) { span in
            unsafe [Self](unsafeUninitializedCapacity: span.count) { buffer, count in
                for index in span.indices { unsafe buffer.initializeElement(at: index, to: span[index]) }
                count = span.count
            }
        }
    }
}

extension MessageWriter {
    /// Appends an array of numbers as one block, which is 20 times faster than element by element.
    public mutating func appendArray<T: FixedElement>(_ elements: Span<T>) {
        array { inside in
            inside.appendFixedElements(elements)
        }
    }

    /// Appends an array of numbers as one block, which is 20 times faster than element by element.
    public mutating func appendArray<T: FixedElement>(_ elements: [T]) {
        appendArray(elements.span)
    }
}

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

/// A name or keyword in the arguments of a call, of which only a bounded number of bytes is read.
///
/// Valid names have at most 255 bytes. A longer text is truncated to 256 bytes, and to a few more if a character would
/// be split. So it equals no valid name and is refused like any unknown name, at a cost that does not depend on its
/// length.
public struct NameArgument: DBusDecodable, Sendable {
    /// The text, truncated if it is longer than a name can be.
    public let text: String

    /// The type of the value on the wire.
    public static var signature: Signature { "s" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        text = try reader.readUTF8 { (bytes) throws(DBusError) in
            var end = min(bytes.count, Names.maximumLength + 1)
            while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }  // never splits a character
            // The string copies the buffer before the call returns.
            return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0[..<end], as: UTF8.self) }
        }
    }
}

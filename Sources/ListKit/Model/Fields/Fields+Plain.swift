// SPDX-License-Identifier: Apache-2.0

extension Fields {
    /// The maximum number of entries that are encoded without a `FieldsEncoder`.
    private static var maximumPlainEntries: Int { 16 }

    /// Encodes a few entries of booleans, numbers and strings, as most objects have them, directly into their final
    /// storage.
    ///
    /// - Returns: nil for more entries, values of other types, repeated keys and text that no D-Bus message can
    ///   carry. Such entries have to be encoded with a `FieldsEncoder`, which reports their errors.
    static func plainStorage(_ entries: Span<(String, Value)>) -> ObjectStorage? {
        if entries.isEmpty { return .empty }
        guard entries.count <= maximumPlainEntries else { return nil }
        var order = InlineArray<16, UInt8>(repeating: 0)
        var size = 0
        for index in entries.indices {
            guard let valueSize = entries[index].1.plainSize else { return nil }
            size += CanonicalEncoding.size(ofCounted: entries[index].0.utf8.count) + 1 + valueSize
            var place = index
            while place > 0 {
                let comparison = compare(entries[index].0, entries[Int(order[place - 1])].0)
                if comparison == 0 { return nil }
                if comparison > 0 { break }
                order[place] = order[place - 1]
                place -= 1
            }
            order[place] = UInt8(truncatingIfNeeded: index)
        }
        guard size <= CanonicalEncoding.maximumByteCount else { return nil }
        var isValid = true
        let storage = ObjectStorage.make(fieldCount: size) { writer in
            for place in entries.indices {
                let index = Int(order[place])
                writer.append(text: entries[index].0)
                entries[index].1.writePlain(to: &writer)
            }
            isValid = writer.isValid
        }
        return isValid ? storage : nil
    }

    /// Compares two keys by their bytes: negative if the first one comes first, 0 if they are equal. The first differing
    /// byte decides; if there is none, the shorter key comes first.
    @inline(__always)
    private static func compare(_ first: String, _ second: String) -> Int {
        first.withUTF8Bytes { first in second.withUTF8Bytes { first.compareBytes(to: $0) } }
    }
}

extension Value {
    /// The encoded size in bytes of a boolean, a number or a string, without the type's letter. Nil for other types.
    fileprivate var plainSize: Int? {
        switch self {
        case .byte, .boolean: 1
        case .int16, .uint16: 2
        case .int32, .uint32: 4
        case .int64, .uint64, .double: 8
        case .string(let text): CanonicalEncoding.size(ofCounted: text.utf8.count)
        case .objectPath, .signature, .variant, .array, .dictionary, .structure: nil
        }
    }

    /// Writes the type's letter and the bytes of a boolean, a number or a string.
    @inline(__always)
    fileprivate func writePlain(to writer: inout PlainWriter) {
        switch self {
        case .byte(let number): writer.append(.byte, number)
        case .boolean(let flag): writer.append(.boolean, flag ? 1 as UInt8 : 0)
        case .int16(let number): writer.append(.int16, number)
        case .uint16(let number): writer.append(.uint16, number)
        case .int32(let number): writer.append(.int32, number)
        case .uint32(let number): writer.append(.uint32, number)
        case .int64(let number): writer.append(.int64, number)
        case .uint64(let number): writer.append(.uint64, number)
        case .double(let number): writer.append(.double, number.canonicalBits)
        case .string(let text):
            writer.append(.string)
            writer.append(text: text)
        case .objectPath, .signature, .variant, .array, .dictionary, .structure: break
        }
    }
}

/// A writer of canonical bytes into memory of a fixed capacity.
@safe
struct PlainWriter {
    private let start: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private(set) var count = 0
    /// Whether a D-Bus message can carry each text so far.
    private(set) var isValid = true

    /// - Parameter start: the memory to write to; the writer must not outlive it.
    init(_ start: UnsafeMutablePointer<UInt8>, capacity: Int) {
        unsafe self.start = start
        self.capacity = capacity
    }

    /// Appends a byte.
    @inline(__always)
    mutating func append(_ byte: UInt8) {
        // trap: the capacity is the size that was computed for the same entries.
        precondition(count < capacity)
        unsafe (start + count).initialize(to: byte)
        count += 1
    }

    /// Appends the letter of a type.
    @inline(__always)
    mutating func append(_ type: TypeCode) { append(type.rawValue) }

    /// Appends the letter of a type, and the lowest bytes of a number.
    @inline(__always)
    mutating func append(_ type: TypeCode, bits: UInt64, size: Int) {
        append(type)
        for offset in 0..<size { append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * offset))) }
    }

    /// Appends the letter of a type and a number.
    @inline(__always)
    mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(_ type: TypeCode, _ number: Number) {
        append(type)
        let size = number.bitWidth / 8
        // trap: the capacity is the computed size, as in `append(_ byte:)`.
        precondition(count + size <= capacity)
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: number.littleEndian, as: Number.self)
        count += size
    }

    /// Appends the length of a text, then its bytes.
    @inline(__always)
    mutating func append(text: String) { text.withUTF8Bytes { append(text: $0) } }

    /// Appends the length of a text, then its bytes.
    @inline(__always)
    mutating func append(text: Span<UInt8>) {
        if !TextRules.isString(text) { isValid = false }
        var rest = UInt32(truncatingIfNeeded: text.count)
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
        // trap: the capacity is the computed size, as in `append(_ byte:)`.
        precondition(count + text.count <= capacity)
        unsafe text.withUnsafeBufferPointer { source in
            if let first = source.baseAddress {
                unsafe (start + count).initialize(from: first, count: source.count)
            }
        }
        count += text.count
    }
}

extension CanonicalEncoding {
    /// Returns the number of bytes that a count takes in the encoding.
    @inline(__always)
    private static func size(ofVarint number: Int) -> Int {
        max(1, (Int.bitWidth - number.leadingZeroBitCount + 6) / 7)
    }

    /// Returns the number of bytes that a text of `count` bytes and its length take in the encoding.
    @inline(__always)
    static func size(ofCounted count: Int) -> Int { size(ofVarint: count) + count }
}

extension Span<UInt8> {
    /// Compares two runs of bytes: negative if this one comes first, 0 if they are equal. The first differing byte
    /// decides; if there is none, the shorter run comes first.
    @inline(__always)
    fileprivate func compareBytes(to other: Span<UInt8>) -> Int {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return Int(self[index]) - Int(other[index])
        }
        return count - other.count
    }
}

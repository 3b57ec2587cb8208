// SPDX-License-Identifier: Apache-2.0

internal import ListSupport

/// A value that can be encoded for the connection between the daemon and a worker.
///
/// The format has neither versions nor type tags, as both ends are the same program. Decoding validates its input all
/// the same, as a plugin may have corrupted its worker's memory: invalid bytes throw, and never trap.
protocol WireCodable {
    /// Encodes the value and appends it.
    func write(to writer: inout WireWriter)

    /// Decodes a value.
    init(from reader: inout WireReader) throws(WireError)
}

/// The error for bytes that are not a valid encoding.
struct WireError: Error, Equatable {
    /// The invalid value in words, for messages.
    let what: String

    init(_ what: String) {
        self.what = what
    }
}

/// An encoder, which appends values to an array of bytes.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    /// Encodes one value.
    static func bytes(of value: some WireCodable) -> [UInt8] {
        var writer = WireWriter()
        writer.write(value)
        return writer.bytes
    }

    /// Encodes values, one after the other.
    mutating func write<each Value: WireCodable>(_ values: repeat each Value) {
        repeat (each values).write(to: &self)
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Appends a number as a LEB128: seven bits per byte, lowest bits first.
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends the number of bytes, and the bytes.
    mutating func append(block: Span<UInt8>) {
        append(number: UInt64(block.count))
        // The span outlives the call, and `append` copies the bytes.
        unsafe block.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

/// A decoder, which reads values from an array of bytes.
struct WireReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Decodes one value, which must use all bytes.
    static func value<Value: WireCodable>(
        of type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(WireError) -> Value {
        var reader = WireReader(bytes)
        let value = try Value(from: &reader)
        guard reader.remaining == 0 else { throw WireError("\(reader.remaining) bytes follow the value of \(type)") }
        return value
    }

    /// The number of bytes that are not read yet.
    var remaining: Int { bytes.count - position }

    mutating func read<Value: WireCodable>(_ type: Value.Type = Value.self) throws(WireError) -> Value {
        try Value(from: &self)
    }

    mutating func readByte() throws(WireError) -> UInt8 {
        guard position < bytes.count else { throw WireError("the data ends inside of a value") }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readNumber() throws(WireError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try readByte()
            guard shift < 63 || byte <= 1 else { break }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
        }
        throw WireError("a number has more than 64 bits")
    }

    /// Reads a position in a list or section, or a number of sections. Throws if it is negative or larger than a list
    /// can be.
    mutating func readIndex() throws(WireError) -> Int {
        let value: Int = try read()
        guard value >= 0, value <= Int(UInt32.max) else { throw WireError("the position \(value) is out of range") }
        return value
    }

    /// Reads the sequence number of a picture. Throws if it is so large that later ones could overflow.
    mutating func readSequence() throws(WireError) -> UInt64 {
        let value = try readNumber()
        guard value <= UInt64.max >> 1 else { throw WireError("the sequence number \(value) is out of range") }
        return value
    }

    /// Returns the number of elements for which memory may be reserved before they are read. A false count must not
    /// cause a large allocation, so the reserved memory is no larger than the unread bytes.
    func safeCapacity<Element>(for count: Int, of type: Element.Type) -> Int {
        min(count, remaining / max(1, MemoryLayout<Element>.stride))
    }

    /// Reads a number of elements. Throws if there are not that many unread bytes, as each element takes one byte at
    /// least.
    mutating func readCount() throws(WireError) -> Int {
        let number = try readNumber()
        guard number <= UInt64(remaining) else {
            throw WireError("the count \(number) exceeds the remaining \(remaining) bytes")
        }
        return Int(number)
    }

    /// Reads a number of bytes, and passes that many bytes to `body`.
    mutating func readBlock<Result>(_ body: (Span<UInt8>) throws(WireError) -> Result) throws(WireError) -> Result {
        let count = try readCount()
        let start = position
        position += count
        return try body(bytes.span.extracting(start..<start + count))
    }
}

extension UInt64: WireCodable {
    func write(to writer: inout WireWriter) { writer.append(number: self) }
    init(from reader: inout WireReader) throws(WireError) { self = try reader.readNumber() }
}

extension UInt8: WireCodable {
    func write(to writer: inout WireWriter) { writer.append(self) }
    init(from reader: inout WireReader) throws(WireError) { self = try reader.readByte() }
}

extension UInt32: WireCodable {
    func write(to writer: inout WireWriter) { writer.append(number: UInt64(self)) }

    init(from reader: inout WireReader) throws(WireError) {
        guard let value = UInt32(exactly: try reader.readNumber()) else {
            throw WireError("a number has more than 32 bits")
        }
        self = value
    }
}

extension Int64: WireCodable {
    func write(to writer: inout WireWriter) {
        // Zigzag encoding: numbers near zero are short, whatever their sign.
        writer.append(number: UInt64(bitPattern: self << 1 ^ self >> 63))
    }

    init(from reader: inout WireReader) throws(WireError) {
        let number = try reader.readNumber()
        self = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}

extension Int: WireCodable {
    func write(to writer: inout WireWriter) { Int64(self).write(to: &writer) }
    init(from reader: inout WireReader) throws(WireError) { self = Int(try Int64(from: &reader)) }
}

extension Bool: WireCodable {
    func write(to writer: inout WireWriter) { writer.append(self ? 1 : 0) }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = false
        case 1: self = true
        default: throw WireError("a boolean is neither 0 nor 1")
        }
    }
}

extension Double: WireCodable {
    func write(to writer: inout WireWriter) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            writer.append(UInt8(truncatingIfNeeded: bitPattern >> shift))
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bits |= UInt64(try reader.readByte()) << shift }
        self.init(bitPattern: bits)
    }
}

extension String: WireCodable {
    func write(to writer: inout WireWriter) { writer.append(block: utf8Span.span) }

    init(from reader: inout WireReader) throws(WireError) {
        self = try reader.readBlock { (bytes) throws(WireError) in
            guard let text = try? UTF8Span(validating: bytes) else { throw WireError("a text is not UTF-8") }
            return String(copying: text)
        }
    }
}

extension Optional: WireCodable where Wrapped: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(self != nil)
        if let self { writer.write(self) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self = try Bool(from: &reader) ? .some(try Wrapped(from: &reader)) : nil
    }
}

extension Array: WireCodable where Element: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.append(number: UInt64(count))
        for element in self { writer.write(element) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let count = try reader.readCount()
        self = []
        reserveCapacity(reader.safeCapacity(for: count, of: Element.self))
        for _ in 0..<count { append(try Element(from: &reader)) }
    }
}

extension Range: WireCodable where Bound == Int {
    func write(to writer: inout WireWriter) { writer.write(lowerBound, upperBound) }

    init(from reader: inout WireReader) throws(WireError) {
        let (lower, upper) = (try reader.readIndex(), try reader.readIndex())
        guard lower <= upper else { throw WireError("a range ends before it begins") }
        self = lower..<upper
    }
}

extension Set: WireCodable where Element: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(Array(self)) }
    init(from reader: inout WireReader) throws(WireError) { self.init(try [Element](from: &reader)) }
}

extension Dictionary: WireCodable where Key: WireCodable, Value: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.append(number: UInt64(count))
        for (key, value) in self {
            writer.write(key)
            writer.write(value)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self = [:]
        for _ in 0..<(try reader.readCount()) {
            let key = try Key(from: &reader)
            self[key] = try Value(from: &reader)
        }
    }
}

extension WireCodable where Self: RawRepresentable, RawValue: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(rawValue) }

    init(from reader: inout WireReader) throws(WireError) {
        let rawValue = try RawValue(from: &reader)
        guard let value = Self(rawValue: rawValue) else { throw WireError("\(Self.self) has no value \(rawValue)") }
        self = value
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A value that travels between the daemon and a worker as bytes.
///
/// The format has no versions and no type tags: both ends are the same program. What comes in is checked all the same, since
/// a plugin may have written over its worker's memory: reading bytes that no writer wrote throws, and never traps.
protocol WireCodable {
    /// Appends the value.
    func write(to writer: inout WireWriter)

    /// Reads a value.
    init(from reader: inout WireReader) throws(WireError)
}

/// Bytes from a worker that no value was written as.
struct WireError: Error, Equatable {
    /// The value that was being read.
    let what: String

    init(_ what: String) {
        self.what = what
    }
}

/// Puts values together as bytes.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    /// The bytes of one value.
    static func bytes(of value: some WireCodable) -> [UInt8] {
        var writer = WireWriter()
        writer.write(value)
        return writer.bytes
    }

    /// Appends values, one after the other.
    mutating func write<each Value: WireCodable>(_ values: repeat each Value) {
        repeat (each values).write(to: &self)
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Seven bits a byte, the lowest first; small numbers take one byte.
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A length and as many bytes.
    mutating func append(block: Span<UInt8>) {
        append(number: UInt64(block.count))
        // The span outlives the call, and append copies it.
        unsafe block.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

/// Takes values from bytes.
struct WireReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads one value that takes all bytes.
    static func value<Value: WireCodable>(
        of type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(WireError) -> Value {
        var reader = WireReader(bytes)
        let value = try Value(from: &reader)
        guard reader.remaining == 0 else { throw WireError("\(type): \(reader.remaining) bytes too many") }
        return value
    }

    /// How many bytes are left.
    var remaining: Int { bytes.count - position }

    mutating func read<Value: WireCodable>(_ type: Value.Type = Value.self) throws(WireError) -> Value {
        try Value(from: &self)
    }

    mutating func byte() throws(WireError) -> UInt8 {
        guard position < bytes.count else { throw WireError("the end") }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(WireError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { break }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
        }
        throw WireError("a number")
    }

    /// A position in a list or a section, or a number of sections: never negative, and nothing that a list cannot have.
    mutating func index() throws(WireError) -> Int {
        let value: Int = try read()
        guard value >= 0, value <= Int(UInt32.max) else { throw WireError("a position: \(value)") }
        return value
    }

    /// A number of pictures: no view is ever sent so many that the next one cannot be counted.
    mutating func sequence() throws(WireError) -> UInt64 {
        let value = try number()
        guard value <= UInt64.max >> 1 else { throw WireError("a sequence: \(value)") }
        return value
    }

    /// For how many elements memory may be reserved before they are read: no more than the bytes that are left take, since
    /// an element in memory is larger than its shortest form in bytes.
    func room<Element>(for count: Int, of type: Element.Type) -> Int {
        min(count, remaining / max(1, MemoryLayout<Element>.stride))
    }

    /// How many things follow, of which each takes a byte at least: so a lie is found out before it costs anything.
    mutating func count() throws(WireError) -> Int {
        let number = try number()
        guard number <= UInt64(remaining) else { throw WireError("a count of \(number)") }
        return Int(number)
    }

    /// A length and as many bytes, lent.
    mutating func block<Result>(_ body: (Span<UInt8>) throws(WireError) -> Result) throws(WireError) -> Result {
        let count = try count()
        let start = position
        position += count
        return try body(bytes.span.extracting(start..<start + count))
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import ListSupport

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

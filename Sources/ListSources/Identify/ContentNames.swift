// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// Which identifier an object without one gets: the option `identify`.
package enum Identify: String, Sendable, CaseIterable {
    /// None: it is refused.
    case none
    /// A digest of its type and fields.
    case content
}

/// The identifiers of the objects of one list that have none of their own.
///
/// An identifier is a digest of type and fields: the first eight bytes of the SHA-256 of their canonical D-Bus form, in
/// hexadecimal digits. The second equal object gets the digest with `-2`, and so on. Given identifiers do not matter: if
/// one of them equals a digest, the later of the two objects is a duplicate.
package struct ContentNames: Sendable {
    private var counts: [String: Int] = [:]

    /// Begins a list.
    package init() {}

    /// Returns the identifier of the next object.
    ///
    /// - Complexity: O(bytes of the object).
    package mutating func next(type: String, fields: Fields) -> String {
        var message = CanonicalMessage()
        message.append(type)
        message.append(fields)
        let name = SHA256.hash(message.bytes).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }
        .joined()
        let count = counts[name, default: 0] + 1
        counts[name] = count
        return count == 1 ? name : "\(name)-\(count)"
    }
}

/// The canonical D-Bus form of values: the bytes of a little-endian message body, in which keys ascend, and every NaN is
/// 7FF8000000000000. Equal values have equal bytes.
struct CanonicalMessage {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ text: String) {
        append(UInt32(truncatingIfNeeded: text.utf8.count))
        bytes += text.utf8
        bytes.append(0)
    }

    /// Appends fields as `a{sv}`.
    mutating func append(_ fields: Fields) {
        let entries = fields.map { (key: $0.key, value: $0.value) }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        array(alignment: 8) { message in
            for (key, value) in entries {
                message.align(8)
                message.append(key)
                message.append(variant: value)
            }
        }
    }

    private mutating func append(_ value: Value) {
        switch value {
        case .byte(let number): append(number)
        case .boolean(let flag): append(UInt32(flag ? 1 : 0))
        case .int16(let number): append(number)
        case .uint16(let number): append(number)
        case .int32(let number): append(number)
        case .uint32(let number): append(number)
        case .int64(let number): append(number)
        case .uint64(let number): append(number)
        case .double(let number): append(number.isNaN ? 0x7FF8_0000_0000_0000 : number.bitPattern)
        case .string(let text), .objectPath(let text): append(text)
        case .signature(let text): append(signature: text)
        case .variant(let inner): append(variant: inner)
        case .array(let element, let values):
            array(alignment: Self.alignment(of: element)) { message in
                for value in values { message.append(value) }
            }
        case .dictionary(_, _, let entries):
            array(alignment: 8) { message in
                for (key, value) in entries.sorted(by: { Self.precedes($0.key, $1.key) }) {
                    message.align(8)
                    message.append(key)
                    message.append(value)
                }
            }
        case .structure(let members):
            align(8)
            for member in members { append(member) }
        }
    }

    private mutating func append(variant value: Value) {
        append(signature: value.signature)
        append(value)
    }

    private mutating func append(signature: String) {
        bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
        bytes += signature.utf8
        bytes.append(0)
    }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        let size = Number.bitWidth / 8
        align(size)
        for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> Number(8 * index))) }
    }

    private mutating func array(alignment: Int, _ body: (inout CanonicalMessage) -> Void) {
        append(UInt32(0))
        let place = bytes.count - 4
        align(alignment)
        let start = bytes.count
        body(&self)
        let count = UInt32(truncatingIfNeeded: bytes.count - start)
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: count >> UInt32(8 * index)) }
    }

    private mutating func align(_ alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }

    private static func alignment(of signature: String) -> Int {
        switch signature.utf8.first ?? 0 {
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        default: 4
        }
    }

    /// Orders keys: text by its code points, numbers by value.
    private static func precedes(_ one: Value, _ other: Value) -> Bool {
        if let first = one.string, let second = other.string {
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
        if case .uint64(let first) = one, case .uint64(let second) = other { return first < second }
        if let first = one.int, let second = other.int { return first < second }
        return (one.double ?? (one.bool == true ? 1 : 0)) < (other.double ?? (other.bool == true ? 1 : 0))
    }
}

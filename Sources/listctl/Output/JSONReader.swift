// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation

/// A parser of the JSON that listd writes: values, and objects member by member.
///
/// A number with a point or an exponent becomes a double. Both of two members whose keys are equal Swift strings are
/// kept. The input must be valid JSON: the parser does not notice every syntax error.
struct JSONReader {
    /// The error for bytes that are not the expected JSON.
    struct Fault: Error {}

    /// The maximum nesting; listd's values are nested less deeply.
    private static let maximumDepth = 100

    private var rest: ArraySlice<UInt8>
    private var depth = 0

    /// Creates a parser at the start of the bytes.
    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    /// Reads an object. `body` gets the key of each member, and must read its value.
    mutating func readMembers(_ body: (inout JSONReader, String) throws(Fault) -> Void) throws(Fault) {
        try readSequence(from: "{", to: "}") { (reader) throws(Fault) in
            let key = try reader.readString()
            guard reader.consumeCharacter(":") else { throw Fault() }
            try body(&reader, key)
        }
    }

    /// Reads a value. Null becomes nil; members and elements that are null are left out.
    mutating func readValue() throws(Fault) -> DBusValue? {
        skipBlanks()
        switch rest.first {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "{"):
            var entries: [DBusValue.Entry] = []
            try readMembers { (reader, key) throws(Fault) in
                guard let value = try reader.readValue() else { return }
                entries.append(DBusValue.Entry(key: .string(key), value: .variant(value)))
            }
            return .dictionary(key: "s", value: "v", entries)
        case UInt8(ascii: "["):
            var elements: [DBusValue] = []
            try readSequence(from: "[", to: "]") { (reader) throws(Fault) in
                if let value = try reader.readValue() { elements.append(.variant(value)) }
            }
            return .array(element: "v", elements)
        default: return try readLiteral()
        }
    }

    /// Whether only blanks are left to read.
    var isAtEnd: Bool { rest.allSatisfy(Self.isBlank) }

    /// Reads a string.
    mutating func readString() throws(Fault) -> String {
        guard consumeCharacter("\"") else { throw Fault() }
        var end = rest.startIndex
        var isEscaped = false
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            isEscaped = isEscaped || rest[end] == UInt8(ascii: "\\")
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < rest.endIndex else { throw Fault() }
        defer { rest = rest[(end + 1)...] }
        guard isEscaped else { return String(decoding: rest[..<end], as: UTF8.self) }
        let quoted = Data([UInt8(ascii: "\"")] + rest[...end])
        guard let text = try? JSONDecoder().decode(String.self, from: quoted) else { throw Fault() }
        return text
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func readLiteral() throws(Fault) -> DBusValue? {
        let bytes = rest.prefix { !",]}".utf8.contains($0) && !Self.isBlank($0) }
        rest = rest[bytes.endIndex...]
        let text = String(decoding: bytes, as: UTF8.self)
        switch text {
        case "null": return nil
        case "true", "false": return .boolean(text == "true")
        default:
            if let number = Int64(text) { return .int64(number) }
            if let number = UInt64(text) { return .uint64(number) }
            guard let number = Double(text) else { throw Fault() }
            return .double(number)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private mutating func skipBlanks() {
        while let byte = rest.first, Self.isBlank(byte) { rest.removeFirst() }
    }

    /// Reads elements between two brackets, with commas between the elements.
    private mutating func readSequence(
        from start: Unicode.Scalar, to end: Unicode.Scalar, _ element: (inout JSONReader) throws(Fault) -> Void
    ) throws(Fault) {
        guard depth < Self.maximumDepth, consumeCharacter(start) else { throw Fault() }
        depth += 1
        defer { depth -= 1 }
        guard !consumeCharacter(end) else { return }
        repeat { try element(&self) } while consumeCharacter(",")
        guard consumeCharacter(end) else { throw Fault() }
    }

    /// Skips blanks, then the character if it is next. Returns whether it was.
    private mutating func consumeCharacter(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}

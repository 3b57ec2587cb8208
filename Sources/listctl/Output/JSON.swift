// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListProtocol

/// A value as JSON on one line, in the format `jsonl` of the contract's `GetObjectsByFileDescriptor`. The members of an
/// object are sorted.
///
/// Types that JSON lacks are written as the nearest type: bytes as base64 text, NaN and infinity as null, structures as
/// arrays, paths and signatures as text, keys of any type as text. Both of two keys that are equal Swift strings are
/// kept. Control characters are escaped in strings, which every reader of JSON decodes to the same text.
struct JSONLine {
    private var json = JSONWriter()

    /// The JSON text.
    var text: String { String(decoding: json.bytes, as: UTF8.self) }

    init(_ value: DBusValue) {
        append(value)
    }

    private mutating func append(_ value: DBusValue) {
        switch value {
        case .byte(let number): json.append(number)
        case .boolean(let flag): json.append(flag)
        case .int16(let number): json.append(number)
        case .uint16(let number): json.append(number)
        case .int32(let number): json.append(number)
        case .uint32(let number): json.append(number)
        case .int64(let number): json.append(number)
        case .uint64(let number): json.append(number)
        case .double(let number): json.append(number)
        case .string(let string): append(quoted: string)
        case .objectPath(let path): append(quoted: path.text)
        case .signature(let signature): append(quoted: signature.text)
        case .fileDescriptor: json.appendNull()
        case .variant(let inner): append(inner)
        case .dictionary(_, _, let entries): append(object: entries)
        case .array(let element, let elements) where element == "y":
            json.append(base64: elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
        case .array(_, let elements), .structure(let elements): append(array: elements)
        }
    }

    private mutating func append(object entries: [DBusValue.Entry]) {
        let members = entries.map { (key: Self.key($0.key), value: $0.value) }
        var isFirst = true
        json.begin(.object)
        for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            json.appendSeparator(unlessFirst: &isFirst)
            append(quoted: key)
            json.appendColon()
            append(value)
        }
        json.end(.object)
    }

    /// Returns a dictionary key as text, because JSON's keys are strings. A number or Boolean is put in quotes, also
    /// NaN and infinity, which JSON cannot write as numbers.
    private static func key(_ value: DBusValue) -> String {
        switch value {
        case .string(let text): text
        case .objectPath(let path): path.text
        case .signature(let signature): signature.text
        case .double(let number): number.description
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .fileDescriptor, .variant, .array,
            .dictionary, .structure:
            JSONLine(value).text
        }
    }

    private mutating func append(array elements: [DBusValue]) {
        var isFirst = true
        json.begin(.array)
        for element in elements {
            json.appendSeparator(unlessFirst: &isFirst)
            append(element)
        }
        json.end(.array)
    }

    private mutating func append(quoted string: String) {
        json.append(quoted: string, mustEscape: DisplayText.controlsTerminal)
    }

    /// Returns a line of JSON that listd wrote, with control characters escaped. They occur in strings only.
    static func sanitized(_ line: String) -> String {
        guard line.unicodeScalars.contains(where: DisplayText.controlsTerminal) else { return line }
        var json = JSONWriter()
        json.append(text: line, escaping: DisplayText.controlsTerminal)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

/// The removal of members from an object in a line of JSON, which leaves the rest as it was written.
enum JSONMember {
    /// The key with the object's section, which `show --json` adds to each object.
    static let section = "section"

    /// Returns the line without the members of a key.
    ///
    /// A line that is no object stays unchanged; the reader of the line reports the error. Keys are compared as
    /// written: a key that is written with an escape does not match.
    static func removing(_ key: String, from line: Data) -> Data {
        let bytes = Array(line)
        var members: [Range<Int>] = []
        var (depth, start, place) = (0, 0, 0)
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""): place = endOfString(bytes, from: place)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { start = place + 1 }
            case UInt8(ascii: ","):
                guard depth == 1 else { break }
                members.append(start..<place)
                start = place + 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { members.append(start..<place) }
            default: break
            }
            place += 1
        }
        let quoted = Array("\"\(key)\"".utf8)
        let kept = members.filter { !bytes[$0].drop { $0 <= 0x20 }.starts(with: quoted) }
        guard kept.count < members.count, let first = members.first, let last = members.last else { return line }
        let body = kept.map { bytes[$0] }.joined(separator: [UInt8(ascii: ",")])
        return Data(bytes[..<first.lowerBound] + body + bytes[last.upperBound...])
    }

    /// Returns the index of the quotation mark that ends a string, or of the last byte when the string does not end.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count - 1)
    }
}

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

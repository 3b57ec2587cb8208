// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation

/// A value as JSON on one line, as listd writes the format `jsonl` (the contract's `GetObjectsByFileDescriptor`), with
/// the members of options in order.
///
/// Types that JSON lacks are written as the nearest one: bytes as base64 text, NaN and infinity as null, structures as
/// arrays, paths and signatures as text, keys of any type as text. Keys that are equal Swift strings are both kept.
/// Control characters are escaped in strings, which is the same text for every reader of JSON.
struct JSONLine {
    /// The JSON text.
    private(set) var text = ""

    init(_ value: DBusValue) {
        append(value)
    }

    private mutating func append(_ value: DBusValue) {
        switch value {
        case .byte(let number): text += String(number)
        case .boolean(let flag): text += flag ? "true" : "false"
        case .int16(let number): text += String(number)
        case .uint16(let number): text += String(number)
        case .int32(let number): text += String(number)
        case .uint32(let number): text += String(number)
        case .int64(let number): text += String(number)
        case .uint64(let number): text += String(number)
        // Swift writes the shortest digits that read back as the same number, and always a point or an exponent.
        case .double(let number): text += number.isFinite ? number.description : "null"
        case .string(let string): append(quoted: string)
        case .objectPath(let path): append(quoted: path.text)
        case .signature(let signature): append(quoted: signature.text)
        case .fileDescriptor: text += "null"
        case .variant(let inner): append(inner)
        case .dictionary(_, _, let entries): append(object: entries)
        case .array(let element, let elements) where element == "y": append(base64: elements)
        case .array(_, let elements), .structure(let elements): append(array: elements)
        }
    }

    private mutating func append(object entries: [DBusValue.Entry]) {
        let members = entries.map { (key: Self.key($0.key), value: $0.value) }
        var separator = "{"
        for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            text += separator
            append(quoted: key)
            text += ":"
            append(value)
            separator = ","
        }
        text += members.isEmpty ? "{}" : "}"
    }

    /// JSON's keys are strings: a number or truth value is put in quotes, also one that JSON has no number for.
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
        text += "["
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            append(element)
        }
        text += "]"
    }

    private mutating func append(base64 elements: [DBusValue]) {
        let bytes = elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
        append(quoted: Data(bytes).base64EncodedString())
    }

    private mutating func append(quoted string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += #"\""#
            case "\\": text += #"\\"#
            case "\n": text += #"\n"#
            case "\r": text += #"\r"#
            case "\t": text += #"\t"#
            case let scalar where DisplayText.steers(scalar): text += Self.escaped(scalar)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// A line of JSON from elsewhere, with control characters escaped; outside of strings it has none.
    static func harmless(_ line: String) -> String {
        guard line.unicodeScalars.contains(where: DisplayText.steers) else { return line }
        var text = ""
        for scalar in line.unicodeScalars {
            if DisplayText.steers(scalar) { text += escaped(scalar) } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

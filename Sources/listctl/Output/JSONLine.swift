// SPDX-License-Identifier: Apache-2.0

import DBus
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

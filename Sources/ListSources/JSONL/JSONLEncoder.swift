// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
@_spi(Daemon) package import ListKit

/// Writes the format `jsonl`: one object a line, as ``JSONLDecoder`` reads it.
///
/// What JSON lacks is written as the nearest: bytes (`ay`) as base64 text, NaN and infinity as null, structures as arrays,
/// paths and signatures as text, keys of any type as text, variants as what is in them (the contract's
/// `GetObjectsByFileDescriptor`).
package struct JSONLEncoder {
    /// The lines so far.
    package private(set) var bytes: [UInt8] = []

    /// Makes an encoder that has written nothing.
    package init() {}

    /// Writes one object and the end of its line.
    ///
    /// - Complexity: O(bytes of the object).
    package mutating func append(_ object: ListObject) {
        append(ascii: #"{"id":"#)
        object.withIDBytes { append(quoted: $0) }
        append(ascii: #","type":"#)
        append(quoted: object.objectType.name.utf8Span.span)
        append(ascii: #","fields":"#)
        appendObject(FieldsReader(object.fields))
        append(ascii: "}\n")
    }

    // The depth of the recursion is bounded: fields nest at most 32 containers.
    private mutating func append(_ element: FieldsReader.Element) {
        switch element {
        case .byte(let number): append(ascii: String(number))
        case .boolean(let flag): append(ascii: flag ? "true" : "false")
        case .int16(let number): append(ascii: String(number))
        case .uint16(let number): append(ascii: String(number))
        case .int32(let number): append(ascii: String(number))
        case .uint32(let number): append(ascii: String(number))
        case .int64(let number): append(ascii: String(number))
        case .uint64(let number): append(ascii: String(number))
        // Swift writes the shortest digits that read back as the same number, and always a point or an exponent.
        case .double(let number): append(ascii: number.isFinite ? number.description : "null")
        case .string(let text), .objectPath(let text), .signature(let text): text.withBytes { append(quoted: $0) }
        case .variant(_, var inside): if let value = inside.next() { append(value) }
        case .array(let type, let inside): appendArray(of: type, inside)
        case .structure(let members): appendElements(members)
        case .dictionaryEntry: break  // met only inside of `appendObject`
        }
    }

    private mutating func appendArray(of type: FieldsReader.Text, _ reader: FieldsReader) {
        switch type.withBytes({ TypeCode(rawValue: $0[0]) }) {
        case .byte: appendBase64(reader)
        case .dictionaryEntry: appendObject(reader)
        default: appendElements(reader)
        }
    }

    private mutating func appendElements(_ reader: FieldsReader) {
        var reader = reader
        var separator = "["
        while let element = reader.next() {
            append(ascii: separator)
            append(element)
            separator = ","
        }
        append(ascii: separator == "[" ? "[]" : "]")
    }

    private mutating func appendObject(_ reader: FieldsReader) {
        var reader = reader
        var separator = "{"
        while case .dictionaryEntry(var entry) = reader.next(), let key = entry.next(), let value = entry.next() {
            append(ascii: separator)
            append(key: key)
            append(ascii: ":")
            append(value)
            separator = ","
        }
        append(ascii: separator == "{" ? "{}" : "}")
    }

    /// JSON's keys are strings: a number or truth value is put in quotes.
    private mutating func append(key: FieldsReader.Element) {
        switch key {
        case .string, .objectPath, .signature:
            append(key)
        case .double(let number):
            append(ascii: "\"\(number)\"")
        default:
            append(ascii: "\"")
            append(key)
            append(ascii: "\"")
        }
    }

    private mutating func appendBase64(_ reader: FieldsReader) {
        var reader = reader
        var content: [UInt8] = []
        while case .byte(let byte) = reader.next() { content.append(byte) }
        append(ascii: "\"")
        bytes.append(contentsOf: Data(content).base64EncodedData())
        append(ascii: "\"")
    }

    private mutating func append(ascii text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(quoted text: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        for position in text.indices {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""): append(ascii: #"\""#)
            case UInt8(ascii: "\\"): append(ascii: #"\\"#)
            case UInt8(ascii: "\n"): append(ascii: #"\n"#)
            case UInt8(ascii: "\r"): append(ascii: #"\r"#)
            case UInt8(ascii: "\t"): append(ascii: #"\t"#)
            case 0..<0x20: append(ascii: (byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

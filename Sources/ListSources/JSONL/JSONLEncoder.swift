// SPDX-License-Identifier: Apache-2.0

internal import ListJSON
@_spi(Daemon) package import ListKit

/// An encoder of the format `jsonl`: one object per line, as ``JSONLDecoder`` reads it.
///
/// Values that JSON cannot express are written as their nearest equivalent: bytes (`ay`) as base64 text, NaN and
/// infinity as null, structs as arrays, object paths and signatures as text, keys of any type as text, variants as
/// their content (the contract's `GetObjectsByFileDescriptor`).
package struct JSONLEncoder {
    private var json = JSONWriter()

    /// The lines written so far.
    package var bytes: [UInt8] { json.bytes }

    /// Creates an encoder without output.
    package init() {}

    /// Appends a line with one object.
    ///
    /// - Complexity: O(bytes of the object).
    package mutating func append(_ object: ListObject) {
        var isFirst = true
        json.begin(.object)
        appendKey("id", &isFirst)
        object.withIDBytes { json.append(quoted: $0) }
        appendKey("type", &isFirst)
        json.append(quoted: object.objectType.name.utf8Span.span)
        appendKey("fields", &isFirst)
        appendObject(FieldsReader(object.fields))
        json.end(.object)
        json.appendLineBreak()
    }

    // The recursion is bounded: fields nest at most 32 containers.
    private mutating func append(_ element: FieldsReader.Element) {
        switch element {
        case .byte(let number): json.append(number)
        case .boolean(let flag): json.append(flag)
        case .int16(let number): json.append(number)
        case .uint16(let number): json.append(number)
        case .int32(let number): json.append(number)
        case .uint32(let number): json.append(number)
        case .int64(let number): json.append(number)
        case .uint64(let number): json.append(number)
        case .double(let number): json.append(number)
        case .string(let text), .objectPath(let text), .signature(let text): text.withBytes { json.append(quoted: $0) }
        case .variant(_, var inside): if let value = inside.next() { append(value) }
        case .array(let type, let inside): appendArray(of: type, inside)
        case .structure(let members): appendElements(members)
        case .dictionaryEntry: break  // occurs only inside of `appendObject`
        }
    }

    private mutating func appendArray(of type: FieldsReader.Text, _ reader: FieldsReader) {
        switch type.withBytes({ TypeCode(rawValue: $0[0]) }) {
        case .byte: appendBase64(reader)
        case .dictionaryEntry: appendObject(reader)
        case .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
            .variant, .array, .structure, .structureEnd, .dictionaryEntryEnd, nil:
            appendElements(reader)
        }
    }

    private mutating func appendElements(_ reader: FieldsReader) {
        var (reader, isFirst) = (reader, true)
        json.begin(.array)
        while let element = reader.next() {
            json.appendSeparator(unlessFirst: &isFirst)
            append(element)
        }
        json.end(.array)
    }

    private mutating func appendObject(_ reader: FieldsReader) {
        var (reader, isFirst) = (reader, true)
        json.begin(.object)
        while case .dictionaryEntry(var entry) = reader.next(), let key = entry.next(), let value = entry.next() {
            json.appendSeparator(unlessFirst: &isFirst)
            append(key: key)
            json.appendColon()
            append(value)
        }
        json.end(.object)
    }

    private mutating func appendKey(_ key: String, _ isFirst: inout Bool) {
        json.appendSeparator(unlessFirst: &isFirst)
        json.append(quoted: key.utf8Span.span)
        json.appendColon()
    }

    /// Appends a key. Keys are strings in JSON, so a number or boolean is quoted.
    private mutating func append(key: FieldsReader.Element) {
        switch key {
        case .string, .objectPath, .signature: append(key)
        case .double(let number): json.append(key: number)
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .variant, .array, .structure,
            .dictionaryEntry:
            json.appendQuotationMark()
            append(key)
            json.appendQuotationMark()
        }
    }

    private mutating func appendBase64(_ reader: FieldsReader) {
        var reader = reader
        var content: [UInt8] = []
        while case .byte(let byte) = reader.next() { content.append(byte) }
        json.append(base64: content)
    }
}

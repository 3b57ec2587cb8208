// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import ListJSON

/// A value as JSON on one line, in the format `jsonl` of the contract's `GetObjectsByFileDescriptor`. The members of an
/// object are sorted.
///
/// Types that JSON lacks are written as the nearest type: bytes as base64 text, NaN and infinity as null, structures as
/// arrays, paths and signatures as text, keys of any type as text. Both of two keys that are equal Swift strings are
/// kept. Control characters are escaped in strings, which every reader of JSON decodes to the same text.
struct JSONLine {
    private var json = JSONWriter()

    var text: String { String(decoding: json.bytes, as: UTF8.self) }

    init(_ value: DBusValue) {
        append(value)
    }

    /// Writes an object without the members of a key. A null stays, and so do repeated keys.
    ///
    /// - Throws: a `JSONFault` for a line that is not an object.
    init(_ line: some Sequence<UInt8>, without key: String) throws(JSONFault) {
        json = try JSONFault.reading(line) { tape throws(JSONFault) in
            guard case .object = tape.node(at: JSONTape.root) else { throw JSONFault() }
            var line = JSONLine()
            line.append(tape, at: JSONTape.root, without: key)
            return line.json
        }
    }

    private init() {}

    // The recursion is bounded: the parser refuses more than 1024 nested brackets.
    private mutating func append(_ tape: JSONTape, at position: Int, without removed: String? = nil) {
        switch tape.node(at: position) {
        case .string: append(quoted: tape.text(at: position))
        case .integer(let number): json.append(number)
        case .largeInteger(let number): json.append(number)
        case .double(let number): json.append(number)
        case .boolean(let flag): json.append(flag)
        case .null: json.appendNull()
        case .array:
            var isFirst = true
            json.begin(.array)
            tape.forEachElement(ofArrayAt: position) { element in
                json.appendSeparator(unlessFirst: &isFirst)
                append(tape, at: element)
            }
            json.end(.array)
        case .object:
            var isFirst = true
            json.begin(.object)
            tape.forEachMember(ofObjectAt: position) { key, value in
                let key = tape.text(at: key)
                guard key != removed else { return }
                json.appendSeparator(unlessFirst: &isFirst)
                append(quoted: key)
                json.appendColon()
                append(tape, at: value)
            }
            json.end(.object)
        }
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

/// The error for a text that is not JSON (RFC 8259), has a number beyond 64 bits or beyond doubles, or is not of the
/// expected form.
struct JSONFault: Error {
    /// What is wrong, as a part of a sentence.
    let reason: String

    init(_ reason: String = "malformed JSON") { self.reason = reason }

    /// Parses a text and passes its tape to `body`.
    static func reading<Result>(
        _ text: some Sequence<UInt8>, _ body: (JSONTape) throws(JSONFault) -> Result
    ) throws(JSONFault) -> Result {
        let bytes = Array(text)
        guard var parser = JSONParser() else { throw JSONFault() }
        return try parser.parse(bytes.indices, of: bytes.span, orThrow: { _ in JSONFault() }, body)
    }
}

extension JSONTape {
    /// Calls `body` with the positions of the keys and values of an object.
    func forEachMember<Failure: Error>(
        ofObjectAt position: Int, _ body: (_ key: Int, _ value: Int) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .object(let end) = node(at: position) else { return }
        var key = position + 1
        while key < end {
            try body(key, key + 1)
            key = self.position(after: key + 1)
        }
    }

    /// Calls `body` with the positions of the elements of an array.
    func forEachElement(ofArrayAt position: Int, _ body: (Int) -> Void) {
        guard case .array(let end) = node(at: position) else { return }
        var element = position + 1
        while element < end {
            body(element)
            element = self.position(after: element)
        }
    }

    /// Returns the members of an object as fields, without those that are null.
    func fields(ofObjectAt position: Int) -> Content {
        var fields: [Content.Element] = []
        forEachMember(ofObjectAt: position) { key, value in
            if let value = DBusValue(self, at: value) { fields.append((key: text(at: key), value: value)) }
        }
        return Content(fields)
    }
}

extension DBusValue {
    /// Reads the value at a position: an integer becomes `x`, or `t` if it is larger, another number `d`, an array `av`
    /// and an object `a{sv}`. Null becomes nil; members and elements that are null are left out.
    ///
    /// Both of two members whose keys are equal Swift strings are kept.
    init?(_ tape: JSONTape, at position: Int) {
        // The recursion is bounded: the parser refuses more than 1024 nested brackets.
        switch tape.node(at: position) {
        case .null: return nil
        case .string: self = .string(tape.text(at: position))
        case .integer(let number): self = .int64(number)
        case .largeInteger(let number): self = .uint64(number)
        case .double(let number): self = .double(number)
        case .boolean(let flag): self = .boolean(flag)
        case .array:
            var elements: [DBusValue] = []
            tape.forEachElement(ofArrayAt: position) { element in
                if let value = DBusValue(tape, at: element) { elements.append(.variant(value)) }
            }
            self = .array(element: "v", elements)
        case .object:
            var entries: [DBusValue.Entry] = []
            tape.forEachMember(ofObjectAt: position) { key, value in
                guard let value = DBusValue(tape, at: value) else { return }
                entries.append(DBusValue.Entry(key: .string(tape.text(at: key)), value: .variant(value)))
            }
            self = .dictionary(key: "s", value: "v", entries)
        }
    }
}

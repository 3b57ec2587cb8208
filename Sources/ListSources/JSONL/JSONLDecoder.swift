// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import ListJSON
@_spi(Daemon) package import ListKit
internal import ListSupport

/// A decoder of the format `jsonl`: one object per line, `{"id": "...", "type": "...", "fields": {...}}`.
///
/// A missing type or missing fields are empty, and blank lines are skipped. Anything else is an error that names the
/// line.
package struct JSONLDecoder: ~Copyable {
    private var limits: ObjectLimits
    private var parser: JSONParser
    private var maker: JSONLObjects

    /// Creates a decoder.
    ///
    /// - Parameter identify: the identifiers of objects without one.
    /// - Throws: `limitsExceeded` when there is no memory.
    package init(limits: ObjectLimits = ObjectLimits(), identify: Identify = .none) throws(ListError) {
        self.limits = limits
        parser = try Self.parser()
        maker = JSONLObjects(limits: limits, identify: identify)
    }

    fileprivate static func parser() throws(ListError) -> JSONParser {
        guard let parser = JSONParser() else {
            throw ListError(.limitsExceeded, "there is not enough memory to parse JSON")
        }
        return parser
    }

    /// Returns the error for a text that simdjson refuses.
    fileprivate static func malformed(_ reason: String) -> ListError {
        ListError(.invalidObject, "malformed JSON", cause: reason)
    }

    /// Changes the limits for lines that are read from now on.
    mutating func setLimits(_ limits: ObjectLimits) {
        self.limits = limits
        maker.limits = limits
    }

    /// Begins another list: identifiers that are made of contents are counted anew.
    mutating func beginList() { maker.beginList() }

    /// Returns the maximum length of a line with a valid object, in bytes. Text takes twice its length when all its
    /// characters are escaped.
    package static func longestLine(_ limits: ObjectLimits) -> Int {
        2 * limits.objectBytes + 4 * limits.idBytes + 1024
    }

    /// Decodes all lines of a text. The last line needs no line feed.
    ///
    /// - Parameter firstLine: the number of the first line, for error messages.
    /// - Throws: `invalidObject` or `payloadTooLarge` with the number of the first faulty line; see
    ///   ``object(at:of:line:)``.
    /// - Complexity: O(bytes).
    package mutating func objects(in bytes: Span<UInt8>, firstLine: Int = 1) throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        var start = 0
        var line = firstLine
        while start < bytes.count {
            let end = Self.lineEnd(from: start, in: bytes)
            if let object = try object(at: start..<end, of: bytes, line: line) { objects.append(object) }
            start = end + 1
            line += 1
        }
        return objects
    }

    /// Decodes the object of one line; nil for a blank line.
    ///
    /// - Throws: `invalidObject` for a line that is not JSON or not an object as described, and for values that no
    ///   D-Bus message can carry; `payloadTooLarge` beyond the limits.
    package mutating func object(
        at range: Range<Int>, of bytes: Span<UInt8>, line: Int
    ) throws(ListError) -> ListObject? {
        guard !Self.isBlank(range, of: bytes) else { return nil }
        do throws(ListError) {
            guard range.count <= Self.longestLine(limits) else {
                throw LimitKey.objectBytes.refusal(
                    .payloadTooLarge, "the line has \(range.count) bytes, more than \(Self.longestLine(limits))")
            }
            let object = try parser.parse(range, of: bytes, orThrow: Self.malformed) { tape throws(ListError) in
                try maker.object(of: tape)
            }
            try limits.checkSize(of: object)
            return object
        } catch {
            throw ListError(error.code, "line \(line): \(error.message)", cause: error.cause)
        }
    }

    /// Returns the end of the line that starts at a position: the next line feed, or the end of the bytes.
    package static func lineEnd(from start: Int, in bytes: Span<UInt8>) -> Int {
        let rest = bytes.extracting(start...)
        // `memchr` only reads the bytes, and only during the call.
        return unsafe rest.withUnsafeBytes { buffer in
            guard let first = buffer.baseAddress,
                let found = unsafe memchr(first, Int32(UInt8(ascii: "\n")), buffer.count)
            else { return bytes.count }
            return unsafe start + (UnsafeRawPointer(found) - first)
        }
    }

    private static func isBlank(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
        for position in range {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            default: return false
            }
        }
        return true
    }
}

/// Creates the object of a parsed line.
struct JSONLObjects {
    var limits: ObjectLimits
    /// The identifiers of lines without one; nil = such lines are refused.
    private var names: ContentNames?
    private var fields = JSONFields()
    private var lastType = ObjectType.unnamed

    init(limits: ObjectLimits, identify: Identify) {
        self.limits = limits
        names = identify == .content ? ContentNames() : nil
    }

    /// Begins another list.
    mutating func beginList() { if names != nil { names = ContentNames() } }

    mutating func object(of tape: JSONTape) throws(ListError) -> ListObject {
        let members = try JSONLMembers(tape)
        let type = try objectType(members.type, of: tape)
        if names != nil, members.id.map({ tape.text(at: $0).isEmpty }) ?? true {
            return try namedObject(type: type, fieldsAt: members.fields, of: tape)
        }
        guard let id = members.id else { throw ListError(.invalidObject, "the object has no id") }
        return try tape.withText(at: id) { text throws(ListError) in
            try limits.check(idLength: text.count)
            return try fields.object(id: text, type: type, fieldsAt: members.fields, of: tape)
        }
    }

    /// Returns an object whose identifier is made of its content.
    private mutating func namedObject(
        type: ObjectType, fieldsAt position: Int?, of tape: JSONTape
    ) throws(ListError) -> ListObject {
        // Any identifier will do until the fields are known.
        let object = try fields.object(id: [UInt8(ascii: "-")].span, type: type, fieldsAt: position, of: tape)
        guard let id = names?.next(type: object.type, fields: object.fields) else { return object }
        return try ListObject(id: id, type: object.type, fields: object.fields)
    }

    /// Returns the object type with a name. The last type is kept, as most objects have the type of the object
    /// before.
    private mutating func objectType(_ position: Int?, of tape: JSONTape) throws(ListError) -> ObjectType {
        let name = position.map { tape.text(at: $0) } ?? ""
        if name.utf8.elementsEqual(lastType.name.utf8) { return lastType }
        try limits.check(typeLength: name.utf8.count)
        guard !name.utf8.contains(0) else {
            throw ListError(.invalidObject, "the type \(name.quoted) contains a NUL character")
        }
        lastType = ObjectType.named(name)
        return lastType
    }
}

/// The positions of the members of a line. The last of repeated members counts, and null removes a member.
private struct JSONLMembers {
    private(set) var id: Int?
    private(set) var type: Int?
    private(set) var fields: Int?

    init(_ tape: JSONTape) throws(ListError) {
        guard case .object(let end) = tape.node(at: JSONTape.root) else {
            throw ListError(.invalidObject, "the line is not a JSON object")
        }
        var key = JSONTape.root + 1
        while key < end {
            let value = tape.isNull(at: key + 1) ? nil : key + 1
            switch tape.text(at: key) {
            case "id": id = value
            case "type": type = value
            case "fields": fields = value
            case let other: throw ListError(.invalidObject, "unknown key \(other.quoted)")
            }
            key = tape.position(after: key + 1)
        }
        if let id, case .string = tape.node(at: id) {} else if id != nil { throw Self.wrongType("id", "a string") }
        if let type, case .string = tape.node(at: type) {
        } else if type != nil {
            throw Self.wrongType("type", "a string")
        }
        if let fields, case .object = tape.node(at: fields) {
        } else if fields != nil {
            throw Self.wrongType("fields", "an object")
        }
    }

    private static func wrongType(_ key: String, _ expected: String) -> ListError {
        ListError(.invalidObject, "\(key) is not \(expected)")
    }
}

/// Converts JSON into fields. Strings become `s`, integers `x`, other numbers `d`, booleans `b`, arrays `av`, objects
/// `a{sv}`. A null removes its key, and the last of repeated keys counts (docs/rules/contract.md, "Writing").
package struct JSONFields {
    private var encoder = FieldsEncoder()

    private static let signatures = (
        string: Array("s".utf8), integer: Array("x".utf8), double: Array("d".utf8), boolean: Array("b".utf8),
        array: Array("av".utf8), dictionary: Array("a{sv}".utf8)
    )

    /// Converts a text that is a single JSON object.
    ///
    /// - Throws: `invalidObject` for any other text.
    package static func fields(parsing text: String) throws(ListError) -> Fields {
        let bytes = Array(text.utf8)
        var parser = try JSONLDecoder.parser()
        return try parser.parse(bytes.indices, of: bytes.span, orThrow: JSONLDecoder.malformed) {
            tape throws(ListError) in
            guard case .object = tape.node(at: JSONTape.root) else {
                throw ListError(.invalidObject, "the value is not an object")
            }
            var fields = JSONFields()
            return try fields.fields(at: JSONTape.root, of: tape)
        }
    }

    /// Converts the JSON object at a position.
    ///
    /// - Throws: `invalidObject` that names the field's key, for a value that fields cannot contain: a null in an
    ///   array, an integer beyond `x`, a NUL, or more than 32 nested containers.
    package mutating func fields(at position: Int, of tape: JSONTape) throws(ListError) -> Fields {
        try encodeFields(at: position, of: tape)
        return try encoder.finish()
    }

    /// Creates an object with the given identifier and type, and with the fields of the JSON object at a position. If
    /// the position is nil, the object has no fields.
    package mutating func object(
        id: Span<UInt8>, type: ObjectType, fieldsAt position: Int?, of tape: JSONTape
    ) throws(ListError) -> ListObject {
        if let position { try encodeFields(at: position, of: tape) } else { encoder.reset() }
        return try encoder.finishObject(id: id, type: type)
    }

    private mutating func encodeFields(at position: Int, of tape: JSONTape) throws(ListError) {
        encoder.reset()
        try forEachEntry(ofObjectAt: position, tape) { key, value throws(ListError) in
            do throws(ListError) {
                try appendEntry(key: key, value: value, tape)
            } catch {
                throw ListError(error.code, "field \(tape.text(at: key).quoted): \(error.message)")
            }
        }
    }

    private mutating func appendEntry(key: Int, value: Int, _ tape: JSONTape) throws(ListError) {
        try encoder.beginDictionaryEntry()
        try tape.withText(at: key) { text throws(ListError) in try encoder.append(text: text) }
        try appendVariant(at: value, tape)
        try encoder.endDictionaryEntry()
    }

    // The recursion is bounded: the encoder refuses more than 32 nested containers.
    private mutating func appendVariant(at position: Int, _ tape: JSONTape) throws(ListError) {
        switch tape.node(at: position) {
        case .string:
            try encoder.beginVariant(signature: Self.signatures.string.span)
            try tape.withText(at: position) { text throws(ListError) in try encoder.append(text: text) }
        case .integer(let number):
            try encoder.beginVariant(signature: Self.signatures.integer.span)
            try encoder.append(number)
        case .largeInteger(let number):
            throw ListError(.invalidObject, "the integer \(number) is larger than \(Int64.max)")
        case .double(let number):
            try encoder.beginVariant(signature: Self.signatures.double.span)
            try encoder.append(number)
        case .boolean(let flag):
            try encoder.beginVariant(signature: Self.signatures.boolean.span)
            try encoder.append(flag)
        case .array(let end):
            try encoder.beginVariant(signature: Self.signatures.array.span)
            try appendElements(from: position + 1, to: end, tape)
        case .object:
            try encoder.beginVariant(signature: Self.signatures.dictionary.span)
            try encoder.beginArray()
            try forEachEntry(ofObjectAt: position, tape) { key, value throws(ListError) in
                try appendEntry(key: key, value: value, tape)
            }
            try encoder.endArray()
        case .null:
            throw ListError(.invalidObject, "null is allowed only as the value of a key")
        }
        try encoder.endVariant()
    }

    private mutating func appendElements(from start: Int, to end: Int, _ tape: JSONTape) throws(ListError) {
        try encoder.beginArray()
        var element = start
        while element < end {
            try appendVariant(at: element, tape)
            element = tape.position(after: element)
        }
        try encoder.endArray()
    }

    /// Calls `body` for each entry of an object, except the entries that a null removes.
    private func forEachEntry(
        ofObjectAt position: Int, _ tape: JSONTape, _ body: (_ key: Int, _ value: Int) throws(ListError) -> Void
    ) throws(ListError) {
        guard case .object(let end) = tape.node(at: position) else { return }
        let removed = removedKeys(from: position + 1, to: end, tape)
        var key = position + 1
        while key < end {
            let value = key + 1
            let isRemoved = tape.isNull(at: value) || !removed.isEmpty && removed.contains(tape.bytes(at: key))
            if !isRemoved { try body(key, value) }
            key = tape.position(after: value)
        }
    }

    /// Returns each key of an object for which the last value is null.
    private func removedKeys(from start: Int, to end: Int, _ tape: JSONTape) -> Set<[UInt8]> {
        var removed: Set<[UInt8]> = []
        var key = start
        while key < end {
            if tape.isNull(at: key + 1) {
                removed.insert(tape.bytes(at: key))
            } else if !removed.isEmpty {
                removed.remove(tape.bytes(at: key))
            }
            key = tape.position(after: key + 1)
        }
        return removed
    }
}

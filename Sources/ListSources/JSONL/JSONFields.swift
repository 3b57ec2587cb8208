// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

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
        var parser = try JSONParser()
        return try parser.parse(bytes.indices, of: bytes.span) { tape throws(ListError) in
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

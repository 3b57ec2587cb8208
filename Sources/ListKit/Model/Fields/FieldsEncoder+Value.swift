// SPDX-License-Identifier: Apache-2.0

extension FieldsEncoder {
    /// Appends one entry of the fields: the key, and a variant with the value.
    ///
    /// - Throws: `invalidObject`, naming the key, for a value that no D-Bus message can carry.
    mutating func append(_ value: Value, forKey key: String) throws(ListError) {
        do throws(ListError) {
            try beginDictionaryEntry()
            try append(text: key.utf8Span.span)
            try appendVariant(of: value)
            try endDictionaryEntry()
        } catch {
            throw ListError(error.code, "field \(key.quoted): \(error.message)", cause: error.cause)
        }
    }

    /// Appends a value. Throws unless the value has the type that is expected next.
    mutating func append(_ value: Value) throws(ListError) {
        switch value {
        case .byte(let number): try append(number)
        case .boolean(let flag): try append(flag)
        case .int16(let number): try append(number)
        case .uint16(let number): try append(number)
        case .int32(let number): try append(number)
        case .uint32(let number): try append(number)
        case .int64(let number): try append(number)
        case .uint64(let number): try append(number)
        case .double(let number): try append(number)
        case .string(let text): try append(text, as: .string)
        case .objectPath(let text): try append(text, as: .objectPath)
        case .signature(let text): try append(text, as: .signature)
        case .variant(let inner): try appendVariant(of: inner)
        case .array(let element, let elements):
            try requireNextType("a\(element)")
            try beginArray()
            for item in elements { try append(item) }
            try endArray()
        case .dictionary(let key, let value, let entries):
            try requireNextType("a{\(key)\(value)}")
            try beginArray()
            for (name, content) in entries {
                try beginDictionaryEntry()
                try append(name)
                try append(content)
                try endDictionaryEntry()
            }
            try endArray()
        case .structure(let members):
            try beginStructure()
            for member in members { try append(member) }
            try endStructure()
        }
    }

    private mutating func append(_ text: String, as code: TypeCode) throws(ListError) {
        guard expectedType == code else { throw typeMismatch(code) }
        try append(text: text.utf8Span.span)
    }

    private mutating func appendVariant(of value: Value) throws(ListError) {
        var signature: [UInt8] = []
        try FieldsEncoder.write(signatureOf: value, to: &signature, depth: 0)
        try beginVariant(signature: signature.span)
        try append(value)
        try endVariant()
    }

    /// Throws unless the next expected type is `declared`, the type of an array or a dictionary. An empty array is
    /// checked only here, as it has no elements to check.
    private func requireNextType(_ declared: String) throws(ListError) {
        let frame = frames[frames.count - 1]
        let end = TypeSignature.endOfWellFormedType(at: frame.nextType, before: frame.types.upperBound) { bytes[$0] }
        guard bytes[frame.nextType..<end].elementsEqual(declared.utf8) else {
            throw ListError(.invalidObject, "fields: an array has the unexpected type '\(declared)'")
        }
    }

    /// Appends the signature of a value, like `Value.signature`, but throws for a value that is nested too deeply.
    private static func write(signatureOf value: Value, to bytes: inout [UInt8], depth: Int) throws(ListError) {
        guard depth <= CanonicalEncoding.maximumDepth, bytes.count <= TypeSignature.maximumLength else {
            throw ListError(.invalidObject, "fields: the type of a value is nested too deeply or too long")
        }
        guard case .structure(let members) = value else {
            bytes.append(contentsOf: value.signature.utf8)
            return
        }
        bytes.append(TypeCode.structure.rawValue)
        for member in members { try write(signatureOf: member, to: &bytes, depth: depth + 1) }
        bytes.append(TypeCode.structureEnd.rawValue)
    }
}

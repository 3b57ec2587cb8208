// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListProtocol

extension MessageReader {
    /// Reads the options of a call, `a{sv}`; if a name is repeated, the last value counts.
    ///
    /// - Throws: `InvalidArgs` for values that no option can have: a file descriptor, more than 32 nested containers.
    mutating func readOptions() throws(DBusError) -> [String: Value] {
        var decoder = FieldsDecoder(longestKey: ObjectNames.longestName)
        do throws(DBusError) {
            let fields = try decoder.fields(from: &self)
            return Dictionary(fields.map { ($0.key, $0.value) }) { $1 }
        } catch {
            throw .invalidArgs("options: \(error.message)")
        }
    }
}

/// A decoder of fields and objects in messages. It copies values directly into the canonical encoding, without an
/// intermediate tree. One decoder can decode many objects.
struct FieldsDecoder {
    private var encoder = FieldsEncoder()
    /// The key of the present field.
    private var key: [UInt8] = []
    /// The maximum number of bytes of a key in the outermost `a{sv}`.
    private let longestKey: Int

    /// Makes a decoder. A decoder of options is given the longest possible name of an option, so that longer names
    /// are refused before they are copied.
    init(longestKey: Int = .max) { self.longestKey = longestKey }

    /// Reads the next `a{sv}`.
    ///
    /// - Throws: `InvalidObject` for values that fields cannot have: a file descriptor, more than 32 nested
    ///   containers.
    mutating func fields(from reader: inout MessageReader) throws(DBusError) -> Fields {
        try copyFields(from: &reader)
        do throws(ListError) { return try encoder.finish() } catch { throw error.dbusError }
    }

    /// Reads an object whose fields are the next `a{sv}`.
    ///
    /// - Throws: as `fields(from:)`; `InvalidObject` for an empty identifier.
    mutating func object(
        id: Span<UInt8>, type: ObjectType, from reader: inout MessageReader
    ) throws(DBusError) -> ListObject {
        try copyFields(from: &reader)
        do throws(ListError) { return try encoder.finishObject(id: id, type: type) } catch { throw error.dbusError }
    }

    private mutating func copyFields(from reader: inout MessageReader) throws(DBusError) {
        encoder.reset()
        try reader.array { (entries) throws(DBusError) in
            while !entries.atEnd {
                if try copyText(from: &entries) { continue }
                if try !copyPlainNumber(from: &entries) { try copyField(from: &entries) }
            }
        }
    }

    /// Copies the next field if its value is text, as is usual; returns `false` if it is not.
    private mutating func copyText(from reader: inout MessageReader) throws(DBusError) -> Bool {
        let taken: Void? = try reader.textEntry { (key, text) throws(DBusError) in
            try checkLength(of: key)
            do throws(ListError) {
                try encoder.appendField(key, text: text)
            } catch {
                throw FieldsDecoder.errorNaming(key, error.dbusError)
            }
        }
        return taken != nil
    }

    /// Copies the next field if its value is a boolean or a number; returns `false` if it is not.
    private mutating func copyPlainNumber(from reader: inout MessageReader) throws(DBusError) -> Bool {
        let taken: Void? = try reader.numberEntry { (key, type, bits) throws(DBusError) in
            try checkLength(of: key)
            do throws(ListError) {
                guard let type = ListKit.TypeCode(rawValue: type.rawValue) else {
                    throw ListError(.invalidObject, "the value is not a number")
                }
                try encoder.appendField(key, bits: bits, type: type)
            } catch {
                throw FieldsDecoder.errorNaming(key, error.dbusError)
            }
        }
        return taken != nil
    }

    private func checkLength(of key: Span<UInt8>) throws(DBusError) {
        guard key.count <= longestKey else { throw .invalidArgs("\(FieldsDecoder.quoted(key)) is unknown") }
    }

    private static func errorNaming(_ key: Span<UInt8>, _ error: DBusError) -> DBusError {
        DBusError(name: error.name, message: "\(quoted(key)): \(error.message)")
    }

    private static func quoted(_ key: Span<UInt8>) -> String {
        // Longer keys are cut off. The buffer is only read during the call.
        unsafe key.withUnsafeBufferPointer { unsafe String(decoding: $0.prefix(1024), as: UTF8.self) }.quoted
    }

    /// Copies the next field; an error in its value names its key.
    private mutating func copyField(from reader: inout MessageReader) throws(DBusError) {
        try reader.dictionaryEntry { (entry) throws(DBusError) in
            key.removeAll(keepingCapacity: true)
            try entry.readUTF8 { (text) throws(DBusError) in
                try checkLength(of: text)
                // The buffer is only read during the call.
                unsafe text.withUnsafeBufferPointer { unsafe key.append(contentsOf: $0) }
            }
            do throws(DBusError) {
                try entry.variant { (inside) throws(DBusError) in try copyFieldValue(from: &inside) }
            } catch {
                throw FieldsDecoder.errorNaming(key.span, error)
            }
        }
    }

    private mutating func copyFieldValue(from reader: inout MessageReader) throws(DBusError) {
        let key = key
        try withEncoder { (encoder) throws(ListError) in try encoder.beginDictionaryEntry() }
        do throws(ListError) { try encoder.append(text: key.span) } catch { throw error.dbusError }
        try copyVariantContent(from: &reader)
        try withEncoder { (encoder) throws(ListError) in try encoder.endDictionaryEntry() }
    }

    private mutating func copyEntry(from reader: inout MessageReader) throws(DBusError) {
        try withEncoder { (encoder) throws(ListError) in try encoder.beginDictionaryEntry() }
        try reader.dictionaryEntry { (entry) throws(DBusError) in
            try copyValue(from: &entry)
            try copyValue(from: &entry)
        }
        try withEncoder { (encoder) throws(ListError) in try encoder.endDictionaryEntry() }
    }

    private mutating func copyValue(from reader: inout MessageReader) throws(DBusError) {
        switch reader.next {
        case .string, .objectPath, .signature:
            try reader.readUTF8 { (text) throws(DBusError) in
                do throws(ListError) { try encoder.append(text: text) } catch { throw error.dbusError }
            }
        case .array: try copyArray(from: &reader)
        case .variant: try copyVariant(from: &reader)
        case .structure:
            try withEncoder { (encoder) throws(ListError) in try encoder.beginStructure() }
            try reader.structure { (members) throws(DBusError) in
                while !members.atEnd { try copyValue(from: &members) }
            }
            try withEncoder { (encoder) throws(ListError) in try encoder.endStructure() }
        default: try copyNumber(from: &reader)
        }
    }

    private mutating func copyArray(from reader: inout MessageReader) throws(DBusError) {
        try withEncoder { (encoder) throws(ListError) in try encoder.beginArray() }
        if reader.nextElement == .byte {
            try reader.fixedArray(of: UInt8.self) { (bytes) throws(DBusError) in
                do throws(ListError) { try encoder.append(bytes: bytes) } catch { throw error.dbusError }
            }
        } else {
            try reader.array { (elements) throws(DBusError) in
                while !elements.atEnd {
                    if elements.next == .dictionaryEntry {
                        try copyEntry(from: &elements)
                    } else {
                        try copyValue(from: &elements)
                    }
                }
            }
        }
        try withEncoder { (encoder) throws(ListError) in try encoder.endArray() }
    }

    private mutating func copyVariant(from reader: inout MessageReader) throws(DBusError) {
        try reader.variant { (inside) throws(DBusError) in try copyVariantContent(from: &inside) }
    }

    private mutating func copyVariantContent(from reader: inout MessageReader) throws(DBusError) {
        try reader.withNextSignature { (signature) throws(DBusError) in
            do throws(ListError) { try encoder.beginVariant(signature: signature) } catch { throw error.dbusError }
        }
        try copyValue(from: &reader)
        try withEncoder { (encoder) throws(ListError) in try encoder.endVariant() }
    }

    private mutating func copyNumber(from reader: inout MessageReader) throws(DBusError) {
        switch reader.next {
        case .byte:
            let value = try reader.readUInt8()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .boolean:
            let value = try reader.readBool()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .int16:
            let value = try reader.readInt16()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .uint16:
            let value = try reader.readUInt16()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .int32:
            let value = try reader.readInt32()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .uint32:
            let value = try reader.readUInt32()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .int64:
            let value = try reader.readInt64()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .uint64:
            let value = try reader.readUInt64()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        case .double:
            let value = try reader.readDouble()
            try withEncoder { (encoder) throws(ListError) in try encoder.append(value) }
        default: throw ListError(.invalidObject, "a field cannot contain a file descriptor").dbusError
        }
    }

    private mutating func withEncoder(
        _ body: (inout FieldsEncoder) throws(ListError) -> Void
    ) throws(DBusError) {
        do throws(ListError) { try body(&encoder) } catch { throw error.dbusError }
    }
}

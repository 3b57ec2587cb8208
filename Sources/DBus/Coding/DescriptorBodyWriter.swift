// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A writer of message bodies that contain file descriptors; it copies a body into a message value by value.
///
/// Only libdbus' iterators accept descriptors, so only such messages are written with iterators. libdbus aborts the
/// process for an invalid value, so each text and each variant's type is checked first.
@safe
struct DescriptorBodyWriter {
    /// The descriptors to which the indexes in the body refer. The message receives duplicates.
    let descriptors: [FileDescriptor]

    /// Appends a whole body.
    ///
    /// - Throws: `InvalidArgs` for a value that D-Bus does not allow; `NoMemory` when there is no memory or the
    ///   process can open no more descriptors. The message must then be discarded.
    func append(
        _ body: borrowing MarshalledBytes, of signature: Signature, to message: OpaquePointer
    ) throws(DBusError) {
        let none = unsafe BodyDescriptors(message)  // the reader returns only indexes, which refer to `descriptors`
        defer { withExtendedLifetime(none) {} }
        let types = Array(signature.text.utf8)
        try unsafe types.withUnsafeBufferPointer { (types) throws(DBusError) in
            try unsafe body.withBytes { (bytes) throws(DBusError) in
                var reader = unsafe MessageReader(
                    MessageBody(bytes: bytes, types: types, descriptors: none, messageSize: nil))
                var iterator = unsafe DBusMessageIter()
                unsafe dbus_message_iter_init_append(message, &iterator)
                try unsafe appendValues(from: &reader, to: &iterator)
            }
        }
    }

    /// Appends the remaining values of the reader's level.
    private func appendValues(
        from reader: inout MessageReader, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        while let code = reader.next {
            switch code {
            case .array, .structure, .dictionaryEntry, .variant:
                try unsafe appendContainer(of: code, from: &reader, to: &iterator)
            case .string, .objectPath, .signature:
                let text = try unsafe reader.consumeText(code)  // a NUL follows it in the body
                reader.advanceType()
                guard unsafe isValid(text.baseAddress, as: code) else {
                    throw .invalidArgs("a value of type “\(code)” is not valid")
                }
                try unsafe withUnsafePointer(to: text.baseAddress) { (pointer) throws(DBusError) in
                    try unsafe appendBasic(pointer, as: code, to: &iterator)
                }
            default:
                try unsafe appendNumber(of: code, from: &reader, to: &iterator)
            }
        }
    }

    private func isValid(_ text: UnsafeRawPointer?, as code: TypeCode) -> Bool {
        guard let text = unsafe text?.assumingMemoryBound(to: CChar.self) else { return false }
        return switch code {
        case .objectPath: unsafe dbus_validate_path(text, nil) != 0
        case .signature: unsafe dbus_signature_validate(text, nil) != 0
        default: unsafe dbus_validate_utf8(text, nil) != 0
        }
    }

    private func appendNumber(
        of code: TypeCode, from reader: inout MessageReader, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        var value = unsafe DBusBasicValue()
        if code == .fileDescriptor {
            let number = Int(try reader.consumeNumber(UInt32.self))
            guard descriptors.indices.contains(number) else { throw MessageReader.truncated }
            unsafe value.fd = descriptors[number].rawValue
        } else {
            switch code.alignment {
            case 1: unsafe value.byt = try reader.consumeNumber(UInt8.self)
            case 2: unsafe value.u16 = try reader.consumeNumber(UInt16.self)
            case 4: unsafe value.u32 = try reader.consumeNumber(UInt32.self)
            default: unsafe value.u64 = try reader.consumeNumber(dbus_uint64_t.self)
            }
        }
        reader.advanceType()
        try unsafe withUnsafePointer(to: value) { (pointer) throws(DBusError) in
            try unsafe appendBasic(pointer, as: code, to: &iterator)
        }
    }

    private func appendBasic(
        _ value: UnsafeRawPointer, as code: TypeCode, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        guard unsafe dbus_message_iter_append_basic(&iterator, Int32(code.rawValue), value) != 0 else {
            throw WriteFailure.noMemory.error
        }
    }

    private func appendContainer(
        of code: TypeCode, from reader: inout MessageReader, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        var inner = unsafe DBusMessageIter()
        let fill = { (inside: inout MessageReader) throws(DBusError) in
            try unsafe openContainer(code, for: &inside, in: &iterator, as: &inner)
            do throws(DBusError) {
                try unsafe appendValues(from: &inside, to: &inner)
            } catch {
                unsafe dbus_message_iter_abandon_container(&iterator, &inner)
                throw error
            }
            guard unsafe dbus_message_iter_close_container(&iterator, &inner) != 0 else {
                throw WriteFailure.noMemory.error
            }
        }
        switch code {
        case .array: try reader.array(fill)
        case .structure: try reader.structure(fill)
        case .dictionaryEntry: try reader.dictionaryEntry(fill)
        default: try reader.variant(fill)
        }
    }

    /// Opens a container. For arrays and variants, libdbus needs the type of the contents, which is that of `inside`.
    private func openContainer(
        _ code: TypeCode, for inside: inout MessageReader, in iterator: inout DBusMessageIter,
        as inner: inout DBusMessageIter
    ) throws(DBusError) {
        let done: dbus_bool_t
        if code == .variant, unsafe !Signature.isValid(String(decoding: inside.types, as: UTF8.self)) {
            throw .invalidArgs("the type of a variant is not valid")
        }
        if code == .array || code == .variant {
            done = unsafe SignatureText.withTerminated(inside.types) { types in
                unsafe dbus_message_iter_open_container(&iterator, Int32(code.rawValue), types, &inner)
            }
        } else {
            done = unsafe dbus_message_iter_open_container(&iterator, Int32(code.rawValue), nil, &inner)
        }
        guard done != 0 else { throw WriteFailure.noMemory.error }
    }
}

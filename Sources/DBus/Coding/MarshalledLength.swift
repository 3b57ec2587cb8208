// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// Computes the marshalled length of a libdbus message (D-Bus specification, "Marshaling" and "Message Format").
///
/// This allocates no memory. As an array stores its own length, the time depends on the signature alone.
enum MarshalledLength {
    /// Returns the length of the body in bytes, and converts the message to this machine's byte order.
    ///
    /// - Parameter message: the message, which the caller keeps alive during the call.
    static func byteCount(ofBodyOf message: OpaquePointer) -> Int {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(message, &iterator) != 0 else { return 0 }
        var count = 0
        unsafe addValues(of: &iterator, to: &count)
        return count
    }

    /// Returns the length of the header in bytes. Header fields that D-Bus does not define are not counted.
    ///
    /// - Parameter message: the message, which must already have this machine's byte order.
    static func byteCount(ofHeaderOf message: OpaquePointer) -> Int {
        var count = 16
        // Each field is a struct of a byte and a variant whose type has one letter.
        func add(_ value: Int) { count += (4 + value).padded(to: 8) }
        func add(_ text: UnsafePointer<CChar>?) {
            if let text = unsafe text { unsafe add(4 + length(of: text) + 1) }
        }
        unsafe add(dbus_message_get_path(message))
        unsafe add(dbus_message_get_interface(message))
        unsafe add(dbus_message_get_member(message))
        unsafe add(dbus_message_get_error_name(message))
        unsafe add(dbus_message_get_destination(message))
        unsafe add(dbus_message_get_sender(message))
        let types = unsafe dbus_message_get_signature(message).map { unsafe strlen($0) } ?? 0
        if types > 0 { add(1 + types + 1) }
        if unsafe dbus_message_get_reply_serial(message) != 0 { add(4) }
        if unsafe dbus_message_contains_unix_fds(message) != 0 { add(4) }
        return count
    }

    /// Adds the lengths of the remaining values of the iterator's level.
    private static func addValues(of iterator: inout DBusMessageIter, to count: inout Int) {
        while let code = TypeCode(iteratorType: unsafe dbus_message_iter_get_arg_type(&iterator)) {
            count = count.padded(to: code.alignment)
            switch code {
            case .byte: count += 1
            case .int16, .uint16: count += 2
            case .boolean, .int32, .uint32, .fileDescriptor: count += 4
            case .int64, .uint64, .double: count += 8
            case .string, .objectPath: unsafe count += 4 + length(ofTextAt: &iterator) + 1
            case .signature: unsafe count += 1 + length(ofTypesAt: &iterator) + 1
            case .array:
                let element = TypeCode(iteratorType: unsafe dbus_message_iter_get_element_type(&iterator))
                var elements = unsafe DBusMessageIter()
                unsafe dbus_message_iter_recurse(&iterator, &elements)
                count = (count + 4).padded(to: element?.alignment ?? 1)
                count += Int(unsafe listd_array_byte_count(&elements))
            case .structure, .dictionaryEntry, .variant:
                var members = unsafe DBusMessageIter()
                unsafe dbus_message_iter_recurse(&iterator, &members)
                if code == .variant { unsafe count += 1 + length(ofSignatureOf: &members) + 1 }
                unsafe addValues(of: &members, to: &count)
            }
            guard unsafe dbus_message_iter_next(&iterator) != 0 else { return }
        }
    }

    private static func length(ofTextAt iterator: inout DBusMessageIter) -> Int {
        var text: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &text)
        return unsafe text.map { unsafe length(of: $0) } ?? 0
    }

    private static func length(ofTypesAt iterator: inout DBusMessageIter) -> Int {
        var types: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &types)
        return unsafe types.map { unsafe strlen($0) } ?? 0
    }

    private static func length(ofSignatureOf iterator: inout DBusMessageIter) -> Int {
        guard let types = unsafe dbus_message_iter_get_signature(&iterator) else { return 0 }
        defer { unsafe dbus_free(types) }
        return unsafe strlen(types)
    }

    /// Returns the length that is stored before a text. libdbus returns pointers into the message, which is in this
    /// machine's byte order once an iterator was created.
    private static func length(of text: UnsafePointer<CChar>) -> Int {
        Int(unsafe UnsafeRawPointer(text).loadUnaligned(fromByteOffset: -4, as: UInt32.self))
    }
}

extension TypeCode {
    /// Converts the type that a libdbus iterator reports; nil after the last value.
    fileprivate init?(iteratorType: Int32) {
        switch iteratorType {
        case Int32(TypeCode.structure.rawValue): self = .structure
        case Int32(TypeCode.dictionaryEntry.rawValue): self = .dictionaryEntry
        default: self.init(rawValue: UInt8(truncatingIfNeeded: iteratorType))
        }
    }
}

extension Int {
    fileprivate func padded(to alignment: Int) -> Int { (self + alignment - 1) & -alignment }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

extension Message {
    /// How many bytes the body has, counted without copying it.
    ///
    /// - Complexity: O(length of the signature and of the text that stands outside of arrays)
    public var bodyLength: Int {
        guard let made = unsafe made else { return bodySize }
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(made, &iterator) != 0 else { return 0 }
        return unsafe BodyLength(of: &iterator).end
    }
}

/// Walks over values and adds up their bytes (D-Bus specification, Marshalling); an array tells its own.
@safe
private struct BodyLength {
    /// Where the values end that were walked over.
    private(set) var end = 0

    init(of iterator: inout DBusMessageIter) { unsafe addAll(&iterator) }

    private mutating func addAll(_ iterator: inout DBusMessageIter) {
        while let code = unsafe TypeCode(argument: dbus_message_iter_get_arg_type(&iterator)) {
            unsafe add(code, &iterator)
            unsafe dbus_message_iter_next(&iterator)
        }
    }

    private mutating func add(_ code: TypeCode, _ iterator: inout DBusMessageIter) {
        switch code {
        case .string, .objectPath: unsafe addText(&iterator, lengthSize: 4)
        case .signature: unsafe addText(&iterator, lengthSize: 1)
        case .array:
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            let element = unsafe TypeCode(argument: dbus_message_iter_get_element_type(&iterator))
            add(4, alignment: 4)
            let length = unsafe Int(listd_array_length(&inner))
            add(length, alignment: element?.alignment ?? 1)
        case .structure, .dictionaryEntry:
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            add(0, alignment: 8)
            unsafe addAll(&inner)
        case .variant:
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            if let type = unsafe dbus_message_iter_get_signature(&inner) {
                add(unsafe 2 + strlen(type), alignment: 1)
                unsafe dbus_free(type)
            }
            unsafe addAll(&inner)
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .fileDescriptor:
            add(code.alignment, alignment: code.alignment)  // as large as its alignment
        }
    }

    private mutating func addText(_ iterator: inout DBusMessageIter, lengthSize: Int) {
        var text: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &text)
        add(lengthSize, alignment: lengthSize)
        add(unsafe text.map { unsafe strlen($0) + 1 } ?? 1, alignment: 1)
    }

    private mutating func add(_ count: Int, alignment: Int) {
        end = (end + alignment - 1) & -alignment + count
    }
}

extension TypeCode {
    /// From what libdbus calls the type of an argument; nil for none.
    fileprivate init?(argument: Int32) { self.init(rawValue: UInt8(truncatingIfNeeded: argument)) }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A message of libdbus.
final class BareMessage {
    let raw: OpaquePointer

    init(adopting raw: OpaquePointer) { self.raw = raw }

    deinit { dbus_message_unref(raw) }

    /// Creates a method call.
    convenience init(to destination: String, _ path: String, _ interface: String, _ member: String) {
        self.init(adopting: dbus_message_new_method_call(destination, path, interface, member))
    }

    /// A copy of the message, which can be sent again.
    var copy: BareMessage { BareMessage(adopting: dbus_message_copy(raw)) }

    var member: String { dbus_message_get_member(raw).map { String(cString: $0) } ?? "" }

    var isSignal: Bool { dbus_message_get_type(raw) == DBUS_MESSAGE_TYPE_SIGNAL }

    /// Appends values to the body.
    func write(_ body: (inout BareWriter) -> Void) {
        var writer = BareWriter()
        dbus_message_iter_init_append(raw, &writer.iterator)
        body(&writer)
    }

    var reader: BareReader {
        var reader = BareReader(message: self)
        dbus_message_iter_init(raw, &reader.iterator)
        return reader
    }

    /// The message as bytes in D-Bus' wire format.
    var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(raw, &start, &count) != 0, let start else { return [] }
        defer { dbus_free(start) }
        return UnsafeRawBufferPointer(start: start, count: Int(count)).map { $0 }
    }

    /// Decodes the concatenated bytes of messages into new messages.
    static func decodeAll(in bytes: [UInt8]) -> [BareMessage] {
        bytes.withUnsafeBytes { buffer in
            var (rest, messages) = (buffer[...], [BareMessage]())
            while !rest.isEmpty {
                let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress?.assumingMemoryBound(to: CChar.self)
                let count = dbus_message_demarshal_bytes_needed(start, Int32(rest.count))
                guard count > 0, let raw = dbus_message_demarshal(start, count, nil) else {
                    fatalError("the bytes contain an invalid message")
                }
                dbus_message_set_serial(raw, 0)
                messages.append(BareMessage(adopting: raw))
                rest = rest.dropFirst(Int(count))
            }
            return messages
        }
    }
}

/// A writer that appends values with libdbus' iterator.
struct BareWriter {
    var iterator = DBusMessageIter()

    mutating func append(_ text: String) {
        text.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            dbus_message_iter_append_basic(&iterator, DBusType.string, &pointer)
        }
    }

    mutating func append(_ number: UInt64) {
        var number = number
        dbus_message_iter_append_basic(&iterator, DBusType.uint64, &number)
    }

    mutating func append(_ number: UInt32) {
        var number = number
        dbus_message_iter_append_basic(&iterator, DBusType.uint32, &number)
    }

    mutating func append(_ number: Double) {
        var number = number
        dbus_message_iter_append_basic(&iterator, DBusType.double, &number)
    }

    mutating func append(_ flag: Bool) {
        var flag: dbus_bool_t = flag ? 1 : 0
        dbus_message_iter_append_basic(&iterator, DBusType.boolean, &flag)
    }

    /// Appends a container with the values that `body` appends to it.
    mutating func appendContainer(_ type: Int32, signature: String?, _ body: (inout BareWriter) -> Void) {
        var inner = BareWriter()
        dbus_message_iter_open_container(&iterator, type, signature, &inner.iterator)
        body(&inner)
        dbus_message_iter_close_container(&iterator, &inner.iterator)
    }

    /// Appends an `a{sv}` whose values are strings.
    mutating func appendDictionary(_ entries: [(String, String)]) {
        appendContainer(DBusType.array, signature: "{sv}") { array in
            for (key, value) in entries {
                array.appendContainer(DBusType.entry, signature: nil) { entry in
                    entry.append(key)
                    entry.appendContainer(DBusType.variant, signature: "s") { $0.append(value) }
                }
            }
        }
    }
}

/// A reader that reads values with libdbus' iterator.
struct BareReader {
    /// What the iterator points into.
    let message: BareMessage
    var iterator = DBusMessageIter()

    /// Moves to the next value. Returns whether there is one.
    mutating func advance() -> Bool { dbus_message_iter_next(&iterator) != 0 }

    var type: Int32 {
        mutating get { dbus_message_iter_get_arg_type(&iterator) }
    }

    /// Returns a reader of the values in the container that is the next value.
    mutating func contentReader() -> BareReader {
        var inner = BareReader(message: message)
        dbus_message_iter_recurse(&iterator, &inner.iterator)
        return inner
    }

    mutating func string() -> String {
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        return pointer.map { String(cString: $0) } ?? ""
    }

    mutating func uint32() -> UInt32 {
        var number: UInt32 = 0
        dbus_message_iter_get_basic(&iterator, &number)
        return number
    }

    mutating func uint64() -> UInt64 {
        var number: UInt64 = 0
        dbus_message_iter_get_basic(&iterator, &number)
        return number
    }

    /// The next value, which must be an `a{st}`.
    var counters: [String: UInt64] {
        var (counters, outer) = ([String: UInt64](), self)
        var entries = outer.contentReader()
        while entries.type == DBusType.entry {
            var entry = entries.contentReader()
            let name = entry.string()
            _ = entry.advance()
            counters[name] = entry.uint64()
            _ = entries.advance()
        }
        return counters
    }

    mutating func double() -> Double {
        var number = 0.0
        dbus_message_iter_get_basic(&iterator, &number)
        return number
    }
}

/// D-Bus' type codes, whose macros Swift cannot import.
enum DBusType {
    static let array = Int32(UInt8(ascii: "a"))
    static let boolean = Int32(UInt8(ascii: "b"))
    static let double = Int32(UInt8(ascii: "d"))
    static let entry = Int32(UInt8(ascii: "e"))
    static let string = Int32(UInt8(ascii: "s"))
    static let structure = Int32(UInt8(ascii: "r"))
    static let uint32 = Int32(UInt8(ascii: "u"))
    static let uint64 = Int32(UInt8(ascii: "t"))
    static let variant = Int32(UInt8(ascii: "v"))
}

extension BareMessage {
    /// Returns a call with the same body, to a method of the bare service.
    func redirected(to service: String, method member: String) -> BareMessage {
        let copy = copy
        dbus_message_set_destination(copy.raw, service)
        dbus_message_set_interface(copy.raw, service)
        dbus_message_set_member(copy.raw, member)
        return copy
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The bytes and the signature of a message's body. A value is valid only during the lifetime of its reader.
@safe
@usableFromInline
struct MessageBody {
    /// The bytes, in this machine's byte order and aligned to 8.
    let bytes: UnsafeRawBufferPointer
    /// The signature of the body.
    let types: UnsafeBufferPointer<UInt8>
    /// The message's file descriptors, kept alive by `withBody`.
    unowned(unsafe) let descriptors: BodyDescriptors
    /// The length of the whole message in bytes, including the header; nil for a message without a body.
    let messageSize: Int?

    /// Passes the body of a message to a closure.
    ///
    /// - Throws: `NoMemory`; `InconsistentMessage` for bytes that libdbus would have refused.
    static func withBody<R>(
        of raw: OpaquePointer, _ body: (MessageBody) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        let descriptors = unsafe BodyDescriptors(raw)
        defer { withExtendedLifetime(descriptors) {} }
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(raw, &iterator) != 0, let signature = unsafe dbus_message_get_signature(raw)
        else {
            let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            let empty = unsafe MessageBody(
                bytes: UnsafeRawBufferPointer(none), types: none, descriptors: descriptors, messageSize: nil)
            return try body(empty)
        }
        let message = try unsafe MarshalledMessage(raw)
        defer { withExtendedLifetime(message) {} }
        let bytes = try unsafe bytes(ofBodyIn: message.bytes)
        // The signature is copied, as setting a header field may move it within the message.
        let types = unsafe [UInt8](UnsafeRawBufferPointer(start: signature, count: strlen(signature)))
        return try unsafe types.withUnsafeBufferPointer { (types) throws(DBusError) in
            try unsafe body(
                MessageBody(bytes: bytes, types: types, descriptors: descriptors, messageSize: message.count))
        }
    }

    /// Returns the bytes after the header (D-Bus specification, "Message Format"). The header has 16 bytes, the last
    /// four of which are the length of the fields that follow, and is padded to 8.
    static func bytes(ofBodyIn message: UnsafeRawBufferPointer) throws(DBusError) -> UnsafeRawBufferPointer {
        guard message.count >= 16 else { throw MessageReader.truncated }
        let order = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")
        let fields = unsafe Int(message.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let start = (16 + fields + 7) & -8
        guard unsafe message[0] == order, start <= message.count else { throw MessageReader.truncated }
        return unsafe UnsafeRawBufferPointer(rebasing: message[start...])
    }
}

/// A message as libdbus marshals it: header and body in this machine's byte order.
@safe
final class MarshalledMessage {
    /// The marshalled bytes, owned by this object and never changed.
    private let start: UnsafeMutablePointer<CChar>
    /// The number of bytes.
    let count: Int

    /// Marshals a libdbus message.
    ///
    /// - Throws: `NoMemory`.
    init(_ raw: OpaquePointer) throws(DBusError) {
        // Creating an iterator makes libdbus convert the message to this machine's byte order.
        var iterator = unsafe DBusMessageIter()
        _ = unsafe dbus_message_iter_init(raw, &iterator)
        var start: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard unsafe dbus_message_marshal(raw, &start, &count) != 0, let start = unsafe start else {
            throw DBusError(.noMemory, "there is not enough memory to read a message")
        }
        unsafe self.start = unsafe start
        self.count = Int(count)
    }

    deinit { unsafe dbus_free(start) }

    /// The bytes, valid during this object's lifetime.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }
}

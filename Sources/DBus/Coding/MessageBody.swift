// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The bytes of a message's body and their types, for as long as a reader exists.
@safe
@usableFromInline
struct MessageBody {
    /// In this machine's byte order, aligned to 8.
    let bytes: UnsafeRawBufferPointer
    /// The signature.
    let types: UnsafeBufferPointer<UInt8>
    /// The descriptors that come with it; `with` keeps them alive.
    unowned(unsafe) let descriptors: BodyDescriptors
    /// Bytes of the whole message, with its header; nil when it has no body.
    let messageSize: Int?

    /// Lends the body of a message.
    ///
    /// - Throws: `NoMemory`; `InconsistentMessage` for bytes that libdbus would not have let in.
    static func with<R>(
        _ raw: OpaquePointer, _ body: (MessageBody) throws(DBusError) -> R
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
        // A copy: the text in the message may move when a header field is set.
        let types = unsafe [UInt8](UnsafeRawBufferPointer(start: signature, count: strlen(signature)))
        return try unsafe types.withUnsafeBufferPointer { (types) throws(DBusError) in
            try unsafe body(
                MessageBody(bytes: bytes, types: types, descriptors: descriptors, messageSize: message.count))
        }
    }

    /// What follows the header (D-Bus specification, Message Format): 16 bytes, of which the last four count those of the
    /// fields behind them, padded to 8.
    static func bytes(ofBodyIn message: UnsafeRawBufferPointer) throws(DBusError) -> UnsafeRawBufferPointer {
        guard message.count >= 16 else { throw MessageReader.truncated }
        let order = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")
        let fields = unsafe Int(message.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let start = (16 + fields + 7) & -8
        guard unsafe message[0] == order, start <= message.count else { throw MessageReader.truncated }
        return unsafe UnsafeRawBufferPointer(rebasing: message[start...])
    }
}

/// A message as libdbus hands it out: header and body, in this machine's byte order.
@safe
final class MarshalledMessage {
    /// Owned by this object and never written to.
    private let start: UnsafeMutablePointer<CChar>
    /// How many bytes there are.
    let count: Int

    /// - Throws: `NoMemory`.
    init(_ raw: OpaquePointer) throws(DBusError) {
        // libdbus brings the message into this machine's byte order before somebody reads it.
        var iterator = unsafe DBusMessageIter()
        _ = unsafe dbus_message_iter_init(raw, &iterator)
        var start: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard unsafe dbus_message_marshal(raw, &start, &count) != 0, let start = unsafe start else {
            throw DBusError(.noMemory, "no memory to read a message")
        }
        unsafe self.start = unsafe start
        self.count = Int(count)
    }

    deinit { unsafe dbus_free(start) }

    /// The bytes, for as long as this object exists.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }
}

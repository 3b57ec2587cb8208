// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The body of a received message without the message: it can be read on any thread.
///
/// It owns the file descriptors, and closes them when it is released.
@safe
public final class DetachedBody: @unchecked Sendable {
    /// Owned by this object alone, which only lends it to readers; released on the loop thread, where libdbus counts
    /// it.
    private nonisolated(unsafe) let message: OpaquePointer
    private let types: [UInt8]

    /// - Throws: `NoMemory`.
    @DBusActor
    init(_ message: Message) throws(DBusError) {
        types = Array(message.signature.text.utf8)
        unsafe self.message = try message.detach()
    }

    deinit {
        let message = unsafe AbandonedMessage(raw: message)
        EventLoop.shared.post { unsafe dbus_message_unref(message.raw) }
    }

    /// Reads the body with a cursor; one thread at a time.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        let none = unsafe BodyDescriptors(nil)
        // Copying megabytes takes milliseconds of this thread's time.
        let bytes = try unsafe MarshalledMessage(message)
        defer { withExtendedLifetime((none, bytes, self)) {} }
        let content = try unsafe MessageBody.bytes(ofBodyIn: bytes.bytes)
        return try unsafe types.withUnsafeBufferPointer { (types) throws(DBusError) in
            var reader = unsafe MessageReader(
                MessageBody(bytes: content, types: types, descriptors: none, messageSize: nil))
            return try body(&reader)
        }
    }
}

/// A message on its way to the loop thread; no other thread has it.
@safe
private struct AbandonedMessage: @unchecked Sendable {
    let raw: OpaquePointer
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The body of a received message, separated from the message so that any thread can read it.
///
/// The body owns the message's file descriptors and closes them when it is released.
@safe
public final class DetachedBody: @unchecked Sendable {
    /// libdbus' message, owned by this object alone and borrowed by readers. It is released on the loop thread,
    /// because libdbus counts unreleased messages there.
    private nonisolated(unsafe) let message: OpaquePointer
    private let types: [UInt8]

    /// Takes libdbus' message out of `message`.
    ///
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

    /// Passes a reader of the body to a closure. Only one thread at a time may call this.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        let none = unsafe BodyDescriptors(nil)
        // Copying a body of several megabytes takes milliseconds, so it happens on the calling thread.
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

/// A libdbus message that is passed to the loop thread; no other thread refers to it.
@safe
private struct AbandonedMessage: @unchecked Sendable {
    let raw: OpaquePointer
}

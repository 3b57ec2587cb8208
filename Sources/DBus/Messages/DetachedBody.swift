internal import CDBus
internal import Glibc

/// The body of a received message apart from it: it can be read on any thread.
///
/// File descriptors stay with the message.
public final class DetachedBody: Sendable {
    /// Nobody writes to it.
    private let message: ReadOnlyMessage
    private let types: [UInt8]

    /// - Throws: `NoMemory`.
    @DBusActor
    fileprivate init(_ message: Message) throws(DBusError) {
        let raw = try unsafe message.raw
        self.message = ReadOnlyMessage(try unsafe MarshalledMessage(raw))
        types = Array(message.signature.text.utf8)
    }

    /// Reads the body with a cursor.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        let none = unsafe BodyDescriptors(nil)
        defer { withExtendedLifetime((none, message)) {} }
        let bytes = try unsafe MessageBody.bytes(ofBodyIn: message.content.bytes)
        return try unsafe types.withUnsafeBufferPointer { (types) throws(DBusError) in
            var reader = unsafe MessageReader(
                MessageBody(bytes: bytes, types: types, descriptors: none, messageSize: nil))
            return try body(&reader)
        }
    }
}

/// The bytes of a message, which nobody changes from now on.
private struct ReadOnlyMessage: @unchecked Sendable {
    let content: MarshalledMessage

    init(_ content: MarshalledMessage) { self.content = content }
}

extension Call {
    /// Takes the body out of the call, which keeps no memory for it.
    ///
    /// - Throws: `NoMemory`.
    public func detachBody() throws(DBusError) -> DetachedBody {
        let body = try DetachedBody(message)
        message.dropBody()
        return body
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// The header and body of a message that can still be changed.
///
/// libdbus' message is created from the draft when the message is sent or read.
@safe
final class MessageDraft {
    private(set) var header: MessageHeader
    private var body = WrittenBody()

    init(_ header: MessageHeader) { self.header = header }

    /// The signature of the body.
    var signature: Signature { body.signature }

    func setDestination(_ name: String) { header.setDestination(name) }

    func setSender(_ name: String) { header.setSender(name) }

    func set(_ flag: MessageHeader.Flags, to isSet: Bool) { header.set(flag, to: isSet) }

    /// Writes the whole body; `body` appends values that match `signature`.
    ///
    /// - Returns: the length of the body in bytes.
    /// - Throws: the writer's failure. The draft then has no body.
    func write(
        _ signature: Signature, limit: Int, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Int {
        self.body = try WrittenBody(signature, limit: limit, body)
        return self.body.bytes.count
    }

    /// Creates libdbus' message with these contents. libdbus validates it; it has no serial, and the caller owns it.
    ///
    /// - Throws: `NoMemory`; `InvalidArgs` with libdbus' reason.
    func makeMessage() throws(DBusError) -> OpaquePointer {
        if body.descriptors.isEmpty { return try unsafe makeMessage(body) }
        // Marshalled bytes cannot contain descriptors, so the values are appended one by one.
        let made = try unsafe makeMessage(WrittenBody())
        do throws(DBusError) {
            try unsafe DescriptorBodyWriter(descriptors: body.descriptors)
                .append(body.bytes, of: signature, to: made)
        } catch {
            unsafe dbus_message_unref(made)
            throw error
        }
        return unsafe made
    }

    private func makeMessage(_ body: borrowing WrittenBody) throws(DBusError) -> OpaquePointer {
        var bytes = MarshalledBytes()
        guard header.append(to: &bytes, signature: body.signature, bodySize: body.bytes.count),
            bytes.append(body.bytes)
        else { throw WriteFailure.noMemory.error }
        let made = try unsafe bytes.withBytes { (bytes) throws(DBusError) in
            try unsafe LibdbusError.check { error in
                unsafe dbus_message_demarshal(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), error)
            }
        }
        // The serial in the bytes is a placeholder: libdbus assigns one when it sends the message.
        unsafe dbus_message_set_serial(made, 0)
        return unsafe made
    }
}

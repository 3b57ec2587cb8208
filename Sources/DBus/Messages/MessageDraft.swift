// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A message that is being made: its header, and its body.
///
/// All of it can still change. libdbus sees it once, when it is sent or read.
@safe
final class MessageDraft {
    private(set) var header: MessageHeader
    private var body = WrittenBody()

    init(_ header: MessageHeader) { self.header = header }

    /// The types of the body.
    var signature: Signature { body.signature }

    func setDestination(_ name: String) { header.setDestination(name) }

    func setSender(_ name: String) { header.setSender(name) }

    func set(_ flag: MessageHeader.Flags, to isSet: Bool) { header.set(flag, to: isSet) }

    /// Writes the whole body; `body` appends values that fit `signature`.
    ///
    /// - Returns: the length of the body in bytes.
    /// - Throws: the writer's failure; there is no body then.
    func write(
        _ signature: Signature, limit: Int, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Int {
        self.body = try WrittenBody(signature, limit: limit, body)
        return self.body.bytes.count
    }

    /// libdbus' message with these contents, checked by libdbus, without a serial; the caller owns it.
    ///
    /// - Throws: `NoMemory`; `InvalidArgs` with libdbus' reason.
    func make() throws(DBusError) -> OpaquePointer {
        if body.descriptors.isEmpty { return try unsafe make(body) }
        // Marshalled bytes cannot contain descriptors, so the values are appended one by one.
        let made = try unsafe make(WrittenBody())
        do throws(DBusError) {
            try unsafe DescriptorTranscript(descriptors: body.descriptors)
                .append(body.bytes, of: signature, to: made)
        } catch {
            unsafe dbus_message_unref(made)
            throw error
        }
        return unsafe made
    }

    private func make(_ body: borrowing WrittenBody) throws(DBusError) -> OpaquePointer {
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
        // The serial in the bytes is a placeholder: libdbus sets one when it sends.
        unsafe dbus_message_set_serial(made, 0)
        return unsafe made
    }
}

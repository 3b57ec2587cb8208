// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A message that is being made: what its header says, and its body.
///
/// Everything can still change. libdbus sees it once, when it is sent or read.
@safe
final class MessageDraft {
    let kind: Message.Kind
    var path: ObjectPath?
    var interface: String?
    var member: String?
    var errorName: String?
    var replySerial: UInt32 = 0
    var destination: String?
    var sender: String?
    var noReplyExpected = false
    var autoStart = true
    var allowInteractiveAuthorization = false
    /// The types of the body.
    var signature = Signature.empty
    var body = MarshalledBytes()
    /// What the numbers of the descriptors in the body stand for.
    var descriptors: [FileDescriptor] = []

    init(_ kind: Message.Kind) { self.kind = kind }

    /// Writes the whole body; `body` appends values that fit `signature`.
    ///
    /// - Returns: how many bytes it has.
    /// - Throws: what was wrong with the values; there is no body then.
    func write(
        _ signature: Signature, limit: Int, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Int {
        var text = signature.text
        let result: Result<Int, DBusError> = text.withUTF8 { types in
            var writer = unsafe MessageWriter(types: types, limit: limit)
            do throws(DBusError) {
                try body(&writer)
            } catch {
                return .failure(error)
            }
            if let failure = writer.failure { return .failure(failure.error) }
            guard writer.isComplete else {
                return .failure(.invalidArgs("the values end before the signature “\(signature)” does"))
            }
            let count = writer.byteCount
            (self.signature, descriptors) = (signature, writer.descriptors)
            self.body = writer.finish()
            return .success(count)
        }
        return try result.get()
    }

    /// libdbus' message with these contents, which it checks, without a serial; the caller owns it.
    ///
    /// - Throws: `NoMemory`; `InvalidArgs` saying what libdbus does not like.
    func make() throws(DBusError) -> OpaquePointer {
        let whole = try unsafe make(body, signature)
        if descriptors.isEmpty { return unsafe whole }
        // It was only checked: at what libdbus refuses in bytes, its iterators end the process.
        unsafe dbus_message_unref(whole)
        let made = try unsafe make(MarshalledBytes(), .empty)
        do throws(DBusError) {
            try unsafe DescriptorTranscript(descriptors: descriptors).append(body, of: signature, to: made)
        } catch {
            unsafe dbus_message_unref(made)
            throw error
        }
        return unsafe made
    }

    private func make(_ body: borrowing MarshalledBytes, _ signature: Signature) throws(DBusError) -> OpaquePointer {
        var bytes = MarshalledBytes()
        guard appendHeader(signature, bodySize: body.count, to: &bytes), bytes.append(body) else {
            throw WriteFailure.noMemory.error
        }
        let made = try unsafe bytes.withBytes { (bytes) throws(DBusError) in
            try unsafe LibdbusError.check { error in
                unsafe dbus_message_demarshal(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), error)
            }
        }
        // The serial in the bytes stands in: libdbus gives one when it sends.
        unsafe dbus_message_set_serial(made, 0)
        return unsafe made
    }
}

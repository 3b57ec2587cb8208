// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The form in which libdbus sends and receives a message. Only a transport uses it.
@safe
final class LibdbusMessage: @unchecked Sendable {
    /// libdbus' message, owned by this object. The thread that encodes a message uses it first, and the loop's thread
    /// after that; the code that passes it on orders these accesses.
    let raw: OpaquePointer

    /// Takes ownership of a reference.
    init(adopting raw: OpaquePointer) { unsafe self.raw = unsafe raw }

    deinit {
        guard !EventLoop.shared.isCurrent else { return unsafe dbus_message_unref(raw) }
        // libdbus counts unreleased messages on the loop's thread. Nobody else refers to this one.
        nonisolated(unsafe) let orphan = unsafe raw
        EventLoop.shared.post { unsafe dbus_message_unref(orphan) }
    }
}

// MARK: - Sending

extension LibdbusMessage {
    /// Returns the form of a message, with the receiver and sender that the message has now.
    static func sendable(_ message: Message) throws(DBusError) -> LibdbusMessage {
        if let form = message.form { try form.addressed(as: message) } else { try LibdbusMessage(encoding: message) }
    }

    /// Encodes a message. libdbus checks it.
    ///
    /// - Throws: `NoMemory`; `InvalidArgs` with libdbus' reason.
    convenience init(encoding message: Message) throws(DBusError) {
        if let answer = unsafe Self.smallAnswer(message) {
            unsafe self.init(adopting: answer)
            return
        }
        guard !message.body.descriptors.isEmpty else {
            try unsafe self.init(adopting: Self.demarshal(message, message.body))
            return
        }
        // Bytes cannot bring descriptors along, so the values are appended one by one.
        let whole = try unsafe LibdbusMessage(adopting: Self.demarshal(message, message.body))
        try unsafe self.init(adopting: Self.demarshal(message, .empty))
        var (source, target) = unsafe (DBusMessageIter(), DBusMessageIter())
        unsafe dbus_message_iter_init(whole.raw, &source)
        unsafe dbus_message_iter_init_append(raw, &target)
        var number: UInt32 = 0
        guard unsafe Self.append(&source, to: &target, message.body.descriptors, &number) else {
            throw WriteFailure.noMemory.error
        }
    }

    /// Makes an answer that is one number, or nothing, with libdbus' functions for each part, which takes half as long
    /// as to have libdbus check the bytes. Returns nil for any other message, or when there is no memory.
    private static func smallAnswer(_ message: Message) -> OpaquePointer? {
        let type = message.signature.text.utf8
        guard message.kind == .methodReturn, type.count <= 1 else { return nil }
        let code = type.first.flatMap(TypeCode.init(signatureByte:))
        guard code?.isNumber != false, let made = unsafe dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN) else {
            return nil
        }
        unsafe dbus_message_set_no_reply(made, message.noReplyExpected ? 1 : 0)
        let isDone =
            unsafe dbus_message_set_reply_serial(made, message.replySerial) != 0
            && dbus_message_set_destination(made, message.destination) != 0
            && dbus_message_set_sender(made, message.sender) != 0
            && (code.map { code in unsafe append(message.body, of: code, to: made) } ?? true)
        guard isDone else {
            unsafe dbus_message_unref(made)
            return nil
        }
        return unsafe made
    }

    private static func append(_ number: MessageBody, of code: TypeCode, to made: OpaquePointer) -> Bool {
        var iterator = unsafe DBusMessageIter()
        unsafe dbus_message_iter_init_append(made, &iterator)
        return unsafe number.withBytes { bytes in
            unsafe dbus_message_iter_append_basic(&iterator, Int32(code.rawValue), bytes.baseAddress) != 0
        }
    }

    /// Makes libdbus' message of the bytes of a header and a body; it has no descriptors.
    private static func demarshal(_ message: Message, _ body: MessageBody) throws(DBusError) -> OpaquePointer {
        guard let bytes = message.marshal(with: body) else { throw WriteFailure.noMemory.error }
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

    /// Appends the remaining values of an iterator, and the descriptors in the order in which a writer numbers them.
    /// Returns `false` when there is no memory or the process can open no more descriptors.
    static func append(
        _ source: inout DBusMessageIter, to target: inout DBusMessageIter, _ descriptors: [UInt32: FileDescriptor],
        _ number: inout UInt32
    ) -> Bool {
        while true {
            let code = unsafe dbus_message_iter_get_arg_type(&source)
            guard code != 0 else { return true }
            var value = unsafe DBusBasicValue()
            if code == Int32(TypeCode.fileDescriptor.rawValue) {
                unsafe value.fd = descriptors[number]?.rawValue ?? -1
                number += 1
                guard unsafe dbus_message_iter_append_basic(&target, code, &value) != 0 else { return false }
            } else if dbus_type_is_basic(code) != 0 {
                unsafe dbus_message_iter_get_basic(&source, &value)
                guard unsafe dbus_message_iter_append_basic(&target, code, &value) != 0 else { return false }
            } else {
                var (inside, copy) = unsafe (DBusMessageIter(), DBusMessageIter())
                unsafe dbus_message_iter_recurse(&source, &inside)
                // libdbus needs the type of what an array or a variant contains.
                let hasType = [TypeCode.array, .variant].contains { code == Int32($0.rawValue) }
                let type = unsafe hasType ? dbus_message_iter_get_signature(&inside) : nil
                defer { unsafe dbus_free(type) }
                guard unsafe dbus_message_iter_open_container(&target, code, type, &copy) != 0 else { return false }
                guard unsafe append(&inside, to: &copy, descriptors, &number) else {
                    unsafe dbus_message_iter_abandon_container(&target, &copy)
                    return false
                }
                guard unsafe dbus_message_iter_close_container(&target, &copy) != 0 else { return false }
            }
            unsafe dbus_message_iter_next(&source)
        }
    }

    /// Returns the form with the receiver and sender that a message has now; a copy of it if it was sent already,
    /// because libdbus ends the process when a sent message is changed.
    private func addressed(as message: Message) throws(DBusError) -> LibdbusMessage {
        guard unsafe dbus_message_get_serial(raw) == 0 else {
            guard let copy = unsafe dbus_message_copy(raw) else { throw WriteFailure.noMemory.error }
            return try unsafe LibdbusMessage(adopting: copy).addressed(as: message)
        }
        guard unsafe dbus_message_set_destination(raw, message.destination) != 0,
            unsafe dbus_message_set_sender(raw, message.sender) != 0
        else { throw WriteFailure.noMemory.error }
        return self
    }
}

// MARK: - Receiving

extension LibdbusMessage {
    /// Whether this is the signal that libdbus itself queues at the end of the connection.
    var isEndOfConnection: Bool {
        unsafe dbus_message_is_signal(raw, "org.freedesktop.DBus.Local", "Disconnected") != 0
    }

    /// Reads the whole message.
    ///
    /// - Throws: `NoMemory`; `InconsistentMessage` for bytes that libdbus would have refused.
    func read() throws(DBusError) -> Message {
        // Creating an iterator makes libdbus convert the message to this machine's byte order.
        var iterator = unsafe DBusMessageIter()
        let hasBody = unsafe dbus_message_iter_init(raw, &iterator) != 0
        var (first, count): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        guard unsafe dbus_message_marshal(raw, &first, &count) != 0, let first = unsafe first else {
            throw DBusError(.noMemory, "there is not enough memory to read a message")
        }
        let block = unsafe MarshalledBytes(adopting: first, count: Int(count))
        let (flags, start) = try unsafe block.withBytes { (bytes) throws(DBusError) in try unsafe Self.layout(of: bytes)
        }
        let body: MessageBody
        if hasBody {
            let signature = unsafe Signature(unchecked: text(dbus_message_get_signature) ?? "")
            let descriptors =
                unsafe dbus_message_contains_unix_fds(raw) == 0
                ? [:]
                : block.withBytes { bytes in
                    unsafe Self.descriptors(
                        UnsafeRawBufferPointer(rebasing: bytes[start...]), of: signature, alongside: &iterator)
                }
            body = MessageBody(signature, block, from: start, descriptors: descriptors)
        } else {
            body = .empty
        }
        return unsafe Message(
            Message.Kind(rawValue: UInt8(truncatingIfNeeded: dbus_message_get_type(raw))),
            path: text(dbus_message_get_path).map(ObjectPath.init(unchecked:)),
            interface: text(dbus_message_get_interface), member: text(dbus_message_get_member),
            errorName: text(dbus_message_get_error_name), serial: dbus_message_get_serial(raw),
            replySerial: dbus_message_get_reply_serial(raw), destination: text(dbus_message_get_destination),
            sender: text(dbus_message_get_sender), flags: flags, body: body, size: Int(count))
    }

    private func text(_ field: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String? {
        unsafe field(raw).map { unsafe String(cString: $0) }
    }

    /// Returns the flags and the offset of the body in a message's bytes (D-Bus specification, "Message Format"). The
    /// header has 16 bytes, the last four of which are the length of the fields that follow, and is padded to 8.
    private static func layout(
        of bytes: UnsafeRawBufferPointer
    ) throws(DBusError) -> (flags: Message.Flags, start: Int) {
        let order = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")
        guard bytes.count >= 16, unsafe bytes[0] == order else { throw MessageReader.truncated }
        let fields = unsafe Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let start = (16 + fields + 7) & -8
        guard start <= bytes.count else { throw MessageReader.truncated }
        return unsafe (Message.Flags(rawValue: bytes[2]), start)
    }

    /// Returns the descriptors that are arguments themselves, by their index in the message. One that could not be
    /// duplicated, because the process can open no more, is -1. Descriptors inside of containers are not found.
    ///
    /// Only an iterator returns descriptors, and only the bytes have their indexes, so both are followed.
    private static func descriptors(
        _ bytes: UnsafeRawBufferPointer, of signature: Signature, alongside iterator: inout DBusMessageIter
    ) -> [UInt32: FileDescriptor] {
        var found: [UInt32: FileDescriptor] = [:]
        var types = signature.text
        types.withUTF8 { types in
            var reader = unsafe MessageReader(bytes, types: types, descriptors: nil)
            while let code = reader.next {
                guard code == .fileDescriptor else {
                    reader.skip()
                    unsafe dbus_message_iter_next(&iterator)
                    continue
                }
                guard let index = try? reader.readDescriptorIndex() else { return }
                if found[index] == nil {
                    var descriptor: Int32 = -1
                    errno = 0
                    unsafe dbus_message_iter_get_basic(&iterator, &descriptor)
                    if descriptor >= 0 || errno == EMFILE || errno == ENFILE {
                        found[index] = FileDescriptor(adopting: descriptor)
                    }
                }
                unsafe dbus_message_iter_next(&iterator)
            }
        }
        return found
    }
}

/// Converts errors of libdbus into thrown Swift errors.
enum LibdbusError {
    /// Calls a libdbus function that returns nil on failure and then fills in an error, which is thrown.
    static func check(
        _ body: (UnsafeMutablePointer<CDBus.DBusError>) -> OpaquePointer?
    ) throws(DBusError) -> OpaquePointer {
        var error = unsafe CDBus.DBusError()
        unsafe dbus_error_init(&error)
        defer { unsafe dbus_error_free(&error) }
        if let result = unsafe body(&error) { return unsafe result }
        throw unsafe DBusError(
            name: text(error.name) ?? StandardError.failed.rawValue, message: text(error.message) ?? "libdbus failed")
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}

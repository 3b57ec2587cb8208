// SPDX-License-Identifier: Apache-2.0

/// A message that was received, or that is to be sent: a header and a body.
///
/// A message is a value: it can be sent several times, and to send it does not change it.
public struct Message: Sendable {
    /// The four kinds of messages.
    public enum Kind: UInt8, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    /// The bits of the header's flags (D-Bus specification, Message Format).
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let noReplyExpected = Flags(rawValue: 1)
        static let noAutoStart = Flags(rawValue: 2)
        static let allowInteractiveAuthorization = Flags(rawValue: 4)
    }

    /// The kind of message; nil for a kind that this version of the protocol does not define.
    public let kind: Kind?
    /// The serial of a received message; 0 for other messages.
    public let serial: UInt32
    /// The serial of the call that this message answers; 0 if it is not an answer.
    public let replySerial: UInt32
    /// The object that is called or that emits the signal; nil for answers.
    public let path: ObjectPath?
    /// The interface of the member; optional in a method call.
    public let interface: String?
    /// The name of the method or signal.
    public let member: String?
    /// The name of the error; nil for other kinds of messages.
    public let errorName: String?
    /// The bus name of the receiver; nil for a broadcast signal, or on a direct connection.
    public private(set) var destination: String?
    /// The unique name of the sender. A bus guarantees it, a direct peer does not.
    public internal(set) var sender: String?
    private(set) var flags: Flags
    /// The arguments.
    public private(set) var body: MessageBody
    /// The length in bytes of a received message, header and body; 0 for other messages.
    public let size: Int
    /// Whether an account reserved room for this message while it was incomplete, and has released the room since.
    /// Such a message must not be counted again.
    package internal(set) var isAccountedFor = false
    /// The form in which libdbus sends the message, if it was made already.
    private(set) var form: LibdbusMessage?

    init(
        _ kind: Kind?, path: ObjectPath? = nil, interface: String? = nil, member: String? = nil,
        errorName: String? = nil, serial: UInt32 = 0, replySerial: UInt32 = 0, destination: String? = nil,
        sender: String? = nil, flags: Flags = [], body: MessageBody = .empty, size: Int = 0
    ) {
        self.kind = kind
        (self.path, self.interface, self.member, self.errorName) = (path, interface, member, errorName)
        (self.serial, self.replySerial) = (serial, replySerial)
        (self.destination, self.sender) = (destination, sender)
        self.flags = flags
        self.body = body
        self.size = size
    }
}

// MARK: - The header

extension Message {
    /// The signature of the body.
    public var signature: Signature { body.signature }

    /// Whether the caller expects no answer, not even an error (NO_REPLY_EXPECTED). `Connection.call` and
    /// `callWithoutReply` set this themselves.
    public var noReplyExpected: Bool {
        get { flags.contains(.noReplyExpected) }
        set { set(.noReplyExpected, to: newValue) }
    }

    /// Whether the bus may start a service for this call.
    public var autoStart: Bool {
        get { !flags.contains(.noAutoStart) }
        set { set(.noAutoStart, to: !newValue) }
    }

    /// Whether the caller allows interactive authorization.
    public var allowInteractiveAuthorization: Bool {
        get { flags.contains(.allowInteractiveAuthorization) }
        set { set(.allowInteractiveAuthorization, to: newValue) }
    }

    private mutating func set(_ flag: Flags, to isSet: Bool) {
        guard flags.contains(flag) != isSet else { return }
        if isSet { flags.insert(flag) } else { flags.remove(flag) }
        form = nil
    }

    /// Sets the receiver's bus name; a signal with a destination is unicast.
    ///
    /// - Throws: `InvalidArgs` for a name that D-Bus does not allow.
    public mutating func setDestination(_ name: String) throws(DBusError) {
        try Names.checkBusName(name)
        destination = name
    }

    /// An upper bound of the header's length in bytes. Only the path can exceed 255 bytes, and a bus may add a
    /// sender.
    var headerSizeBound: Int { 2048 + (path?.text.utf8.count ?? 0) }

    /// The error that an error message carries; nil for other kinds of messages.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (reader) throws(DBusError) in try reader.readString() }
        return DBusError(name: errorName ?? StandardError.failed.rawValue, message: message ?? "")
    }
}

// MARK: - Making messages

extension Message {
    /// Creates a method call. A call without a destination goes to the other end of a direct connection.
    ///
    /// - Throws: `InvalidArgs` with the invalid name.
    public static func methodCall(
        to destination: String?, path: ObjectPath, interface: String?, member: String
    ) throws(DBusError) -> Message {
        if let interface { try Names.checkInterface(interface) }
        try Names.checkMember(member)
        if let destination { try Names.checkBusName(destination) }
        return Message(.methodCall, path: path, interface: interface, member: member, destination: destination)
    }

    /// Creates a signal.
    ///
    /// - Throws: `InvalidArgs` with the invalid name.
    public static func signal(path: ObjectPath, interface: String, member: String) throws(DBusError) -> Message {
        try Names.checkInterface(interface)
        try Names.checkMember(member)
        return Message(.signal, path: path, interface: interface, member: member, flags: .noReplyExpected)
    }

    /// Creates the answer to this method call.
    public func methodReturn() throws(DBusError) -> Message { try reply(.methodReturn) }

    /// Creates an error answer to this method call. The error text is truncated to 1 KiB, and control characters are
    /// escaped.
    public func errorReply(_ error: DBusError) throws(DBusError) -> Message {
        var reply = try reply(.error, errorName: error.name)
        try reply.write(ErrorText.sendable(error.message))
        return reply
    }

    private func reply(_ kind: Kind, errorName: String? = nil) throws(DBusError) -> Message {
        guard self.kind == .methodCall, serial != 0 else {
            throw .invalidArgs("only a received method call can be answered")
        }
        return Message(kind, errorName: errorName, replySerial: serial, destination: sender, flags: .noReplyExpected)
    }
}

// MARK: - The body

extension Message {
    /// The maximum length of a body in bytes. With its header, the message stays below the specification's 128 MiB.
    public static let largestBody = MessageBody.largest

    /// The length of the body in bytes.
    public var bodySize: Int { body.count }

    /// Writes the whole body; `body` appends values that match `signature`.
    ///
    /// - Throws: the writer's failure. The message then keeps the body that it had.
    public mutating func write(
        _ signature: Signature, limit: Int = Message.largestBody,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        self.body = try MessageBody(signature, limit: min(limit, Message.largestBody), body)
        form = nil
    }

    /// Writes the whole body from typed values.
    public mutating func write<each Value: DBusEncodable>(_ values: repeat each Value) throws(DBusError) {
        try write(Signature.of(repeat (each Value).self)) { writer in
            repeat (each values).encode(to: &writer)
        }
    }

    /// Writes the whole body from dynamic values.
    public mutating func write(values: [DBusValue]) throws(DBusError) {
        let signature = try Signature(values.map { $0.signature.text }.joined())
        try write(signature) { writer in
            for value in values { value.append(to: &writer) }
        }
    }

    /// Takes the body out of the message, which then no longer holds memory for it.
    mutating func takeBody() -> MessageBody {
        defer { body = .empty }
        return body
    }

    /// Passes a reader of the body to a closure.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        try self.body.read(body)
    }

    /// Reads the whole body as typed values.
    ///
    /// - Throws: `InvalidArgs` when the body has a different signature.
    public func decode<each Value: DBusDecodable>(
        as types: repeat (each Value).Type
    ) throws(DBusError) -> (repeat each Value) {
        let wanted = Signature.of(repeat (each Value).self)
        guard signature == wanted else {
            throw .invalidArgs("the message has the signature \(signature.text.quoted) instead of “\(wanted)”")
        }
        return try read { (reader) throws(DBusError) in
            (repeat try (each Value)(from: &reader))
        }
    }

    /// Reads the whole body as dynamic values.
    public func values() throws(DBusError) -> [DBusValue] {
        try read { (reader) throws(DBusError) in try DBusValue.readAll(&reader) }
    }
}

// MARK: - The bytes

extension Message {
    /// Returns the message with the form in which libdbus sends it, so that to send it takes little time: libdbus
    /// has checked all values. Call this on any thread.
    ///
    /// - Throws: `NoMemory`; `InvalidArgs` with libdbus' reason.
    public func encoded() throws(DBusError) -> Message {
        guard form == nil else { return self }
        var message = self
        message.form = try LibdbusMessage(encoding: self)
        return message
    }

    /// Codes of the header's fields.
    private enum Field: UInt8 {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature
    }

    /// Marshals the message with a body, and with a serial of 1; nil when there is no memory.
    func marshal(with body: MessageBody) -> MarshalledBytes? {
        var bytes = MarshalledBytes()
        guard appendStart(bodySize: body.count, to: &bytes) else { return nil }
        let fields = bytes.count
        let types = body.signature == .empty ? nil : body.signature.text
        let isDone =
            appendField(.path, .objectPath, path?.text, to: &bytes)
            && appendField(.interface, .string, interface, to: &bytes)
            && appendField(.member, .string, member, to: &bytes)
            && appendField(.errorName, .string, errorName, to: &bytes)
            && appendReplySerial(to: &bytes) && appendField(.destination, .string, destination, to: &bytes)
            && appendField(.sender, .string, sender, to: &bytes)
            && appendField(.signature, .signature, types, to: &bytes)
        bytes.store(UInt32(truncatingIfNeeded: bytes.count - fields), at: fields - 4)
        guard unsafe isDone && bytes.extend(by: 0, alignment: 8) != nil else { return nil }
        guard unsafe body.withBytes({ unsafe bytes.append($0) }) else { return nil }
        return bytes
    }

    /// Appends the sixteen bytes before the header fields. The length of the fields is filled in later.
    private func appendStart(bodySize: Int, to bytes: inout MarshalledBytes) -> Bool {
        guard let place = unsafe bytes.extend(by: 16, alignment: 8) else { return false }
        let order = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")
        let start = (order, kind?.rawValue ?? 0, flags.rawValue, 1 as UInt8)
        unsafe place.storeBytes(of: start, as: (UInt8, UInt8, UInt8, UInt8).self)
        let numbers = (UInt32(truncatingIfNeeded: bodySize), 1 as UInt32, 0 as UInt32)
        unsafe place.storeBytes(of: numbers, toByteOffset: 4, as: (UInt32, UInt32, UInt32).self)
        return true
    }

    private func appendField(_ field: Field, _ type: TypeCode, _ text: String?, to bytes: inout MarshalledBytes) -> Bool
    {
        guard var text else { return true }
        guard appendType(field, type, to: &bytes) else { return false }
        return text.withUTF8 { text in unsafe bytes.append(text, lengthSize: type == .signature ? 1 : 4) }
    }

    private func appendReplySerial(to bytes: inout MarshalledBytes) -> Bool {
        guard replySerial != 0 else { return true }
        guard appendType(.replySerial, .uint32, to: &bytes), let place = unsafe bytes.extend(by: 4, alignment: 4) else {
            return false
        }
        unsafe place.storeBytes(of: replySerial, as: UInt32.self)
        return true
    }

    /// Appends a field's code and the signature of the variant that holds its value.
    private func appendType(_ field: Field, _ type: TypeCode, to bytes: inout MarshalledBytes) -> Bool {
        guard let place = unsafe bytes.extend(by: 4, alignment: 8) else { return false }
        let start = (field.rawValue, 1 as UInt8, type.rawValue, 0 as UInt8)
        unsafe place.storeBytes(of: start, as: (UInt8, UInt8, UInt8, UInt8).self)
        return true
    }
}

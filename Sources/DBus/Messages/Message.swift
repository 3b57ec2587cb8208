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

    /// The parts of a message. Copies of the message share them; a copy that changes gets its own first, so that no
    /// thread sees another one's change.
    private final class Parts: @unchecked Sendable {
        let kind: Kind?
        let (serial, replySerial): (UInt32, UInt32)
        let path: ObjectPath?
        let (interface, member, errorName): (String?, String?, String?)
        let size: Int
        fileprivate var (destination, sender): (String?, String?)
        fileprivate var flags: Flags
        fileprivate var body: MessageBody
        fileprivate var isAccountedFor = false
        fileprivate var form: LibdbusMessage?

        init(
            _ kind: Kind?, _ path: ObjectPath?, _ names: (interface: String?, member: String?, error: String?),
            _ serials: (own: UInt32, reply: UInt32), _ ends: (destination: String?, sender: String?), _ flags: Flags,
            _ body: MessageBody, _ size: Int
        ) {
            (self.kind, self.path, self.flags, self.body, self.size) = (kind, path, flags, body, size)
            (interface, member, errorName) = names
            (serial, replySerial) = serials
            (destination, sender) = ends
        }

        convenience init(copying other: Parts) {
            self.init(
                other.kind, other.path, (other.interface, other.member, other.errorName),
                (other.serial, other.replySerial), (other.destination, other.sender), other.flags, other.body,
                other.size)
            (isAccountedFor, form) = (other.isAccountedFor, other.form)
        }
    }

    private var parts: Parts

    init(
        _ kind: Kind?, path: ObjectPath? = nil, interface: String? = nil, member: String? = nil,
        errorName: String? = nil, serial: UInt32 = 0, replySerial: UInt32 = 0, destination: String? = nil,
        sender: String? = nil, flags: Flags = [], body: MessageBody = .empty, size: Int = 0
    ) {
        parts = Parts(
            kind, path, (interface, member, errorName), (serial, replySerial), (destination, sender), flags, body, size)
    }

    private mutating func change(_ body: (Parts) -> Void) {
        if !isKnownUniquelyReferenced(&parts) { parts = Parts(copying: parts) }
        body(parts)
    }
}

// MARK: - The header

extension Message {
    /// The kind of message; nil for a kind that this version of the protocol does not define.
    public var kind: Kind? { parts.kind }
    /// The serial of a received message; 0 for other messages.
    public var serial: UInt32 { parts.serial }
    /// The serial of the call that this message answers; 0 if it is not an answer.
    public var replySerial: UInt32 { parts.replySerial }
    /// The object that is called or that emits the signal; nil for answers.
    public var path: ObjectPath? { parts.path }
    /// The interface of the member; optional in a method call.
    public var interface: String? { parts.interface }
    /// The name of the method or signal.
    public var member: String? { parts.member }
    /// The name of the error; nil for other kinds of messages.
    public var errorName: String? { parts.errorName }
    /// The bus name of the receiver; nil for a broadcast signal, or on a direct connection.
    public var destination: String? { parts.destination }
    /// The signature of the body.
    public var signature: Signature { body.signature }

    /// The unique name of the sender. A bus guarantees it, a direct peer does not.
    public internal(set) var sender: String? {
        get { parts.sender }
        set { change { $0.sender = newValue } }
    }

    /// The length in bytes of a received message, header and body; 0 for other messages.
    public var size: Int { parts.size }

    /// Whether an account reserved room for this message while it was incomplete, and has released the room since.
    /// Such a message must not be counted again.
    package internal(set) var isAccountedFor: Bool {
        get { parts.isAccountedFor }
        set { if parts.isAccountedFor != newValue { change { $0.isAccountedFor = newValue } } }
    }

    /// Whether the caller expects no answer, not even an error (NO_REPLY_EXPECTED). `Connection.call` and
    /// `callWithoutReply` set this themselves.
    public var noReplyExpected: Bool {
        get { parts.flags.contains(.noReplyExpected) }
        set { set(.noReplyExpected, to: newValue) }
    }

    /// Whether the bus may start a service for this call.
    public var autoStart: Bool {
        get { !parts.flags.contains(.noAutoStart) }
        set { set(.noAutoStart, to: !newValue) }
    }

    /// Whether the caller allows interactive authorization.
    public var allowInteractiveAuthorization: Bool {
        get { parts.flags.contains(.allowInteractiveAuthorization) }
        set { set(.allowInteractiveAuthorization, to: newValue) }
    }

    private mutating func set(_ flag: Flags, to isSet: Bool) {
        guard parts.flags.contains(flag) != isSet else { return }
        change { parts in
            parts.flags.formSymmetricDifference(flag)
            parts.form = nil
        }
    }

    /// Sets the receiver's bus name; a signal with a destination is unicast.
    ///
    /// - Throws: `InvalidArgs` for a name that D-Bus does not allow.
    public mutating func setDestination(_ name: String) throws(DBusError) {
        try Names.checkBusName(name)
        change { $0.destination = name }
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

    /// The arguments.
    public var body: MessageBody { parts.body }

    /// The length of the body in bytes.
    public var bodySize: Int { body.count }

    /// Writes the whole body; `body` appends values that match `signature`.
    ///
    /// - Throws: the writer's failure. The message then keeps the body that it had.
    public mutating func write(
        _ signature: Signature, limit: Int = Message.largestBody,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        let written = try MessageBody(signature, limit: min(limit, Message.largestBody), body)
        change { ($0.body, $0.form) = (written, nil) }
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
        let body = body
        change { ($0.body, $0.form) = (.empty, nil) }
        return body
    }

    /// Passes a reader of the body to a closure.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        try parts.body.read(body)
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
        let form = try LibdbusMessage(encoding: self)
        var message = self
        message.change { $0.form = form }
        return message
    }

    /// The form in which libdbus sends the message, if it was made already.
    var form: LibdbusMessage? { parts.form }

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
        let start = (order, kind?.rawValue ?? 0, parts.flags.rawValue, 1 as UInt8)
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

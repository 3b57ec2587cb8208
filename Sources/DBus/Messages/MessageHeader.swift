// SPDX-License-Identifier: Apache-2.0

/// The header of a message that was not sent yet.
struct MessageHeader {
    /// The bits of the header's flags (D-Bus specification, Message Format).
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let noReplyExpected = Flags(rawValue: 1)
        static let noAutoStart = Flags(rawValue: 2)
        static let allowInteractiveAuthorization = Flags(rawValue: 4)
    }

    let kind: Message.Kind
    let path: ObjectPath?
    let interface: String?
    let member: String?
    let errorName: String?
    let replySerial: UInt32
    private(set) var destination: String?
    private(set) var sender: String?
    private(set) var flags: Flags

    init(
        _ kind: Message.Kind, path: ObjectPath? = nil, interface: String? = nil, member: String? = nil,
        errorName: String? = nil, replySerial: UInt32 = 0, destination: String? = nil, flags: Flags = []
    ) {
        (self.kind, self.path, self.interface, self.member) = (kind, path, interface, member)
        (self.errorName, self.replySerial, self.destination) = (errorName, replySerial, destination)
        self.flags = flags
    }

    mutating func setDestination(_ name: String) { destination = name }

    mutating func setSender(_ name: String) { sender = name }

    mutating func set(_ flag: Flags, to isSet: Bool) {
        if isSet { flags.insert(flag) } else { flags.remove(flag) }
    }
}

// MARK: - The bytes

extension MessageHeader {
    /// Codes of the header's fields.
    private enum Field: UInt8 {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature
    }

    /// Appends the header, padded to 8 bytes, with a serial of 1. Returns `false` when there is no memory.
    func append(to bytes: inout MarshalledBytes, signature: Signature, bodySize: Int) -> Bool {
        guard appendStart(bodySize: bodySize, to: &bytes) else { return false }
        let fields = bytes.count
        let isDone =
            appendField(.path, .objectPath, path?.text, to: &bytes)
            && appendField(.interface, .string, interface, to: &bytes)
            && appendField(.member, .string, member, to: &bytes)
            && appendField(.errorName, .string, errorName, to: &bytes)
            && appendReplySerial(to: &bytes) && appendField(.destination, .string, destination, to: &bytes)
            && appendField(.sender, .string, sender, to: &bytes)
            && appendField(.signature, .signature, signature == .empty ? nil : signature.text, to: &bytes)
        bytes.store(UInt32(truncatingIfNeeded: bytes.count - fields), at: fields - 4)
        return unsafe isDone && bytes.extend(by: 0, alignment: 8) != nil
    }

    /// Appends the sixteen bytes before the header fields. The length of the fields is filled in later.
    private func appendStart(bodySize: Int, to bytes: inout MarshalledBytes) -> Bool {
        guard let place = unsafe bytes.extend(by: 16, alignment: 8) else { return false }
        let order = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")
        let start = (order, UInt8(truncatingIfNeeded: kind.rawValue), flags.rawValue, 1 as UInt8)
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

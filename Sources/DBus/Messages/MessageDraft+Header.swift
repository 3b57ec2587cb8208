// SPDX-License-Identifier: Apache-2.0

/// The bytes of the header (D-Bus specification, Message Format).
extension MessageDraft {
    /// Codes of the header's fields.
    private enum Field: UInt8 {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature
    }

    /// Appends the header, padded to 8, with a serial of 1; false when there is no memory.
    func appendHeader(_ signature: Signature, bodySize: Int, to bytes: inout MarshalledBytes) -> Bool {
        guard appendStart(bodySize: bodySize, to: &bytes) else { return false }
        let fields = bytes.count
        let isDone =
            append(.path, .objectPath, path?.text, to: &bytes) && append(.interface, .string, interface, to: &bytes)
            && append(.member, .string, member, to: &bytes) && append(.errorName, .string, errorName, to: &bytes)
            && appendReplySerial(to: &bytes) && append(.destination, .string, destination, to: &bytes)
            && append(.sender, .string, sender, to: &bytes)
            && append(.signature, .signature, signature == .empty ? nil : signature.text, to: &bytes)
        bytes.store(UInt32(truncatingIfNeeded: bytes.count - fields), at: fields - 4)
        return unsafe isDone && bytes.extend(by: 0, alignment: 8) != nil
    }

    /// The sixteen bytes before the fields, whose length is filled in behind them.
    private func appendStart(bodySize: Int, to bytes: inout MarshalledBytes) -> Bool {
        guard let place = unsafe bytes.extend(by: 16, alignment: 8) else { return false }
        let order = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")
        let flags = (noReplyExpected ? 1 : 0) | (autoStart ? 0 : 2) | (allowInteractiveAuthorization ? 4 : 0) as UInt8
        let start = (order, UInt8(truncatingIfNeeded: kind.rawValue), flags, 1 as UInt8)
        unsafe place.storeBytes(of: start, as: (UInt8, UInt8, UInt8, UInt8).self)
        let numbers = (UInt32(truncatingIfNeeded: bodySize), 1 as UInt32, 0 as UInt32)
        unsafe place.storeBytes(of: numbers, toByteOffset: 4, as: (UInt32, UInt32, UInt32).self)
        return true
    }

    private func append(_ field: Field, _ type: TypeCode, _ text: String?, to bytes: inout MarshalledBytes) -> Bool {
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

    /// A field's code and the signature of the variant that holds its value.
    private func appendType(_ field: Field, _ type: TypeCode, to bytes: inout MarshalledBytes) -> Bool {
        guard let place = unsafe bytes.extend(by: 4, alignment: 8) else { return false }
        let start = (field.rawValue, 1 as UInt8, type.rawValue, 0 as UInt8)
        unsafe place.storeBytes(of: start, as: (UInt8, UInt8, UInt8, UInt8).self)
        return true
    }
}

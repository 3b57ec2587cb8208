// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// The D-Bus signature of the value: one complete type, such as `a{sv}`.
    ///
    /// The signature may be invalid for a value that no D-Bus message can carry.
    public var signature: String {
        switch self {
        case .array(let element, _): "a\(element)"
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        default: String(Unicode.Scalar(typeCode.rawValue))
        }
    }

    /// The first letter of the signature.
    var typeCode: TypeCode {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .variant: .variant
        case .array, .dictionary: .array
        case .structure: .structure
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A D-Bus value of any type except a file descriptor.
///
/// `Value` is the Swift form of the canonical bytes in `Fields`. Encoding throws `invalidObject` for a `Value` that
/// no D-Bus message can carry: a string with NUL, a malformed path or signature, an element of another type than the
/// array's, more than 32 nested containers.
@frozen public indirect enum Value: Sendable {
    /// `y`, an unsigned byte.
    case byte(UInt8)
    /// `b`.
    case boolean(Bool)
    /// `n`.
    case int16(Int16)
    /// `q`.
    case uint16(UInt16)
    /// `i`.
    case int32(Int32)
    /// `u`.
    case uint32(UInt32)
    /// `x`, the type of an integer literal.
    case int64(Int64)
    /// `t`.
    case uint64(UInt64)
    /// `d`; all NaN are equal.
    case double(Double)
    /// `s`, without NUL.
    case string(String)
    /// `o`.
    case objectPath(String)
    /// `g`, zero or more complete types.
    case signature(String)
    /// `v`, a value that carries its own type.
    case variant(Value)
    /// `a…`: the signature of one element, and the elements in order.
    case array(element: String, [Value])
    /// `a{…}`: the signatures of a key and of a value, and the entries in no order.
    case dictionary(key: String, value: String, [Value: Value])
    /// `(…)`, at least one member.
    case structure([Value])
}

extension Value: Hashable {
    /// Returns whether both encode to the same bytes. NaN equals NaN, and zero differs from negative zero.
    public static func == (lhs: Value, rhs: Value) -> Bool {
        switch (lhs, rhs) {
        case (.byte(let a), .byte(let b)): a == b
        case (.boolean(let a), .boolean(let b)): a == b
        case (.int16(let a), .int16(let b)): a == b
        case (.uint16(let a), .uint16(let b)): a == b
        case (.int32(let a), .int32(let b)): a == b
        case (.uint32(let a), .uint32(let b)): a == b
        case (.int64(let a), .int64(let b)): a == b
        case (.uint64(let a), .uint64(let b)): a == b
        case (.double(let a), .double(let b)): a.canonicalBits == b.canonicalBits
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.objectPath(let a), .objectPath(let b)): a.utf8.elementsEqual(b.utf8)
        case (.signature(let a), .signature(let b)): a.utf8.elementsEqual(b.utf8)
        case (.variant(let a), .variant(let b)): a == b
        case (.array(let e, let a), .array(let f, let b)): e == f && a == b
        case (.dictionary(let k, let v, let a), .dictionary(let l, let w, let b)): k == l && v == w && a == b
        case (.structure(let a), .structure(let b)): a == b
        default: false
        }
    }

    /// Hashes the type and the content.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(typeCode)
        switch self {
        case .byte(let v): hasher.combine(v)
        case .boolean(let v): hasher.combine(v)
        case .int16(let v): hasher.combine(v)
        case .uint16(let v): hasher.combine(v)
        case .int32(let v): hasher.combine(v)
        case .uint32(let v): hasher.combine(v)
        case .int64(let v): hasher.combine(v)
        case .uint64(let v): hasher.combine(v)
        case .double(let v): hasher.combine(v.canonicalBits)
        case .string(let v), .objectPath(let v), .signature(let v): hasher.combine(v)
        case .variant(let v): hasher.combine(v)
        case .array(_, let v): hasher.combine(v)
        case .dictionary(_, _, let v): hasher.combine(v)
        case .structure(let v): hasher.combine(v)
        }
    }
}

extension Double {
    /// The bit pattern of the number, with the same pattern for every NaN.
    var canonicalBits: UInt64 { isNaN ? 0x7FF8_0000_0000_0000 : bitPattern }
}

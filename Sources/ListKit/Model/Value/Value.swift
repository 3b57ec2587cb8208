// SPDX-License-Identifier: Apache-2.0

/// One D-Bus value of any type but a file descriptor.
///
/// `Value` is the Swift form of the canonical bytes in `Fields`. Not every `Value` can be carried: a string with NUL in
/// it, a malformed path or signature, elements that do not have the array's type, or more than 32 nested containers are
/// refused with `invalidObject` when the value is encoded.
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
    /// `x`; what an integer literal makes.
    case int64(Int64)
    /// `t`.
    case uint64(UInt64)
    /// `d`; every NaN is the same value.
    case double(Double)
    /// `s`, without NUL.
    case string(String)
    /// `o`.
    case objectPath(String)
    /// `g`, zero or more complete types.
    case signature(String)
    /// `v`, a value that carries its own type.
    case variant(Value)
    /// `a…`: the signature of one element, and the elements.
    case array(element: String, [Value])
    /// `a{…}`: the signatures of a key and of a value, and the entries, without order.
    case dictionary(key: String, value: String, [Value: Value])
    /// `(…)`, at least one member.
    case structure([Value])
}

extension Value: Hashable {
    /// Two values are equal if they encode to the same bytes. NaN equals NaN, and zero differs from negative zero.
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

    /// Hashes what `==` compares.
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
    /// The bits of the number, with one pattern for every NaN.
    var canonicalBits: UInt64 { isNaN ? 0x7FF8_0000_0000_0000 : bitPattern }
}

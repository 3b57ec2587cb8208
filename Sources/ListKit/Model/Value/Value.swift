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

/// Accessors that read a value without a `switch`. Each returns nil for other types, and reads the content of a
/// variant.
extension Value {
    /// The text of a string, an object path or a signature.
    public var string: String? {
        switch unwrapped {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// The number of any numeric type. 64-bit integers are rounded to the nearest double.
    public var double: Double? {
        switch unwrapped {
        case .byte(let number): Double(number)
        case .int16(let number): Double(number)
        case .uint16(let number): Double(number)
        case .int32(let number): Double(number)
        case .uint32(let number): Double(number)
        case .int64(let number): Double(number)
        case .uint64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The number of any integer type; nil if it exceeds `Int`.
    public var int: Int? {
        switch unwrapped {
        case .byte(let number): Int(number)
        case .int16(let number): Int(number)
        case .uint16(let number): Int(number)
        case .int32(let number): Int(number)
        case .uint32(let number): Int(number)
        case .int64(let number): Int(number)
        case .uint64(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The truth value of a boolean.
    public var bool: Bool? {
        if case .boolean(let flag) = unwrapped { flag } else { nil }
    }

    /// The elements of an array, without the variants around them (`av` reads like `as`).
    public var array: [Value]? {
        if case .array(_, let elements) = unwrapped { elements.map(\.unwrapped) } else { nil }
    }

    /// The entries of a dictionary with string keys, without the variants around the values.
    public var dictionary: [String: Value]? {
        guard case .dictionary("s", _, let entries) = unwrapped else { return nil }
        var result: [String: Value] = [:]
        result.reserveCapacity(entries.count)
        for (key, value) in entries {
            if case .string(let name) = key { result[name] = value.unwrapped }
        }
        return result
    }

    /// The value without the variants around it.
    public var unwrapped: Value {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes an `s`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    /// Makes an `x`, the type of JSON integers in the D-Bus contract.
    public init(integerLiteral value: Int64) { self = .int64(value) }
}

extension Value: ExpressibleByFloatLiteral {
    /// Makes a `d`.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    /// Makes a `b`.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Value: ExpressibleByArrayLiteral {
    /// Makes an array of the elements' type if all have the same type, otherwise an `av`.
    public init(arrayLiteral elements: Value...) { self.init(elements) }

    /// Makes an array of the elements' type if all have the same type. Otherwise, and without elements, makes an
    /// `av`.
    public init(_ elements: [Value]) {
        let signature = elements.first?.signature ?? "v"
        if elements.allSatisfy({ $0.signature == signature }) {
            self = .array(element: signature, elements)
        } else {
            self = .array(element: "v", elements.map { .variant($0) })
        }
    }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// Makes an `a{sv}`. Of repeated keys the last is kept.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { $1 }))
    }

    /// Makes an `a{sv}`.
    public init(_ entries: [String: Value]) {
        var wrapped: [Value: Value] = [:]
        wrapped.reserveCapacity(entries.count)
        for (key, value) in entries { wrapped[.string(key)] = .variant(value) }
        self = .dictionary(key: "s", value: "v", wrapped)
    }
}

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

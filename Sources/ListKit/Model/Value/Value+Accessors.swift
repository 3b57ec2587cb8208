// SPDX-License-Identifier: Apache-2.0

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

// SPDX-License-Identifier: Apache-2.0

/// The kinds of D-Bus values, each with its type code.
///
/// A struct begins with `(` in a signature and has the code `r`; a dict entry begins with `{` and has the code `e`.
public enum TypeCode: UInt8, Sendable, CaseIterable {
    case byte = 0x79  // y
    case boolean = 0x62  // b
    case int16 = 0x6e  // n
    case uint16 = 0x71  // q
    case int32 = 0x69  // i
    case uint32 = 0x75  // u
    case int64 = 0x78  // x
    case uint64 = 0x74  // t
    case double = 0x64  // d
    case string = 0x73  // s
    case objectPath = 0x6f  // o
    case signature = 0x67  // g
    case fileDescriptor = 0x68  // h
    case array = 0x61  // a
    case variant = 0x76  // v
    case structure = 0x72  // r
    case dictionaryEntry = 0x65  // e

    /// Creates the kind of a type from the first byte of its signature.
    @inlinable
    init?(signatureByte byte: UInt8) {
        switch byte {
        case UInt8(ascii: "("): self = .structure
        case UInt8(ascii: "{"): self = .dictionaryEntry
        case TypeCode.structure.rawValue, TypeCode.dictionaryEntry.rawValue: return nil
        default: self.init(rawValue: byte)
        }
    }

    /// The byte with which a type of this kind begins in a signature.
    @inlinable
    var signatureByte: UInt8 {
        switch self {
        case .structure: UInt8(ascii: "(")
        case .dictionaryEntry: UInt8(ascii: "{")
        default: rawValue
        }
    }

    /// Whether the kind is not a container.
    public var isBasic: Bool {
        switch self {
        case .array, .variant, .structure, .dictionaryEntry: false
        default: true
        }
    }

    /// Whether values are numbers or booleans.
    var isNumber: Bool {
        switch self {
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: true
        default: false
        }
    }

    /// The alignment of a value in a message's body, in bytes.
    @inlinable
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .boolean, .int32, .uint32, .string, .objectPath, .fileDescriptor, .array: 4
        case .int64, .uint64, .double, .structure, .dictionaryEntry: 8
        }
    }
}

extension TypeCode: CustomStringConvertible {
    /// The type code as text.
    public var description: String { String(UnicodeScalar(rawValue)) }
}

// SPDX-License-Identifier: Apache-2.0

/// The letters of D-Bus signatures (D-Bus specification, "Type System"), without `h`.
@_spi(Daemon) @frozen public enum TypeCode: UInt8, Sendable, Hashable {
    /// `y`
    case byte = 0x79
    /// `b`
    case boolean = 0x62
    /// `n`
    case int16 = 0x6E
    /// `q`
    case uint16 = 0x71
    /// `i`
    case int32 = 0x69
    /// `u`
    case uint32 = 0x75
    /// `x`
    case int64 = 0x78
    /// `t`
    case uint64 = 0x74
    /// `d`
    case double = 0x64
    /// `s`
    case string = 0x73
    /// `o`
    case objectPath = 0x6F
    /// `g`
    case signature = 0x67
    /// `v`
    case variant = 0x76
    /// `a`
    case array = 0x61
    /// `(`
    case structure = 0x28
    /// `)`
    case structureEnd = 0x29
    /// `{`
    case dictionaryEntry = 0x7B
    /// `}`
    case dictionaryEntryEnd = 0x7D

    /// Whether the type is basic, that is, allowed for the keys of a dictionary.
    var isBasic: Bool {
        switch self {
        case .variant, .array, .structure, .structureEnd, .dictionaryEntry, .dictionaryEntryEnd: false
        default: true
        }
    }

    /// The encoded size of every value of the type, in bytes; nil if the size varies.
    var fixedSize: Int? {
        switch self {
        case .byte, .boolean: 1
        case .int16, .uint16: 2
        case .int32, .uint32: 4
        case .int64, .uint64, .double: 8
        default: nil
        }
    }
}

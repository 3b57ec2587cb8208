// SPDX-License-Identifier: Apache-2.0

/// A valid signature (D-Bus specification, "Valid Signatures"): any number of complete types.
///
/// A signature has at most 255 bytes, 32 nested arrays and 32 nested structs.
public struct Signature: Hashable, Sendable {
    /// The signature as text.
    public let text: String

    /// The signature of an empty body.
    public static let empty = Signature(unchecked: "")

    init(unchecked text: String) {
        self.text = text
    }

    /// Creates a signature from text.
    ///
    /// - Throws: `InvalidSignature` that quotes the text when it is not a valid signature.
    public init(_ text: String) throws(DBusError) {
        guard Signature.isValid(text) else {
            throw DBusError(.invalidSignature, "\(text.quoted) is not a signature")
        }
        self.text = text
    }

    /// Returns whether `text` consists of any number of complete types, within the limits.
    public static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= Names.maximumLength else { return false }
        var scanner = SignatureScanner(bytes: Array(text.utf8))
        while !scanner.atEnd {
            guard scanner.skipType(arrayDepth: 0, structDepth: 0) else { return false }
        }
        return true
    }

    /// The complete types of the signature, each as a signature.
    public var types: [Signature] {
        var scanner = SignatureScanner(bytes: Array(text.utf8))
        var types: [Signature] = []
        while !scanner.atEnd {
            let start = scanner.position
            guard scanner.skipType(arrayDepth: 0, structDepth: 0) else { break }
            types.append(Signature(unchecked: String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)))
        }
        return types
    }

    /// Whether the signature has exactly one complete type.
    public var isSingle: Bool { types.count == 1 }

    /// The kind of the first type; nil for the empty signature.
    public var firstCode: TypeCode? { text.utf8.first.flatMap(TypeCode.init(signatureByte:)) }

    static func + (left: Signature, right: Signature) -> Signature { Signature(unchecked: left.text + right.text) }
}

extension Signature: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a signature from a string literal; an invalid literal is a programming error and traps.
    public init(stringLiteral text: StaticString) {
        // trap: a static string is part of the program; received signatures use the initializer that throws
        precondition(Signature.isValid(text.description), "a literal is not a signature")
        self.text = text.description
    }

    /// The signature as text.
    public var description: String { text }
}

/// A scanner that moves over the complete types of a signature.
struct SignatureScanner {
    let bytes: [UInt8]
    private(set) var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var atEnd: Bool { position == bytes.count }

    /// Moves past one complete type. Returns `false` when there is no valid type, or it is nested too deeply.
    mutating func skipType(arrayDepth: Int, structDepth: Int) -> Bool {
        guard arrayDepth <= 32, structDepth <= 32, position < bytes.count else { return false }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "a"):
            if position < bytes.count, bytes[position] == UInt8(ascii: "{") {
                return skipDictionaryEntry(arrayDepth: arrayDepth + 1, structDepth: structDepth)
            }
            return skipType(arrayDepth: arrayDepth + 1, structDepth: structDepth)
        case UInt8(ascii: "("):
            return skipStructure(arrayDepth: arrayDepth, structDepth: structDepth + 1)
        default:
            return TypeCode(signatureByte: byte).map { $0.isBasic || $0 == .variant } ?? false
        }
    }

    private mutating func skipStructure(arrayDepth: Int, structDepth: Int) -> Bool {
        repeat {
            guard skipType(arrayDepth: arrayDepth, structDepth: structDepth) else { return false }
        } while position < bytes.count && bytes[position] != UInt8(ascii: ")")
        position += 1
        return position <= bytes.count
    }

    /// Moves past a dictionary entry: a basic key type and one value type in braces. It is allowed only after an `a`.
    private mutating func skipDictionaryEntry(arrayDepth: Int, structDepth: Int) -> Bool {
        position += 1
        guard position < bytes.count, TypeCode(signatureByte: bytes[position])?.isBasic == true else { return false }
        position += 1
        guard skipType(arrayDepth: arrayDepth, structDepth: structDepth) else { return false }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "}") else { return false }
        position += 1
        return true
    }
}

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

/// Functions that scan valid signatures in place, without allocating strings.
@usableFromInline
enum SignatureText {
    /// Returns the length of the first complete type of a valid signature.
    ///
    /// - Complexity: O(length of that type)
    @usableFromInline
    static func firstTypeLength(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        var position = 0
        while position < text.count, unsafe text[position] == UInt8(ascii: "a") { position += 1 }
        var depth = 0
        while position < text.count {
            switch unsafe text[position] {
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { break }
        }
        return position
    }

    /// Static storage for one-byte signatures; pointers into it stay valid forever.
    nonisolated(unsafe) private static let letters: UnsafeMutablePointer<UInt8> = {
        // Owned by the process; never written again and never freed.
        let letters = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for letter in 0..<256 { unsafe (letters + letter).initialize(to: UInt8(truncatingIfNeeded: letter)) }
        return unsafe letters
    }()

    /// Returns a one-letter type in static storage: a basic type or the variant. Returns nil for all other types.
    @usableFromInline
    static func staticText(ofOneLetterType type: Span<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard type.count == 1, let code = TypeCode(signatureByte: type[0]), code.isBasic || code == .variant else {
            return nil
        }
        return unsafe UnsafeBufferPointer(start: letters + Int(type[0]), count: 1)
    }
}

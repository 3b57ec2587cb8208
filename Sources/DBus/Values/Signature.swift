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

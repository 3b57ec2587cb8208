// SPDX-License-Identifier: Apache-2.0

/// Writes JSON: the text of objects in files and pipes, and of what listctl prints.
///
/// What JSON lacks is written as the nearest: bytes as base64 text, NaN and infinity as null, numbers and truth values as keys in
/// quotes. Containers are the caller's, who knows how they nest: ``begin(_:)``, ``separate(_:)`` and ``end(_:)``.
package struct JSONWriter {
    /// The text so far, in UTF-8.
    package private(set) var bytes: [UInt8] = []

    /// Makes a writer that has written nothing.
    package init() {}

    /// Something with members or elements.
    package enum Container {
        case array, object
    }

    /// Begins a container.
    package mutating func begin(_ container: Container) {
        switch container {
        case .array: bytes.append(UInt8(ascii: "["))
        case .object: bytes.append(UInt8(ascii: "{"))
        }
    }

    /// Puts a comma in front of each element or member but the first.
    package mutating func separate(_ isFirst: inout Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    /// Ends the container that was begun last.
    package mutating func end(_ container: Container) {
        switch container {
        case .array: bytes.append(UInt8(ascii: "]"))
        case .object: bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Ends the key of a member.
    package mutating func endKey() { bytes.append(UInt8(ascii: ":")) }

    /// Ends the line.
    package mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

    /// Writes what is not there.
    package mutating func appendNull() { append(ascii: "null") }

    /// Writes a truth value.
    package mutating func append(_ flag: Bool) { append(ascii: flag ? "true" : "false") }

    /// Writes a whole number.
    @inlinable
    package mutating func append(_ number: some BinaryInteger) { append(ascii: String(number)) }

    /// Writes a number, as the shortest digits that read back as the same one, with a point or an exponent; NaN and infinity are
    /// null.
    package mutating func append(_ number: Double) { append(ascii: number.isFinite ? number.description : "null") }

    /// Writes a number as a key, also one that JSON has no number for.
    package mutating func append(key number: Double) {
        quote()
        append(ascii: number.description)
        quote()
    }

    /// Begins or ends the quotes around a key that is no text.
    package mutating func quote() { bytes.append(UInt8(ascii: "\"")) }

    /// Writes bytes as base64 text.
    package mutating func append(base64 content: [UInt8]) {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        quote()
        for start in stride(from: 0, to: content.count, by: 3) {
            let group = content[start..<min(start + 3, content.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                bytes.append(place > group.count ? UInt8(ascii: "=") : digits[bits >> (18 - 6 * place) & 0x3F])
            }
        }
        quote()
    }

    /// Writes text that is valid UTF-8.
    package mutating func append(quoted text: Span<UInt8>) {
        quote()
        for position in text.indices {
            let byte = text[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(escaped: Unicode.Scalar(byte))
            } else {
                bytes.append(byte)
            }
        }
        quote()
    }

    /// Writes text.
    ///
    /// - Parameter mustEscape: which scalars are written by their numbers, besides those that JSON asks for.
    package mutating func append(quoted text: String, mustEscape: (Unicode.Scalar) -> Bool) {
        quote()
        append(text: text) { $0.value < 0x20 || $0 == "\"" || $0 == "\\" || mustEscape($0) }
        quote()
    }

    /// Writes JSON that somebody else wrote, with some scalars inside of its strings escaped.
    package mutating func append(text: String, escaping mustEscape: (Unicode.Scalar) -> Bool) {
        for scalar in text.unicodeScalars {
            if mustEscape(scalar) { append(escaped: scalar) } else { bytes.append(contentsOf: String(scalar).utf8) }
        }
    }

    /// Writes a scalar inside of quotes, escaped.
    private mutating func append(escaped scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(ascii: #"\""#)
        case "\\": append(ascii: #"\\"#)
        case "\n": append(ascii: #"\n"#)
        case "\r": append(ascii: #"\r"#)
        case "\t": append(ascii: #"\t"#)
        default:
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                append(ascii: #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits)
            }
        }
    }

    @usableFromInline
    package mutating func append(ascii text: String) { bytes.append(contentsOf: text.utf8) }
}

// SPDX-License-Identifier: Apache-2.0

/// A JSON writer, for objects in files and pipes and for the output of listctl.
///
/// Values that JSON cannot express are written as their nearest equivalent: bytes as base64 text, NaN and infinity as
/// null, and a number or boolean that is a key as a string. The caller writes containers with ``begin(_:)``,
/// ``appendSeparator(unlessFirst:)`` and ``end(_:)``, and ensures their nesting.
package struct JSONWriter {
    /// The JSON written so far, in UTF-8.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer without output.
    package init() {}

    /// A JSON container.
    package enum Container {
        case array, object
    }

    package mutating func begin(_ container: Container) {
        switch container {
        case .array: bytes.append(UInt8(ascii: "["))
        case .object: bytes.append(UInt8(ascii: "{"))
        }
    }

    /// Writes a comma unless `isFirst` is true, and sets it to false. Call this before each element or member.
    package mutating func appendSeparator(unlessFirst isFirst: inout Bool) {
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

    /// Writes the colon after the key of a member.
    package mutating func appendColon() { bytes.append(UInt8(ascii: ":")) }

    package mutating func appendLineBreak() { bytes.append(UInt8(ascii: "\n")) }

    package mutating func appendNull() { append(ascii: "null") }

    /// Writes a boolean.
    package mutating func append(_ flag: Bool) { append(ascii: flag ? "true" : "false") }

    /// Writes an integer.
    @inlinable
    package mutating func append(_ number: some BinaryInteger) { append(ascii: String(number)) }

    /// Writes a floating-point number with the fewest digits that are read back as the same number, with a point or
    /// an exponent. NaN and infinity are written as null.
    package mutating func append(_ number: Double) { append(ascii: number.isFinite ? number.description : "null") }

    /// Writes a number as a key. NaN and infinity are allowed.
    package mutating func append(key number: Double) {
        appendQuotationMark()
        append(ascii: number.description)
        appendQuotationMark()
    }

    /// Writes the opening or closing quotation mark of a key that is not text.
    package mutating func appendQuotationMark() { bytes.append(UInt8(ascii: "\"")) }

    /// Writes bytes as base64 text.
    package mutating func append(base64 content: [UInt8]) {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        appendQuotationMark()
        for start in stride(from: 0, to: content.count, by: 3) {
            let group = content[start..<min(start + 3, content.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                bytes.append(place > group.count ? UInt8(ascii: "=") : digits[bits >> (18 - 6 * place) & 0x3F])
            }
        }
        appendQuotationMark()
    }

    /// Writes a string given as valid UTF-8.
    package mutating func append(quoted text: Span<UInt8>) {
        appendQuotationMark()
        for position in text.indices {
            let byte = text[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(escaped: Unicode.Scalar(byte))
            } else {
                bytes.append(byte)
            }
        }
        appendQuotationMark()
    }

    /// Writes a string.
    ///
    /// - Parameter mustEscape: returns whether a scalar is escaped by its number, in addition to those that JSON
    ///   requires.
    package mutating func append(quoted text: String, mustEscape: (Unicode.Scalar) -> Bool) {
        appendQuotationMark()
        append(text: text) { $0.value < 0x20 || $0 == "\"" || $0 == "\\" || mustEscape($0) }
        appendQuotationMark()
    }

    /// Writes existing JSON, and escapes some scalars in its strings.
    package mutating func append(text: String, escaping mustEscape: (Unicode.Scalar) -> Bool) {
        for scalar in text.unicodeScalars {
            if mustEscape(scalar) { append(escaped: scalar) } else { bytes.append(contentsOf: String(scalar).utf8) }
        }
    }

    /// Writes an escaped scalar inside of a string.
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

// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Converts between JSON text and values. Strings are `s`, whole numbers `x`, other numbers `d`, booleans `b`,
/// arrays `av`, objects `a{sv}`. A null removes its key.
enum JSONText {
    /// The maximum nesting of arrays and objects, more than a field may have.
    private static let maximumDepth = 64

    /// Decodes JSON text. Returns `nil` for null, for a null in an array, for an integer beyond 64 bits, and for
    /// more than 64 levels.
    static func value(of bytes: UnsafeRawBufferPointer) -> Value? {
        var reader = Reader(bytes: unsafe Array(bytes))
        guard case .some(.some(let value)) = reader.parseValue(depth: 0), reader.isAtEnd else { return nil }
        return value
    }

    /// Encodes a value as JSON text. Returns `nil` for values that JSON cannot express.
    static func text(of value: Value) -> String? {
        switch value {
        case .byte(let number): return "\(number)"
        case .int16(let number): return "\(number)"
        case .uint16(let number): return "\(number)"
        case .int32(let number): return "\(number)"
        case .uint32(let number): return "\(number)"
        case .int64(let number): return "\(number)"
        case .uint64(let number): return "\(number)"
        case .double(let number): return number.isFinite ? "\(number)" : nil
        case .boolean(let flag): return flag ? "true" : "false"
        case .string(let text), .objectPath(let text), .signature(let text): return quoted(text)
        case .variant(let inner): return text(of: inner)
        case .array(_, let elements), .structure(let elements):
            let texts = elements.compactMap(text)
            return texts.count == elements.count ? "[\(texts.joined(separator: ","))]" : nil
        case .dictionary("s", _, let entries):
            var texts: [String] = []
            for (key, value) in entries {
                guard case .string(let key) = key, let text = text(of: value) else { return nil }
                texts.append("\(quoted(key)):\(text)")
            }
            return "{\(texts.sorted().joined(separator: ","))}"
        case .dictionary: return nil
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// A JSON parser. The server has validated the text; invalid JSON yields `nil`.
    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return position == bytes.count
            }
        }

        private mutating func skipSpace() {
            while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
        }

        private mutating func consume(_ character: Character) -> Bool {
            skipSpace()
            guard position < bytes.count, bytes[position] == character.asciiValue else { return false }
            position += 1
            return true
        }

        private mutating func consume(word: String) -> Bool {
            guard bytes[position...].starts(with: word.utf8) else { return false }
            position += word.utf8.count
            return true
        }

        /// Parses a value; `nil` = there is no value, `.some(nil)` = null.
        mutating func parseValue(depth: Int) -> Value?? {
            skipSpace()
            guard depth < JSONText.maximumDepth, position < bytes.count else { return nil }
            switch bytes[position] {
            case UInt8(ascii: "{"): return parseObject(depth: depth)
            case UInt8(ascii: "["): return parseArray(depth: depth)
            case UInt8(ascii: "\""): return parseString().map { .string($0) }
            case UInt8(ascii: "t"): return consume(word: "true") ? .boolean(true) : nil
            case UInt8(ascii: "f"): return consume(word: "false") ? .boolean(false) : nil
            case UInt8(ascii: "n"): return consume(word: "null") ? .some(nil) : nil
            default: return parseNumber()
            }
        }

        private mutating func parseObject(depth: Int) -> Value?? {
            position += 1
            var entries: [Value: Value] = [:]
            if consume("}") { return .dictionary(key: "s", value: "v", entries) }
            repeat {
                skipSpace()
                guard let key = parseString(), consume(":"), let value = parseValue(depth: depth + 1) else {
                    return nil
                }
                entries[.string(key)] = value.map { .variant($0) }
            } while consume(",")
            return consume("}") ? .dictionary(key: "s", value: "v", entries) : nil
        }

        private mutating func parseArray(depth: Int) -> Value?? {
            position += 1
            var elements: [Value] = []
            if consume("]") { return .array(element: "v", elements) }
            repeat {
                guard case .some(.some(let value)) = parseValue(depth: depth + 1) else { return nil }
                elements.append(.variant(value))
            } while consume(",")
            return consume("]") ? .array(element: "v", elements) : nil
        }

        private mutating func parseNumber() -> Value?? {
            let start = position
            while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) { position += 1 }
            guard let text = String(validating: bytes[start..<position], as: UTF8.self), !text.isEmpty else {
                return nil
            }
            if text.contains(where: { ".eE".contains($0) }) { return Double(text).map { .double($0) } }
            return Int64(text).map { .int64($0) }
        }

        private mutating func parseString() -> String? {
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
            position += 1
            var text: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
                case UInt8(ascii: "\\"): guard parseEscape(into: &text) else { return nil }
                default: text.append(byte)
                }
            }
            return nil
        }

        private mutating func parseEscape(into text: inout [UInt8]) -> Bool {
            guard position < bytes.count else { return false }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
            case UInt8(ascii: "u"): return parseUnicodeEscape(into: &text)
            default: return false
            }
            return true
        }

        private mutating func parseUnicodeEscape(into text: inout [UInt8]) -> Bool {
            guard let high = parseHexadecimal() else { return false }
            var code = high
            if (0xD800..<0xDC00).contains(high) {
                guard consume(word: "\\u"), let low = parseHexadecimal(), (0xDC00..<0xE000).contains(low) else {
                    return false
                }
                code = 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { return false }
            text += Array(String(Character(scalar)).utf8)
            return true
        }

        private mutating func parseHexadecimal() -> UInt32? {
            guard position + 4 <= bytes.count else { return nil }
            let digits = bytes[position..<position + 4]
            position += 4
            return String(validating: digits, as: UTF8.self).flatMap { UInt32($0, radix: 16) }
        }
    }
}

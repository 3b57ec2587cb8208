// SPDX-License-Identifier: Apache-2.0

extension DerivedQuery {
    /// Parses the text after the `?` of a source: pairs `KEY=VALUE` separated by `&`. Fields are separated by `,`.
    /// Values are percent-encoded UTF-8.
    ///
    /// The keys are `contains`, `in`, `type`, `sort` and `limit`. An empty text makes a query that every object
    /// matches.
    /// - Throws: `invalidArguments`, naming the key at fault.
    public init(parsing argument: String) throws(ListError) {
        self.init()
        guard !argument.isEmpty else { return }
        var seen: Set<String> = []
        var (text, fields) = ("", [String]())
        for pair in argument.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(decoding: parts[0], as: UTF8.self)
            guard ["contains", "in", "type", "sort", "limit"].contains(key) else {
                throw ListError(.invalidArguments, "the argument of the source has the unknown key \(key.quoted)")
            }
            guard parts.count == 2 else { throw ListError(.invalidArguments, "the key \(key.quoted) has no value") }
            guard seen.insert(key).inserted else {
                throw ListError(.invalidArguments, "the key \(key.quoted) is given twice")
            }
            let value = parts[1]
            switch key {
            case "contains": text = try PercentEncoding.decode(value, of: key)
            case "in": fields = try Self.parseFields(value)
            case "type": type = try PercentEncoding.decode(value, of: key)
            case "sort": sort = try DerivedSort(parsing: value)
            default: limit = try Self.parseLimit(value)
            }
        }
        search = TextSearch(text, in: fields)
    }

    /// Returns the fields of the key `in`. An empty value yields no fields, which stands for all fields.
    private static func parseFields(_ value: Substring.UTF8View) throws(ListError) -> [String] {
        var fields: [String] = []
        if value.isEmpty { return fields }
        for field in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            fields.append(try PercentEncoding.decode(field, of: "in"))
        }
        return fields
    }

    private static func parseLimit(_ value: Substring.UTF8View) throws(ListError) -> Int {
        let text = String(decoding: value, as: UTF8.self)
        guard value.allSatisfy({ (0x30...0x39).contains($0) }), let limit = UInt32(text) else {
            throw ListError(
                .invalidArguments,
                "the value \(text.quoted) of the key \"limit\" is not a number from 0 to \(UInt32.max)")
        }
        return Int(limit)
    }
}

extension DerivedSort {
    fileprivate init(parsing value: Substring.UTF8View) throws(ListError) {
        let isDescending = value.first == UInt8(ascii: "-")
        let field = isDescending ? value.dropFirst() : value
        guard !field.isEmpty else { throw ListError(.invalidArguments, "the key \"sort\" names no field") }
        self.init(field: try PercentEncoding.decode(field, of: "sort"), isDescending: isDescending)
    }
}

/// Percent-encoding, in which `%` and two hexadecimal digits stand for a byte.
@_spi(Daemon) public enum PercentEncoding {
    /// Decodes percent-encoded text.
    ///
    /// - Parameter key: the key of the value, for error messages.
    /// - Throws: `invalidArguments`, naming the key, for a `%` without two hexadecimal digits after it, and for bytes
    ///   that are not UTF-8 or contain NUL.
    public static func decode(_ text: some Sequence<UInt8>, of key: String) throws(ListError) -> String {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(hexadecimalValue),
                let low = iterator.next().flatMap(hexadecimalValue)
            else {
                throw ListError(
                    .invalidArguments,
                    "the value of the key \(key.quoted) has a % without two hexadecimal digits after it")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw ListError(.invalidArguments, "the value of the key \(key.quoted) is not UTF-8 or has a NUL")
        }
        return decoded
    }

    /// Percent-encodes every byte except ASCII letters, digits, and `-._~`.
    public static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimalValue(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The kind of a column, which determines the type of its field.
enum ColumnKind: Sendable, Hashable {
    /// `x`, from int2, int4, int8.
    case integer
    /// `b`.
    case boolean
    /// `d`, from float4, float8.
    case double
    /// `s`, from text, varchar, char, name, numeric, uuid and enumerations.
    case text
    /// `x`, from timestamptz: microseconds since 1970. The largest 64-bit integer stands for infinity and for the times
    /// that it cannot reach, and its negative for minus infinity.
    case time
    /// `ay`, from bytea.
    case bytes
    /// From json and jsonb, with the types of the format jsonl.
    case json

    /// Creates the kind of a type by its name in `pg_type`; `nil` = the type is not supported.
    init?(typeName: String, isEnumeration: Bool) {
        switch typeName {
        case "int2", "int4", "int8": self = .integer
        case "bool": self = .boolean
        case "float4", "float8": self = .double
        case "text", "varchar", "bpchar", "name", "char", "numeric", "uuid": self = .text
        case "timestamptz": self = .time
        case "bytea": self = .bytes
        case "json", "jsonb": self = .json
        default:
            guard isEnumeration else { return nil }
            self = .text
        }
    }

    /// Returns the SQL expression that casts a column to the type that ``value(of:)`` decodes for this kind.
    func castExpression(of column: String) -> String {
        switch self {
        case .integer: "\(column)::int8"
        case .boolean, .bytes: column
        case .double: "\(column)::float8"
        case .text, .json: "\(column)::text"
        case .time:
            """
            CASE WHEN \(column) >= '294247-01-10 04:00:54.775807Z' THEN \(Int64.max) \
            WHEN \(column) = '-infinity' THEN -\(Int64.max) \
            ELSE (extract(epoch FROM \(column)) * 1000000)::int8 END
            """
        }
    }

    /// Decodes the binary format of a column; `nil` = a field cannot have this value.
    func value(of bytes: UnsafeRawBufferPointer) -> Value? {
        switch self {
        case .integer, .time: unsafe bytes.number.map { .int64(Int64(bitPattern: $0)) }
        case .boolean: unsafe bytes.first.map { .boolean($0 != 0) }
        case .double: unsafe bytes.number.map { .double(Double(bitPattern: $0)) }
        case .text: unsafe bytes.validText.map { .string($0) }
        case .bytes: .array(element: "y", unsafe bytes.map { .byte($0) })
        case .json: unsafe JSONText.value(of: bytes)
        }
    }

    /// Encodes a value as a statement parameter, in the text format of the column's type.
    ///
    /// - Throws: `invalidObject` for a value that the column cannot store.
    func parameter(_ value: Value, column: String) throws(ListError) -> String {
        let text: String? =
            switch (self, value) {
            case (.integer, _), (.time, _): value.wholeNumber.map { "\($0)" }
            case (.boolean, .boolean(let flag)): flag ? "true" : "false"
            case (.double, .double(let number)): "\(number)"
            case (.double, _): value.wholeNumber.map { "\($0)" }
            case (.text, .string(let text)): text
            case (.bytes, .array("y", let bytes)):
                "\\x"
                    + bytes.map { byte in
                        if case .byte(let number) = byte { number.hexadecimal } else { "" }
                    }.joined()
            case (.json, _): JSONText.text(of: value)
            default: nil
            }
        guard let text else {
            throw ListError(
                .invalidObject, "field \(column.quoted): the column cannot store a value of type '\(value.signature)'")
        }
        return text
    }

    /// Returns the SQL expression that assigns a parameter to the column.
    func assignment(_ parameter: String) -> String {
        switch self {
        case .time:
            """
            (CASE \(parameter)::int8 WHEN \(Int64.max) THEN 'infinity'::timestamptz WHEN -\(Int64.max) THEN '-infinity' \
            ELSE 'epoch'::timestamptz + \(parameter)::int8 * interval '1 microsecond' END)
            """
        case .integer, .boolean, .double, .text, .bytes, .json: parameter
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as text; `nil` = they are not UTF-8.
    var validText: String? {
        guard let text = unsafe try? UTF8Span(validating: Span<UInt8>(_unsafeBytes: self)) else { return nil }
        return String(copying: text)
    }

    /// Eight big-endian bytes as a number.
    var number: UInt64? {
        guard count == 8 else { return nil }
        return unsafe reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UInt8 {
    fileprivate var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension Value {
    /// The value as an integer; `nil` = it is not an integer, or exceeds 64 bits.
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .byte(let number): Int64(number)
        case .int16(let number): Int64(number)
        case .uint16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .uint32(let number): Int64(number)
        case .int64(let number): number
        case .uint64(let number): Int64(exactly: number)
        case .boolean, .double, .string, .objectPath, .signature, .variant, .array, .dictionary, .structure: nil
        }
    }
}

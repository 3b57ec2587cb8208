import DBus
import Foundation

/// A value as JSON, with what JSON lacks written as the nearest: bytes as base64 text, NaN and infinity as null, structs
/// as arrays, paths and signatures as text (the contract's mapping).
struct JSONLine: Encodable {
    private let value: DBusValue

    init(_ value: DBusValue) {
        self.value = value
    }

    /// The JSON text on one line, keys sorted.
    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .variant(let inner): try JSONLine(inner).encode(to: encoder)
        case .dictionary(_, _, let entries):
            var container = encoder.container(keyedBy: Key.self)
            for entry in entries {
                try container.encode(JSONLine(entry.value), forKey: Key(stringValue: ItemText.plain(entry.key) ?? ""))
            }
        case .array(let element, let elements) where element == "y":
            var container = encoder.singleValueContainer()
            let bytes = elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
            try container.encode(Data(bytes).base64EncodedString())
        case .array(_, let elements), .structure(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(JSONLine(element)) }
        default: try encodeBasic(to: encoder)
        }
    }

    private func encodeBasic(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .boolean(let flag): try container.encode(flag)
        case .byte(let number): try container.encode(number)
        case .int16(let number): try container.encode(number)
        case .uint16(let number): try container.encode(number)
        case .int32(let number): try container.encode(number)
        case .uint32(let number): try container.encode(number)
        case .int64(let number): try container.encode(number)
        case .uint64(let number): try container.encode(number)
        case .double(let number) where number.isFinite: try container.encode(number)
        case .string, .objectPath, .signature: try container.encode(ItemText.plain(value))
        default: try container.encodeNil()
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

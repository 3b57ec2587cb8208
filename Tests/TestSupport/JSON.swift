// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A JSON value, for test vectors: `vector["old"]?[0]?.string`.
package indirect enum JSON: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction and exponent that fits into `Int`.
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// Parses JSON text.
    package init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
    }

    /// The member of an object; `nil` if it does not exist.
    package subscript(key: String) -> JSON? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The element of an array; `nil` if it does not exist.
    package subscript(index: Int) -> JSON? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The elements of an array.
    package var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    /// The members of an object.
    package var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }
    /// The text of a string.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The value of a whole number.
    package var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    /// The value of a boolean.
    package var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

    /// The value of any number, as a double.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// Whether the value is null.
    package var isNull: Bool { self == .null }
}

extension JSON: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }
}

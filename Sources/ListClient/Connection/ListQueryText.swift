// SPDX-License-Identifier: Apache-2.0

/// The objects of another list that a list has, and their order, as text for the option `source` and for
/// ``AdapterClient/setSourceArgument(_:)``.
public struct ListQueryText: Sendable, Equatable {
    /// The text that objects must contain, ignoring case; empty = all objects.
    public var contains = ""
    /// The text fields to search; none = every one.
    public var fields: [String] = []
    /// The type of the objects; `nil` = any, empty = none.
    public var type: String?
    /// The field by which they are sorted; `nil` = the order of the other list.
    public var sortField: String?
    /// Whether the order of numbers and texts is reversed.
    public var isDescending = false
    /// The maximum number of objects; 0 = all.
    public var limit: UInt32 = 0

    /// Makes a query for all objects in the order of the other list.
    public init() {}

    /// The text after the `?` in a source.
    public var argument: String {
        var pairs: [String] = []
        if !contains.isEmpty { pairs.append("contains=" + Self.encode(contains)) }
        if !fields.isEmpty { pairs.append("in=" + fields.map(Self.encode).joined(separator: ",")) }
        if let type { pairs.append("type=" + Self.encode(type)) }
        // A minus at the beginning would reverse the order, so a field whose name begins with one cannot be used.
        if let sortField {
            let field = Self.encode(sortField)
            let name = field.hasPrefix("-") ? "%2D" + field.dropFirst() : field
            pairs.append("sort=" + (isDescending ? "-" : "") + name)
        }
        if limit > 0 { pairs.append("limit=\(limit)") }
        return pairs.joined(separator: "&")
    }

    /// The option `source` of a list that follows another one.
    public func source(of list: String) -> String { "list:\(Self.encode(list))?\(argument)" }

    private static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = Self.plain.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    private static let plain = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~".utf8)
}

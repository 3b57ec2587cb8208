// SPDX-License-Identifier: Apache-2.0

/// A query that selects and sorts objects of another list, as text for the option `source` and for
/// ``AdapterClient/setSourceArgument(_:)``.
public struct ListQueryText: Sendable, Equatable {
    /// The text that objects must contain, ignoring case; empty for all objects.
    public var contains = ""
    /// The names of the text fields to search; empty for all.
    public var fields: [String] = []
    /// The type of the objects; nil for any type. The empty text selects objects without a type.
    public var type: String?
    /// The field by which objects are sorted; nil for the order of the other list.
    public var sortField: String?
    /// Whether the sort order of numbers and texts is reversed.
    public var isDescending = false
    /// The maximum number of objects; 0 for all.
    public var limit: UInt32 = 0

    /// Creates a query for all objects in the order of the other list.
    public init() {}

    /// The query as the text after the `?` in the option `source`.
    public var argument: String {
        var pairs: [String] = []
        if !contains.isEmpty { pairs.append("contains=" + Self.encode(contains)) }
        if !fields.isEmpty { pairs.append("in=" + fields.map(Self.encode).joined(separator: ",")) }
        if let type { pairs.append("type=" + Self.encode(type)) }
        // A leading minus reverses the order, so a minus at the beginning of a field's name is percent-encoded.
        if let sortField {
            let field = Self.encode(sortField)
            let name = field.hasPrefix("-") ? "%2D" + field.dropFirst() : field
            pairs.append("sort=" + (isDescending ? "-" : "") + name)
        }
        if limit > 0 { pairs.append("limit=\(limit)") }
        return pairs.joined(separator: "&")
    }

    /// Returns the option `source` of a list that follows `list` with this query.
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

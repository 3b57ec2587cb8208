// SPDX-License-Identifier: Apache-2.0

/// The query of a derived list, which selects and sorts its objects. It is written after the `?` of a source
/// `list:NAME?…`.
@_spi(Daemon) public struct DerivedQuery: Sendable, Equatable {
    /// The text that objects must contain. Every object contains an empty text.
    public var search = TextSearch("")
    /// The type that objects must have; `nil` for any type.
    public var type: String? {
        get { objectType?.name }
        set { objectType = newValue.map { ObjectType.named($0) } }
    }
    /// The order of the objects; `nil` for the order of the base list.
    public var sort: DerivedSort?
    /// The maximum number of objects; 0 for no limit.
    public var limit = 0
    /// The type as an `ObjectType`, which can be compared by identity.
    private var objectType: ObjectType?

    /// Makes a query that every object matches, in the order of the base list.
    public init() {}

    /// Returns whether an object matches the query. The limit is ignored.
    ///
    /// - Complexity: O(size).
    public func matches(_ object: ListObject) -> Bool {
        if let objectType, !object.hasType(objectType) { return false }
        return search.matches(object)
    }

    /// Returns whether every object that matches this query also matches `other`. False if this cannot be derived
    /// from the two queries.
    func isNarrower(than other: DerivedQuery) -> Bool {
        guard other.objectType == nil || objectType === other.objectType else { return false }
        if other.search.text.isEmpty { return true }
        let (fields, others) = (search.fields, other.search.fields)
        guard others.isEmpty || !fields.isEmpty && fields.isSubset(of: others) else { return false }
        return search.text.contains(other.search.text)
    }

    /// Returns whether both queries have the same text, fields, type, order and limit.
    public static func == (lhs: DerivedQuery, rhs: DerivedQuery) -> Bool {
        lhs.search == rhs.search && lhs.objectType === rhs.objectType && lhs.sort == rhs.sort && lhs.limit == rhs.limit
    }
}

/// The sort order of a derived list, by the value of a field.
///
/// Numbers come first, by value; then texts, by code points; then all other values. Objects with equal values are
/// in the order of the base list, and so are all objects with values that are neither numbers nor texts.
@_spi(Daemon) public struct DerivedSort: Sendable, Equatable {
    /// The key of the field.
    public var field: ExactText
    /// Whether the order of numbers and texts is reversed, so that texts come before numbers. Other values still come
    /// last.
    public var isDescending: Bool

    /// Makes an order.
    public init(field: String, isDescending: Bool = false) {
        self.field = ExactText(field)
        self.isDescending = isDescending
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The objects of a derived list, and their order: the part after the `?` of a source `list:NAME?…`.
@_spi(Daemon) public struct DerivedQuery: Sendable, Equatable {
    /// The text that objects must contain; every object contains an empty one.
    public var search = TextSearch("")
    /// The type that objects must have; `nil` = any.
    public var type: String? {
        get { objectType?.name }
        set { objectType = newValue.map { ObjectType.named($0) } }
    }
    /// The order; `nil` = that of the base list.
    public var sort: DerivedSort?
    /// The most objects; 0 = all.
    public var limit = 0
    /// The type, interned so that it can be compared by identity.
    private var objectType: ObjectType?

    /// Makes a query that every object matches, in the order of the base list.
    public init() {}

    /// Whether an object matches, without regard to the limit.
    ///
    /// - Complexity: O(size).
    public func matches(_ object: ListObject) -> Bool {
        if let objectType, !object.hasType(objectType) { return false }
        return search.matches(object)
    }

    /// Whether every object that matches this query matches another one too.
    func isNarrower(than other: DerivedQuery) -> Bool {
        guard other.objectType == nil || objectType === other.objectType else { return false }
        if other.search.text.isEmpty { return true }
        let (fields, others) = (search.fields, other.search.fields)
        guard others.isEmpty || !fields.isEmpty && fields.isSubset(of: others) else { return false }
        return search.text.contains(other.search.text)
    }

    /// Two queries are equal if they select the same objects in the same order from any list.
    public static func == (lhs: DerivedQuery, rhs: DerivedQuery) -> Bool {
        lhs.search == rhs.search && lhs.objectType === rhs.objectType && lhs.sort == rhs.sort && lhs.limit == rhs.limit
    }
}

/// The order of a derived list: by the value of a field.
///
/// Numbers come first, by value, then texts, by code points, then everything else; equal ones and the rest are in the order of
/// the base list.
@_spi(Daemon) public struct DerivedSort: Sendable, Equatable {
    /// The key of the field.
    public var field: ExactText
    /// Whether the order of numbers and texts is reversed, so that texts come first; the rest stays last.
    public var isDescending: Bool

    /// Makes an order.
    public init(field: String, isDescending: Bool = false) {
        self.field = ExactText(field)
        self.isDescending = isDescending
    }
}

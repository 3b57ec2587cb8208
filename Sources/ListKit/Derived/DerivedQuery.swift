// SPDX-License-Identifier: Apache-2.0

/// Which objects of a list a derived list has, and in which order: what follows the `?` of a source `list:NAME?…`.
@_spi(Daemon) public struct DerivedQuery: Sendable, Equatable {
    /// The text that objects have to contain; an empty one is in all of them.
    public var search = TextSearch("")
    /// The type that objects have to have; `nil` = any.
    public var type: String? {
        get { objectType?.name }
        set { objectType = newValue.map { ObjectType.named($0) } }
    }
    /// By what they are sorted; `nil` = they stand as in the base list.
    public var sort: DerivedSort?
    /// How many there are at the most; 0 = all.
    public var limit = 0
    /// The type, kept so that it can be compared by identity.
    private var objectType: ObjectType?

    /// Makes a query that takes everything as it is.
    public init() {}

    /// Whether an object is in the list, unless there are too many.
    ///
    /// - Complexity: O(size).
    public func matches(_ object: ListObject) -> Bool {
        if let objectType, !object.hasType(objectType) { return false }
        return search.matches(object)
    }

    /// Whether whatever matches this query matches another one too.
    func isNarrower(than other: DerivedQuery) -> Bool {
        guard other.objectType == nil || objectType === other.objectType else { return false }
        if other.search.text.isEmpty { return true }
        let (fields, others) = (search.fields, other.search.fields)
        guard others.isEmpty || !fields.isEmpty && fields.isSubset(of: others) else { return false }
        return search.text.contains(other.search.text)
    }

    /// Equal means: the same objects in the same order, whatever the list.
    public static func == (lhs: DerivedQuery, rhs: DerivedQuery) -> Bool {
        lhs.search == rhs.search && lhs.objectType === rhs.objectType && lhs.sort == rhs.sort && lhs.limit == rhs.limit
    }
}

/// The order of a derived list: by the value of a field.
///
/// Numbers come first, by value, then texts, by code points, then everything else; equal ones and the rest stand as in the base
/// list.
@_spi(Daemon) public struct DerivedSort: Sendable, Equatable {
    /// The key of the field.
    public var field: ExactText
    /// Whether the order of numbers and texts is reversed, also between each other; the rest stays last.
    public var isDescending: Bool

    /// Makes an order.
    public init(field: String, isDescending: Bool = false) {
        self.field = ExactText(field)
        self.isDescending = isDescending
    }
}

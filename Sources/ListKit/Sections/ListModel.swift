// SPDX-License-Identifier: Apache-2.0

/// A type whose values a list can store as objects, without a wrapper or a base class.
///
/// Strings, numbers, truth values and arrays of models are models, so that `performUpdates(["Foo", 42, person])` makes a
/// list of them.
public protocol ListModel {
    /// Decodes a value from an object.
    ///
    /// - Throws: an error if the object cannot be decoded. Its section then shows error items.
    init(_ object: ListObject) throws(ListError)

    /// The identifier of the value's object, unique in its list.
    var listIdentifier: String { get }

    /// The object's type, which selects the section controller.
    static var listType: String { get }

    /// The fields of the value's object.
    var listFields: Fields { get }
}

extension ListModel {
    /// Encodes the value as an object.
    ///
    /// - Throws: `invalidObject` when the identifier or type is malformed.
    public func listObject() throws(ListError) -> ListObject {
        try ListObject(id: listIdentifier, type: Self.listType, fields: listFields)
    }
}

extension Sequence where Element: ListModel {
    /// Encodes the values as objects, in order.
    ///
    /// - Throws: `invalidObject` for the first value that cannot be encoded.
    public func listObjects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        objects.reserveCapacity(underestimatedCount)
        for model in self { objects.append(try model.listObject()) }
        return objects
    }
}

extension Sequence<any ListModel> {
    /// Encodes the values, which may have different types, as objects, in order.
    ///
    /// - Throws: `invalidObject` or `payloadTooLarge` for the first value that cannot be encoded.
    public func listObjects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        objects.reserveCapacity(underestimatedCount)
        for model in self { objects.append(try model.listObject()) }
        return objects
    }
}

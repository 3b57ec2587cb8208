// SPDX-License-Identifier: Apache-2.0

/// A Swift value that a list carries as an object (no boxes, no base class).
public protocol ListModel {
    /// Reads the value from an object.
    ///
    /// - Throws: an error for an object that cannot be read; its section then shows an error item.
    init(_ object: ListObject) throws(ListError)

    /// Identifies the value in its list.
    var listIdentifier: String { get }

    /// The object's type, which selects the section controller.
    static var listType: String { get }

    /// The content.
    var listFields: Fields { get }
}

extension ListModel {
    /// The object that carries this value.
    ///
    /// - Throws: `invalidObject` when the identifier or type is malformed.
    public func listObject() throws(ListError) -> ListObject {
        try ListObject(id: listIdentifier, type: Self.listType, fields: listFields)
    }
}

extension Sequence where Element: ListModel {
    /// The objects that carry these values, in their order.
    ///
    /// - Throws: `invalidObject` for the first value that cannot be carried.
    public func listObjects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        objects.reserveCapacity(underestimatedCount)
        for model in self { objects.append(try model.listObject()) }
        return objects
    }
}

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

// Values without an identifier of their own. As in IGListKit, each is its own identifier, and a list has equal values
// once. Values of different types have different identifiers: the text "42" is not the number 42.

/// A string is an object of the type `String` with the field `value`.
///
/// Its identifier is the string itself. A string that could be the identifier of another value stands in quotation
/// marks: one that is empty, reads as a number or truth value, or begins with `"` or `[`. A list takes strings of up to
/// 65,533 bytes without NUL.
extension String: ListModel {
    /// Decodes the field `value`.
    ///
    /// - Throws: `invalidObject` if the field is no string.
    public init(_ object: ListObject) throws(ListError) {
        self = try object.value("a string") { $0.string }
    }

    /// The string, in quotation marks if it could be the identifier of another value.
    public var listIdentifier: String {
        let isPlain =
            !isEmpty && !hasPrefix("\"") && !hasPrefix("[") && Double(self) == nil && self != "true" && self != "false"
        return isPlain ? self : quotedIdentifier
    }

    /// `String`.
    public static var listType: String { "String" }

    /// The string in the field `value`.
    public var listFields: Fields { ["value": .string(self)] }
}

/// An integer is an object of the type `Int` with the field `value`; its digits are its identifier.
extension Int: ListModel {
    /// Decodes the field `value`.
    ///
    /// - Throws: `invalidObject` if the field is no integer.
    public init(_ object: ListObject) throws(ListError) {
        self = try object.value("an integer") { $0.int }
    }

    /// The digits, after a minus sign for a negative number.
    public var listIdentifier: String { description }

    /// `Int`.
    public static var listType: String { "Int" }

    /// The number in the field `value`.
    public var listFields: Fields { ["value": .int64(Int64(self))] }
}

/// A floating-point number is an object of the type `Double` with the field `value`; its digits, with a point or an
/// exponent, are its identifier.
extension Double: ListModel {
    /// Decodes the field `value`.
    ///
    /// - Throws: `invalidObject` if the field is no number.
    public init(_ object: ListObject) throws(ListError) {
        self = try object.value("a number") { $0.double }
    }

    /// The shortest digits that read as the number.
    public var listIdentifier: String { description }

    /// `Double`.
    public static var listType: String { "Double" }

    /// The number in the field `value`.
    public var listFields: Fields { ["value": .double(self)] }
}

/// A truth value is an object of the type `Bool` with the field `value`; `true` and `false` are the identifiers.
extension Bool: ListModel {
    /// Decodes the field `value`.
    ///
    /// - Throws: `invalidObject` if the field is no truth value.
    public init(_ object: ListObject) throws(ListError) {
        self = try object.value("a truth value") { $0.bool }
    }

    /// `true` or `false`.
    public var listIdentifier: String { description }

    /// `Bool`.
    public static var listType: String { "Bool" }

    /// The truth value in the field `value`.
    public var listFields: Fields { ["value": .boolean(self)] }
}

/// An array of values is one object whose items they are, as `listd/binding` shows it: the field `items` has the fields
/// of each element, and its identifier in `id`.
///
/// The identifiers of the elements are the array's identifier. So an element with other fields is an update of its item,
/// and an array with other elements is another object. A model with an identifier of its own and a field `items` is
/// better for items that come and go. A list takes arrays whose identifiers have up to 65,535 bytes together.
extension Array: ListModel where Element: ListModel {
    /// Decodes the field `items`.
    ///
    /// - Throws: `invalidObject` if an item has no field `id`; the error of the first element that cannot be decoded.
    public init(_ object: ListObject) throws(ListError) {
        self = []
        for item in object.fields.dictionaries(forKey: "items") {
            guard let item, let id = item["id"]?.string else {
                throw ListError(.invalidObject, "an item of the object \(object.id.quoted) has no field “id”")
            }
            append(try Element(ListObject(id: id, type: Element.listType, fields: item)))
        }
    }

    /// The identifiers of the elements, each in quotation marks, in brackets.
    public var listIdentifier: String { "[" + map(\.listIdentifier.quotedIdentifier).joined(separator: ",") + "]" }

    /// The type of the elements in brackets.
    public static var listType: String { "[\(Element.listType)]" }

    /// The fields of the elements in the field `items`.
    public var listFields: Fields {
        var items: [Value] = []
        items.reserveCapacity(count)
        for element in self {
            let fields = element.listFields
            if let fault = fields.fault { return Fields(storage: .empty, fault: fault) }
            var entries = Dictionary(fields.map { ($0.key, $0.value) }) { $1 }
            entries["id"] = .string(element.listIdentifier)
            items.append(Value(entries))
        }
        return ["items": .array(element: "a{sv}", items)]
    }
}

extension String {
    /// The text in quotation marks, which no other text has.
    fileprivate var quotedIdentifier: String {
        var result = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}

extension ListObject {
    /// Returns the content of the field `value`.
    fileprivate func value<Content>(_ kind: String, _ read: (Value) -> Content?) throws(ListError) -> Content {
        guard let content = fields["value"].flatMap(read) else {
            throw ListError(.invalidObject, "the field “value” of the object \(id.quoted) is not \(kind)")
        }
        return content
    }
}

import PluginAPI

/// One measured value: an element of the list.
struct Reading: ListModel, Equatable {
    static let listType = "reading"

    let name: String
    let value: Double

    var listIdentifier: String { name }
    var listFields: Fields { ["name": .string(name), "value": .double(value)] }

    init(name: String, value: Double) {
        self.name = name
        self.value = value
    }

    init(_ object: ListObject) throws(ListError) {
        guard let name = object.fields["name"]?.string, let value = object.fields["value"]?.double else {
            throw ListError(.invalidObject, "the object \(object.id.quoted) has no valid field “name” or “value”")
        }
        self.init(name: name, value: value)
    }
}

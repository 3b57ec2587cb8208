package import DBus

/// One element of a list as the daemon hands it out.
package struct MirroredObject: Sendable, Equatable {
    /// Its identity, unique in its list.
    package let id: String
    /// What chooses its section controller; may be empty.
    package let type: String
    /// Its content.
    package let fields: [String: DBusValue]

    /// Makes an object.
    package init(id: String, type: String, fields: [String: DBusValue]) {
        self.id = id
        self.type = type
        self.fields = fields
    }
}

// SPDX-License-Identifier: Apache-2.0

/// An object of a list, as the daemon sends it.
public struct MirroredObject: Sendable, Equatable {
    /// The identifier, which is unique in the list.
    public let id: String
    /// The type, which determines the section controller; may be empty.
    public let type: String
    /// The fields.
    public let fields: Content

    /// Creates an object.
    public init(id: String, type: String, fields: Content) {
        self.id = id
        self.type = type
        self.fields = fields
    }
}

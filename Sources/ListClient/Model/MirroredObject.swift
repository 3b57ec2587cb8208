// SPDX-License-Identifier: Apache-2.0

/// One element of a list as the daemon sends it.
public struct MirroredObject: Sendable, Equatable {
    /// Its identity, unique in its list.
    public let id: String
    /// Chooses its section controller; may be empty.
    public let type: String
    /// Its content.
    public let fields: Content

    /// Makes an object.
    public init(id: String, type: String, fields: Content) {
        self.id = id
        self.type = type
        self.fields = fields
    }
}

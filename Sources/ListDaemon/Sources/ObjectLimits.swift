internal import ListKit

/// What one object may take (the contract's limits `ObjectBytes` and `IdBytes`).
package struct ObjectLimits: Sendable, Equatable {
    /// The most bytes of an identifier and its fields, encoded.
    package var objectBytes: Int
    /// The most bytes of an identifier, and of a type.
    package var idBytes: Int

    /// Makes limits; the contract's defaults unless said otherwise.
    package init(objectBytes: Int = 8 << 20, idBytes: Int = 4 << 10) {
        self.objectBytes = objectBytes
        self.idBytes = idBytes
    }

    /// Refuses an object that is larger, whoever made it.
    ///
    /// - Throws: `payloadTooLarge`.
    func check(_ object: ListObject) throws(ListError) {
        guard object.id.utf8.count <= idBytes else {
            throw ListError(.payloadTooLarge, "an identifier has \(object.id.utf8.count) bytes, more than \(idBytes)")
        }
        guard object.type.utf8.count <= idBytes else {
            throw ListError(.payloadTooLarge, "a type has \(object.type.utf8.count) bytes, more than \(idBytes)")
        }
        guard object.byteCount <= objectBytes else {
            let name = "object \(object.id.debugDescription)"
            throw ListError(.payloadTooLarge, "\(name) has \(object.byteCount) bytes, more than \(objectBytes)")
        }
    }
}

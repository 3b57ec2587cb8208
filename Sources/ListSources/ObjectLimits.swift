// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
package import ListSupport

/// What one object may take (the contract's limits `ObjectBytes` and `IdBytes`).
package struct ObjectLimits: Sendable, Equatable {
    /// The most bytes of an identifier and its fields, encoded.
    package var objectBytes: Int
    /// The most bytes of an identifier, and of a type.
    package var idBytes: Int

    /// Makes limits; each is the contract's default unless given.
    package init(objectBytes: Int = 8 << 20, idBytes: Int = 4 << 10) {
        self.objectBytes = objectBytes
        self.idBytes = idBytes
    }

    /// Refuses an object that is larger than the limits, whoever made it.
    ///
    /// - Throws: `payloadTooLarge`.
    /// - Complexity: O(1).
    package func check(_ object: ListObject) throws(ListError) {
        try check(idLength: object.withIDBytes { $0.count })
        try check(typeLength: object.objectType.name.utf8.count)
        try checkSize(of: object)
    }

    /// Refuses an identifier of so many bytes.
    ///
    /// - Throws: `payloadTooLarge`.
    package func check(idLength length: Int) throws(ListError) {
        guard length <= idBytes else { throw .tooLarge("an identifier", length, limit: idBytes, .idBytes) }
    }

    /// Refuses a type of so many bytes.
    ///
    /// - Throws: `payloadTooLarge`.
    package func check(typeLength length: Int) throws(ListError) {
        guard length <= idBytes else { throw .tooLarge("a type", length, limit: idBytes, .idBytes) }
    }

    /// Refuses the parameters of an action that are larger than an object may be.
    ///
    /// - Throws: `payloadTooLarge`.
    package func check(parameters: Fields) throws(ListError) {
        guard parameters.byteCount <= objectBytes else {
            throw .tooLarge("parameters", parameters.byteCount, limit: objectBytes, .objectBytes)
        }
    }

    /// Refuses an object whose identifier and fields are larger together.
    ///
    /// - Throws: `payloadTooLarge`.
    package func checkSize(of object: ListObject) throws(ListError) {
        guard object.byteCount <= objectBytes else {
            throw .tooLarge("object \(object.id.quoted)", object.byteCount, limit: objectBytes, .objectBytes)
        }
    }
}

extension ListError {
    /// Something has more bytes than a limit allows.
    package static func tooLarge(_ what: String, _ size: Int, limit: Int, _ key: LimitKey) -> ListError {
        key.refusal(.payloadTooLarge, "\(what) has \(size) bytes, more than \(limit)")
    }
}

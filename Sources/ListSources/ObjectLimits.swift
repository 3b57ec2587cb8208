// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
package import ListSupport

/// The limits of one object (the contract's limits `ObjectBytes` and `IdBytes`).
package struct ObjectLimits: Sendable, Equatable {
    /// The maximum length of an identifier and its fields together, encoded, in bytes.
    package var objectBytes: Int
    /// The maximum length of an identifier, and of a type, in bytes.
    package var idBytes: Int

    /// Creates limits; each one is the contract's default unless given.
    package init(objectBytes: Int = 8 << 20, idBytes: Int = 4 << 10) {
        self.objectBytes = objectBytes
        self.idBytes = idBytes
    }

    /// Checks that an object from any origin does not exceed the limits.
    ///
    /// - Throws: `payloadTooLarge`.
    /// - Complexity: O(1).
    package func check(_ object: ListObject) throws(ListError) {
        try check(idLength: object.withIDBytes { $0.count })
        try check(typeLength: object.objectType.name.utf8.count)
        try checkSize(of: object)
    }

    /// Checks the length of an identifier in bytes.
    ///
    /// - Throws: `payloadTooLarge`.
    package func check(idLength length: Int) throws(ListError) {
        guard length <= idBytes else { throw .tooLarge("an identifier", length, limit: idBytes, .idBytes) }
    }

    /// Checks the length of a type in bytes.
    ///
    /// - Throws: `payloadTooLarge`.
    package func check(typeLength length: Int) throws(ListError) {
        guard length <= idBytes else { throw .tooLarge("a type", length, limit: idBytes, .idBytes) }
    }

    /// Checks that the parameters of an action do not exceed the maximum size of an object.
    ///
    /// - Throws: `payloadTooLarge`.
    package func check(parameters: Fields) throws(ListError) {
        guard parameters.byteCount <= objectBytes else {
            throw .tooLarge("parameters", parameters.byteCount, limit: objectBytes, .objectBytes)
        }
    }

    /// Checks the size of an object's identifier and fields together.
    ///
    /// - Throws: `payloadTooLarge`.
    package func checkSize(of object: ListObject) throws(ListError) {
        guard object.byteCount <= objectBytes else {
            throw .tooLarge("object \(object.id.quoted)", object.byteCount, limit: objectBytes, .objectBytes)
        }
    }
}

extension ListError {
    /// Returns the error for something that has more bytes than a limit allows.
    package static func tooLarge(_ what: String, _ size: Int, limit: Int, _ key: LimitKey) -> ListError {
        key.refusal(.payloadTooLarge, "\(what) has \(size) bytes, more than \(limit)")
    }
}

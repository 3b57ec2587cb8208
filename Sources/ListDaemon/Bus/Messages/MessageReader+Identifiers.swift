// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSources

extension MessageReader {
    /// Reads the identifier of an object. A string that is too long is refused by its length, without a copy.
    ///
    /// - Throws: `PayloadTooLarge` for a string longer than `IdBytes`.
    mutating func readIdentifier(within limits: ObjectLimits) throws(DBusError) -> String {
        try readUTF8 { (bytes) throws(DBusError) in
            do throws(ListError) { try limits.check(idLength: bytes.count) } catch { throw error.dbusError }
            // The buffer is only read during the call.
            return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Reads the identifier of an object as a result, for errors that must be reported after others.
    mutating func readIdentifierResult(within limits: ObjectLimits) -> Result<String, DBusError> {
        do throws(DBusError) { return .success(try readIdentifier(within: limits)) } catch { return .failure(error) }
    }
}

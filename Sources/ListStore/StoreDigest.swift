// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// The checksum of a row. It detects what SQLite does not see: other bytes in a value, a page of an earlier state, rows
/// that are missing.
///
/// The digests of a list's objects are added up, so that a change costs as much as the objects that it changes.
struct StoreDigest {
    private(set) var value: UInt64

    /// Begins a digest. Digests with other kinds of rows begin with other numbers.
    private init(_ kind: UInt64) { value = kind }

    /// The value for a column, whose numbers are signed.
    var stored: Int64 { Int64(bitPattern: value) }

    /// Adds a number.
    mutating func add(_ number: Int64) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe add($0) }
    }

    /// Adds a value with its length.
    mutating func add(_ bytes: Span<UInt8>) {
        // The pointer is valid during the call.
        unsafe bytes.withUnsafeBytes { unsafe add($0) }
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        value = unsafe listd_digest(value, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    // MARK: The rows

    /// The digest of an object, without its place.
    static func object(id: Span<UInt8>, type: Span<UInt8>, fields: Span<UInt8>) -> UInt64 {
        var digest = StoreDigest(1)
        digest.add(id)
        digest.add(type)
        digest.add(fields)
        return digest.value
    }

    /// The digest of an object's place.
    static func place(_ position: Int64, id: Span<UInt8>) -> UInt64 {
        var digest = StoreDigest(2)
        digest.add(position)
        digest.add(id)
        return digest.value
    }

    /// The digest of a row of the log of changes.
    static func change(revision: Int64, bytes: Span<UInt8>) -> UInt64 {
        var digest = StoreDigest(3)
        digest.add(revision)
        digest.add(bytes)
        return digest.value
    }

    /// Begins the digest of a list's own row.
    static func list(_ key: Int64) -> StoreDigest {
        var digest = StoreDigest(4)
        digest.add(key)
        return digest
    }
}

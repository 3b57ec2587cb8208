// SPDX-License-Identifier: Apache-2.0

/// Hash and length of an identifier in one word, so that one comparison distinguishes nearly all identifiers.
///
/// The upper 48 bits are a hash of the bytes with a random seed of the process, so that clients cannot choose identifiers that
/// collide in a table; the lower 16 are the length.
struct ObjectIdentity: Sendable, Hashable {
    /// The longest identifier, in bytes.
    static let maximumLength = 0xFFFF

    /// The identity of fields that belong to no object.
    static let none = ObjectIdentity(word: 0)

    /// Hash and length.
    let word: UInt64

    private init(word: UInt64) { self.word = word }

    /// Hashes the bytes of an identifier.
    init(of id: Span<UInt8>) {
        word = SeededHash.hash(id) << 16 | UInt64(id.count & ObjectIdentity.maximumLength)
    }

    /// Bytes of the identifier.
    var length: Int { Int(word & 0xFFFF) }

    /// Well mixed bits for a table; only the lower 48 differ.
    var hash: UInt64 { word >> 16 }
}

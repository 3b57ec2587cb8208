// SPDX-License-Identifier: Apache-2.0

/// The hash and the length of an identifier in one word, so that one comparison distinguishes nearly all identifiers.
///
/// The upper 48 bits are a hash of the bytes, the lower 16 bits the length. The hash has a random seed per process,
/// so that clients cannot choose identifiers that collide in a hash table.
struct ObjectIdentity: Sendable, Hashable {
    /// The maximum length of an identifier, in bytes.
    static let maximumLength = 0xFFFF

    /// The identity of fields that belong to no object.
    static let none = ObjectIdentity(word: 0)

    /// The hash in the upper 48 bits, the length in the lower 16.
    let word: UInt64

    private init(word: UInt64) { self.word = word }

    /// Makes the identity of an identifier from its UTF-8 bytes.
    init(of id: Span<UInt8>) {
        word = SeededHash.hash(id) << 16 | UInt64(id.count & ObjectIdentity.maximumLength)
    }

    /// The length of the identifier in bytes.
    var length: Int { Int(word & 0xFFFF) }

    /// The hash for a hash table. Only the lower 48 bits are used; the upper 16 are zero.
    var hash: UInt64 { word >> 16 }
}

// SPDX-License-Identifier: Apache-2.0

/// A fast hash for keys that are numbers assigned by the adapter itself.
///
/// Clients cannot choose handles, so the hash needs no protection against chosen keys. That protection is most of the
/// cost of the standard library's hash, and a scroll step looks up a thousand handles.
enum HandleHash {
    /// Returns a hash of two numbers in which each bit depends on all bits of both numbers (the finalizer of
    /// MurmurHash3).
    ///
    /// - Parameter seed: the seed of the dictionary.
    @inline(__always)
    static func hash(_ first: Int, _ second: Int = 0, seed: Int) -> Int {
        var bits = UInt64(truncatingIfNeeded: first) &+ UInt64(truncatingIfNeeded: second) &* 0x9E37_79B9_7F4A_7C15
        bits ^= UInt64(truncatingIfNeeded: seed)
        bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return Int(truncatingIfNeeded: bits ^ (bits >> 33))
    }
}

extension SectionHandle {
    /// Returns the hash that dictionaries and sets use. Without this method, they would call `hash(into:)`; the
    /// standard library's integers implement `_rawHashValue` too.
    func _rawHashValue(seed: Int) -> Int { HandleHash.hash(Int(raw), seed: seed) }
}

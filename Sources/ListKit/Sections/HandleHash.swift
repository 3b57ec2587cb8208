// SPDX-License-Identifier: Apache-2.0

/// The hash of keys that are numbers which the adapter gave out itself.
///
/// Clients cannot choose handles, so that no protection against chosen keys is needed, which is most of the cost of the
/// standard library's hash; a scroll step looks up a thousand handles.
enum HandleHash {
    /// A hash of two numbers in which each bit depends on all of theirs (the finalizer of MurmurHash3).
    ///
    /// - Parameter seed: that of the dictionary.
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
    /// The hash that a dictionary asks for first; the numbers of the standard library answer it in the same way.
    func _rawHashValue(seed: Int) -> Int { HandleHash.hash(Int(raw), seed: seed) }
}

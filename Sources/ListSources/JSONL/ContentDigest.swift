// SPDX-License-Identifier: Apache-2.0

/// A digest of a file's content: its length and its 64-bit FNV-1a hash, independent of the pieces in which it was
/// read.
struct ContentDigest {
    private var count = 0
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds the next bytes to the digest.
    ///
    /// - Complexity: O(bytes)
    mutating func append(_ bytes: [UInt8]) {
        var hash = hash
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        self.hash = hash
        count += bytes.count
    }

    /// The digest as text. Equal content has the same text, also after a restart of listd.
    var text: String { "\(count)-\(String(hash, radix: 16))" }
}

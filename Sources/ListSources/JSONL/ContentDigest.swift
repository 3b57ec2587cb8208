// SPDX-License-Identifier: Apache-2.0

/// Tells two contents of a file apart, in whatever pieces they were read: FNV-1a with 64 bits, and the length.
struct ContentDigest {
    private var count = 0
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Goes on with the next bytes.
    ///
    /// - Complexity: O(bytes)
    mutating func append(_ bytes: [UInt8]) {
        var hash = hash
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        self.hash = hash
        count += bytes.count
    }

    /// The same text for the same content, over the end of listd too.
    var text: String { "\(count)-\(String(hash, radix: 16))" }
}

// SPDX-License-Identifier: Apache-2.0

/// Names for numberings of revisions.
package enum Epoch {
    /// A unique name.
    package static func new() -> String {
        var random = SystemRandomNumberGenerator()
        return [random.next(), random.next()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The names of epochs, the numberings of revisions.
package enum Epoch {
    /// Returns a unique random name of 32 hexadecimal digits.
    package static func random() -> String {
        var random = SystemRandomNumberGenerator()
        return [random.next(), random.next()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

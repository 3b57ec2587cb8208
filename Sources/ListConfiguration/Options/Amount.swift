// SPDX-License-Identifier: Apache-2.0

/// Parses sizes and counts with a suffix.
package enum Amount {
    /// The value of a limit that does not limit anything. A few such values can be added without an overflow.
    package static let unlimited = 1 << 56

    /// Returns the limit that a configured amount stands for: 0 is no limit, whatever is limited.
    static func limit(_ amount: Int) -> Int { amount == 0 ? unlimited : min(amount, unlimited) }

    /// Parses a size in bytes, such as `512`, `4K` or `1.5G`. The suffixes B, K, M, G and T are powers of 1024, as in
    /// systemd.
    package static func bytes(_ text: String) -> Int? {
        parse(text, step: 1024, powers: ["B": 0, "K": 1, "M": 2, "G": 3, "T": 4])
    }

    /// Parses a count, such as `64` or `10M`. The suffixes K, M and G are powers of 1000.
    package static func count(_ text: String) -> Int? { parse(text, step: 1000, powers: ["K": 1, "M": 2, "G": 3]) }

    private static func parse(_ text: String, step: Double, powers: [Character: Int]) -> Int? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let suffix = text.dropFirst(digits.count)
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), suffix.count <= 1 else { return nil }
        if suffix.isEmpty, parts.count == 1 { return Int(digits) }
        guard let letter = suffix.first, let power = powers[letter], let number = Double(digits)
        else { return nil }
        let scaled = (0..<power).reduce(number) { product, _ in product * step }
        guard scaled.rounded(.down) < Double(Int.max) else { return nil }
        return Int(scaled.rounded(.down))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// How error messages quote input, and how long they are.
///
/// Input is cut first and escaped then, so that the cost of refusing it does not depend on its length.
enum ErrorText {
    /// The maximum length of a message in bytes, escaped.
    static let longestMessage = 1024
    /// The maximum number of characters (Unicode scalars) of its input that a message quotes.
    static let longestQuotation = 64

    /// The beginning of a text in quotation marks; `…` replaces the rest.
    ///
    /// - Complexity: O(1); at most one scalar more than is quoted is read from `text`.
    static func quote(_ text: some Sequence<Unicode.Scalar>) -> String {
        var (result, count) = ("“", 0)
        for scalar in text {
            guard count < longestQuotation else { return result + "…”" }
            result += escaped(scalar)
            count += 1
        }
        return result + "”"
    }

    /// A message that can be sent: control characters are escaped, and `…` replaces what is too long.
    ///
    /// Line breaks stay: they separate parts of a long message, and those in quoted input were escaped.
    /// - Complexity: O(1) for a message of any length.
    static func message(_ text: String) -> String {
        let isShort = text.utf8.count <= longestMessage
        if isShort, !text.unicodeScalars.contains(where: { $0 != "\n" && $0.mustBeEscaped }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            let part = scalar == "\n" ? "\n" : escaped(scalar)
            guard result.utf8.count + part.utf8.count <= longestMessage - "…".utf8.count else { return result + "…" }
            result += part
        }
        return result
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard scalar.mustBeEscaped else { return String(scalar) }
        return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
}

extension Unicode.Scalar {
    /// Whether the character controls a terminal or is invisible in a line: controls, line separators, directional and
    /// other format characters, except joiners, which scripts and emoji need.
    fileprivate var mustBeEscaped: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return self != "\u{200C}" && self != "\u{200D}"
        default: return false
        }
    }
}

extension StringProtocol {
    /// The beginning of the text as error messages quote it.
    var quoted: String { ErrorText.quote(unicodeScalars) }
}

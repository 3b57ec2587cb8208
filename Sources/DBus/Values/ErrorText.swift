// SPDX-License-Identifier: Apache-2.0

/// How error messages quote what they were given, and how long they are.
///
/// What a caller has sent is cut first and escaped then, so that the cost of refusing it does not depend on its length.
enum ErrorText {
    /// The most bytes of a message, escaped.
    static let longestMessage = 1024
    /// The most characters, as Unicode counts them, that a message quotes of its input.
    static let longestQuotation = 64

    /// The beginning of a text in quotation marks; `…` stands for what was cut off.
    ///
    /// - Complexity: O(1); at most one scalar more than is quoted is taken from `text`.
    static func quote(_ text: some Sequence<Unicode.Scalar>) -> String {
        var (result, count) = ("“", 0)
        for scalar in text {
            guard count < longestQuotation else { return result + "…”" }
            result += escaped(scalar)
            count += 1
        }
        return result + "”"
    }

    /// A message that can be sent: characters that would steer a terminal are escaped, and `…` stands for what is too much.
    ///
    /// Line breaks stay: they are between the parts of a long answer, and were escaped where input is quoted.
    /// - Complexity: O(1) for a message of whatever length.
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
    /// Whether it steers a terminal or hides in a line: controls, separators of lines, directional and other format
    /// characters, but for the joiners, without which scripts and pictures cannot be read.
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
    /// The beginning of the text as an error message quotes it.
    var quoted: String { ErrorText.quote(unicodeScalars) }
}

// SPDX-License-Identifier: Apache-2.0

/// Quotes input in error messages, and limits their length.
///
/// Input is cut before it is escaped, so that the cost of refusing it does not depend on its length.
enum ErrorText {
    /// The maximum length of a message with its cause in bytes, escaped.
    static let longestMessage = 1024
    /// The maximum number of characters (Unicode scalars) of its input that a message quotes.
    static let longestQuotation = 64

    /// The beginning of a text in quotation marks, with `…` if it is longer.
    ///
    /// - Complexity: O(1); at most one scalar more than is quoted is read from `text`.
    static func quote(_ text: some Sequence<Unicode.Scalar>) -> String {
        var (result, count) = ("\"", 0)
        for scalar in text {
            guard count < longestQuotation else { return result + "…\"" }
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result += escaped(scalar)
            count += 1
        }
        return result + "\""
    }

    /// A text with the characters escaped that would control a terminal, and `…` if it has more than `limit` bytes, at least 3.
    ///
    /// Line breaks stay: they separate parts of a long message, and those in quoted input were escaped.
    /// - Complexity: O(`limit`).
    static func bounded(_ text: String, to limit: Int = longestMessage) -> String {
        if text.utf8.count <= limit, !text.unicodeScalars.contains(where: { $0 != "\n" && $0.mustBeEscaped }) {
            return text
        }
        var result = ""
        for scalar in text.unicodeScalars {
            let part = scalar == "\n" ? "\n" : escaped(scalar)
            guard result.utf8.count + part.utf8.count <= limit - "…".utf8.count else { return result + "…" }
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
    /// Whether it controls a terminal or is invisible in a line: controls, separators of lines, directional and other format
    /// characters, except the joiners, without which some scripts and emoji cannot be read.
    @_spi(Daemon) public var mustBeEscaped: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return self != "\u{200C}" && self != "\u{200D}"
        default: return false
        }
    }
}

extension StringProtocol {
    /// The beginning of the text as error messages quote it: at most 64 characters, escaped.
    @_spi(Daemon) public var quoted: String { ErrorText.quote(unicodeScalars) }
}

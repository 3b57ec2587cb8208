// SPDX-License-Identifier: Apache-2.0

/// Quotes input in error messages and limits the length of messages.
///
/// Input is truncated before it is escaped, so that the cost of an error message does not depend on the input's
/// length.
enum ErrorText {
    /// The maximum length of an escaped message in bytes.
    static let longestMessage = 1024
    /// The maximum number of Unicode scalars of its input that a message quotes.
    static let longestQuotation = 64

    /// Returns the beginning of a text in quotation marks; `…` replaces the rest.
    ///
    /// - Complexity: O(1). At most one scalar beyond the quoted ones is read from `text`.
    static func quote(_ text: some Sequence<Unicode.Scalar>) -> String {
        var (result, count) = ("“", 0)
        for scalar in text {
            guard count < longestQuotation else { return result + "…”" }
            result += escaped(scalar)
            count += 1
        }
        return result + "”"
    }

    /// Returns a message that is safe to send: control characters are escaped, and `…` replaces the excess.
    ///
    /// Line breaks are kept: they separate the parts of a long message, and line breaks in quoted input are already
    /// escaped.
    ///
    /// - Complexity: O(1) for a message of any length.
    static func sendable(_ text: String) -> String {
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
    /// Whether the character controls a terminal or is invisible in a line: controls, line separators, and format
    /// characters such as directional marks. Joiners are allowed, as scripts and emoji need them.
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
    /// The beginning of the text, quoted and escaped for an error message.
    var quoted: String { ErrorText.quote(unicodeScalars) }
}

// SPDX-License-Identifier: Apache-2.0

/// Functions that quote input in error messages and limit the length of messages.
///
/// Input is cut before it is escaped, so that the cost of an error message does not depend on the length of the
/// input.
enum ErrorText {
    /// The maximum length of an error's message and cause together, in bytes after escaping.
    static let maximumMessageBytes = 1024
    /// The maximum number of Unicode scalars of the input that a message quotes.
    static let maximumQuotedScalars = 64

    /// Returns the beginning of a text in quotation marks, ending in `…` if the text is longer.
    ///
    /// - Complexity: O(1). At most one scalar beyond the quoted ones is read from `text`.
    static func quote(_ text: some Sequence<Unicode.Scalar>) -> String {
        var (result, count) = ("\"", 0)
        for scalar in text {
            guard count < maximumQuotedScalars else { return result + "…\"" }
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result += escaped(scalar)
            count += 1
        }
        return result + "\""
    }

    /// Returns a text with terminal control characters escaped, cut at `limit` bytes and ending in `…` if it is
    /// longer. `limit` is at least 3.
    ///
    /// Line breaks are kept: they separate parts of a long message. Line breaks in quoted input were escaped before.
    /// - Complexity: O(`limit`).
    static func bounded(_ text: String, to limit: Int = maximumMessageBytes) -> String {
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

    /// Returns the end of a path, which names the file; `…` replaces the beginning if the path is longer.
    ///
    /// - Complexity: O(1).
    static func shorten(path: some BidirectionalCollection<Unicode.Scalar>) -> String {
        let end = path.suffix(maximumQuotedScalars)
        return end.reduce(into: end.startIndex == path.startIndex ? "" : "…") { $0 += escaped($1) }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard scalar.mustBeEscaped else { return String(scalar) }
        return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar controls a terminal or is invisible in a line: control characters, line separators,
    /// directional and other format characters. Joiners are excepted, as some scripts and emoji cannot be read
    /// without them.
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
    /// The beginning of the text, quoted for an error message: at most 64 characters, escaped.
    public var quoted: String { ErrorText.quote(unicodeScalars) }

    /// The end of the text, which is a path, for an error message: at most 64 characters, escaped.
    public var shortenedPath: String { ErrorText.shorten(path: unicodeScalars) }
}

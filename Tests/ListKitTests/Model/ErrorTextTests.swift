// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Error texts")
struct ErrorTextTests {
    /// An endless text that counts the characters read from it.
    private struct Endless: Sequence, IteratorProtocol {
        final class Count {
            var taken = 0
        }

        let scalar: Unicode.Scalar
        let count = Count()

        mutating func next() -> Unicode.Scalar? {
            count.taken += 1
            return scalar
        }
    }

    @Test(
        "an endless text is quoted → only the quoted prefix is read", arguments: ["a", "”", "\u{1}"])
    func boundedCost(scalar: Unicode.Scalar) {
        let text = Endless(scalar: scalar)
        let quotation = ErrorText.quote(text)
        #expect(text.count.taken == ErrorText.maximumQuotedScalars + 1)
        #expect(quotation.hasSuffix("…”") && quotation.utf8.count <= 64 * 10 + 5)
    }

    @Test("a path is shortened → its end stays, escaped, and … replaces the beginning of a long one")
    func paths() {
        #expect("/srv/a\nb".shortenedPath == #"/srv/a\u{A}b"#)
        let long = "/" + String(repeating: "d", count: 200) + "/name.so"
        #expect(long.shortenedPath == "…" + String(repeating: "d", count: 56) + "/name.so")
    }

    @Test(
        "a text is quoted → it is escaped, and truncated after 64 characters",
        arguments: [
            ("", "“”"), (#"a"b\c"#, #"“a"b\c”"#), ("a\n\u{1B}\u{7F}\u{85}", #"“a\u{A}\u{1B}\u{7F}\u{85}”"#),
            ("\u{61C}\u{200F}\u{202E}\u{2069}\u{2028}", #"“\u{61C}\u{200F}\u{202E}\u{2069}\u{2028}”"#),
            ("é👩\u{200D}🚀", #"“é👩\#u{200D}🚀”"#),
            (String(repeating: "é", count: 65), "“" + String(repeating: "é", count: 64) + "…”"),
        ])
    func quotation(text: String, expected: String) {
        #expect(text.quoted.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test("an error has long texts → message and cause have at most 1 KiB together, without control characters")
    func errors() {
        let long = String(repeating: "\u{202E}é", count: 10_000)
        for (message, cause) in [(long, nil), (long, long), ("short", long), ("short\u{1}", "cause\u{1B}")] {
            let error = ListError(.invalidObject, message, cause: cause)
            let text = error.cause.map { "\(error.message) (\($0))" } ?? error.message
            #expect(text.utf8.count <= 1024)
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .format || $0.value < 0x20 })
            #expect(ListError(error.code, error.message, cause: error.cause) == error)
        }
        let error = ListError(.invalidObject, "two\nlines", cause: "cause")
        #expect(error.message == "two\nlines" && error.cause == "cause")
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DBus

@Suite("Texts in error messages")
struct ErrorTextTests {
    /// An endless text that counts the characters that were read from it.
    private struct Endless: Sequence, IteratorProtocol {
        final class Count {
            var read = 0
        }

        let scalar: Unicode.Scalar
        let count = Count()

        mutating func next() -> Unicode.Scalar? {
            count.read += 1
            return scalar
        }
    }

    @Test(
        "an endless text is quoted → only the characters of the quotation and the one after them are read",
        arguments: ["a", "\u{1}", "\u{E0041}"])
    func boundedCost(scalar: Unicode.Scalar) {
        let text = Endless(scalar: scalar)
        let quotation = ErrorText.quote(text)
        #expect(text.count.read == ErrorText.longestQuotation + 1)
        #expect(quotation.hasSuffix("…”") && quotation.utf8.count <= 64 * 10 + 9)
    }

    @Test(
        "a text is quoted → escaped, and truncated after 64 characters",
        arguments: [
            ("", "“”"), ("a“b", "“a“b”"), ("a\n\u{1B}\u{7F}\u{85}", #"“a\u{A}\u{1B}\u{7F}\u{85}”"#),
            ("\u{61C}\u{200F}\u{202E}\u{2069}\u{2028}", #"“\u{61C}\u{200F}\u{202E}\u{2069}\u{2028}”"#),
            ("é👩\u{200D}🚀", "“é👩\u{200D}🚀”"),
            (String(repeating: "é", count: 64), "“" + String(repeating: "é", count: 64) + "”"),
            (String(repeating: "é", count: 65), "“" + String(repeating: "é", count: 64) + "…”"),
        ])
    func quotation(text: String, expected: String) {
        #expect(text.quoted.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test("messages of any length and content → at most 1 KiB of valid D-Bus text, with line breaks kept")
    func messages() {
        #expect(ErrorText.sendable("two\nlines") == "two\nlines")
        #expect(ErrorText.sendable("a\0b\u{9B}") == #"a\u{0}b\u{9B}"#)
        for count in [1023, 1024] {
            let text = String(repeating: "a", count: count)
            #expect(ErrorText.sendable(text) == text)
        }
        for scalar in ["a", "é", "\u{1F680}", "\u{1}", "\u{E0041}"] {
            let message = ErrorText.sendable(String(repeating: scalar, count: 1025))
            #expect(message.hasSuffix("…") && (1010...1024).contains(message.utf8.count), "\(message.utf8.count)")
            #expect(ErrorText.sendable(message) == message)
        }
    }

    @Test("a name argument of any length → a bounded number of bytes is read, ending after a whole character")
    @DBusActor
    func nameArguments() throws {
        for (text, count) in [
            ("a", 1), (String(repeating: "é", count: 127), 254), (String(repeating: "é", count: 500), 256),
        ] {
            var message = try Message.signal(path: "/a", interface: "a.b", member: "C")
            try message.write(text)
            let name = try message.decode(as: NameArgument.self).text
            #expect(name.utf8.count == count && text.hasPrefix(name))
        }
    }
}

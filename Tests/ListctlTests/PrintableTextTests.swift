// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import listctl

@Suite("PrintableText: text of a known width on the terminal")
struct PrintableTextTests {
    @Test("the terminal has no UTF-8 → the text is ASCII of the same width, with the same attributes")
    func asciiOnly() {
        #expect(PrintableText.asciiOnly("\u{1B}[1m“Grüße”…\u{1B}[0m\n") == "\u{1B}[1m\"Gru?e\"~\u{1B}[0m\n")
        #expect(PrintableText.asciiOnly("日本 x") == "???? x")
    }

    init() {
        // The C library copies the name. It knows the width of characters only in a UTF-8 locale.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
    }

    private func text(_ text: String, _ encoding: TextEncoding = .unicode) -> String {
        PrintableText(text, in: encoding).text
    }

    @Test(
        "characters have a terminal-dependent width → they are removed; a letter has many marks → at most four are kept"
    )
    func widths() {
        #expect(text("❤\u{FE0F}") == "❤")
        #expect(text("👨\u{200D}👩\u{200D}👧") == "👨👩👧")
        #expect(text("می\u{200C}خواهم").unicodeScalars.contains("\u{200C}"))
        #expect(text("a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}").unicodeScalars.count == 5)
        #expect(text("\u{301}a") == "·a")
        #expect(text("") == "")
    }

    @Test("the terminal has only ASCII → each text has the nearest ASCII characters in the same number of columns")
    func ascii() {
        #expect(text("Grüße, Ångström", .ascii) == "Gru?e, Angstrom")
        #expect(text("“a” – b… → c", .ascii) == "\"a\" - b~ > c")
        #expect(text("漢x", .ascii) == "??x")
        #expect(text("\u{1B}[2J", .ascii) == "*[2J")
    }

    @Test("a text is truncated, padded or aligned → it has exactly the requested width, without split characters")
    func fitting() {
        func fitted(_ text: String, _ width: Int, right: Bool = false) -> String {
            PrintableText(text, in: .unicode).fitted(to: width, alignedRight: right, in: .unicode).text
        }
        #expect(fitted("abcdef", 4) == "abc…")
        #expect(fitted("ab", 4) == "ab  ")
        #expect(fitted("ab", 4, right: true) == "  ab")
        #expect(fitted("漢字漢", 4) == "漢… ")
        #expect(fitted("漢字", 4) == "漢字")
        #expect(fitted("x", 0) == "")
        #expect(PrintableText("漢字ab", in: .unicode).dropping(1).text == " 字ab")
        #expect(PrintableText("abc", in: .unicode).dropping(9).text.allSatisfy { $0 == " " })
    }

    @Test(
        "the locale is set → it determines whether the terminal can show more than ASCII",
        arguments: [
            (["LANG": "de_DE.UTF-8"], TextEncoding.unicode), (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], .ascii),
            (["LC_ALL": "", "LC_CTYPE": "en_US.utf8"], .unicode), (["LANG": "ca_ES.UTF-8@valencia"], .unicode),
            (["LANG": "de_DE.ISO-8859-1"], .ascii), (["LANG": "de_DE@euro"], .ascii), ([:], .ascii),
            (["LC_ALL": "C.UTF-8"], .unicode), (["LC_ALL": "POSIX"], .ascii),
        ])
    func locale(environment: [String: String], encoding: TextEncoding) {
        #expect(TextEncoding(environment: environment) == encoding)
    }

    @Test("a text has several lines → they are wrapped at blanks, and overlong words anywhere")
    func wraps() {
        func lines(_ text: String, _ width: Int) -> [String] {
            PrintableText(text, in: .unicode).wrapped(to: width, maximumCount: 5).map(\.text)
        }
        #expect(lines("one two three", 7) == ["one two", "three"])
        #expect(lines("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"])
        #expect(lines("", 3) == [])
        #expect(lines("漢字漢", 3) == ["漢", "字", "漢"])
        #expect(lines("a b c d e f g", 1).count == 5)
    }
}

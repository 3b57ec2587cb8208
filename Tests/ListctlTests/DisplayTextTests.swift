// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import listctl

@Suite("DisplayText: text prepared for a terminal")
struct DisplayTextTests {
    init() {
        // The C library copies the name. It knows the width of characters only in a UTF-8 locale.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
    }

    @Test("content with control characters → the text has no control characters")
    func sanitized() {
        #expect(DisplayText.sanitized("a\u{1B}[2Jb\nc\u{202E}d") == "a·[2Jb·cd")
        #expect(DisplayText.sanitized("\u{2066}a\u{200F}\u{61C}\u{AD}\u{2069}\u{FEFF}b") == "ab")
        #expect(DisplayText.fitted("abcdef", to: 4) == "abc…")
        #expect(DisplayText.fitted("ab", to: 4) == "ab  ")
    }

    @Test(
        "a text has joiners, non-joiners or variation selectors → it is unchanged",
        arguments: ["👨\u{200D}👩\u{200D}👧", "می\u{200C}خواهم", "❤\u{FE0F}", "क\u{94D}\u{200D}ष"])
    func joiners(text: String) {
        #expect(DisplayText.sanitized(text).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test("an emoji sequence has joiners → it takes as many columns as on a terminal that does not join")
    func joinedColumns() {
        #expect(DisplayText.columns(of: "👨\u{200D}👩\u{200D}👧") == 6)
        #expect(DisplayText.columns(of: "❤\u{FE0F}") == 2)
        #expect(DisplayText.columns(of: "e\u{301}") == 1)
    }

    @Test("the C library does not know the width of a character → a dot, one column wide, replaces it")
    func unknownWidth() {
        for scalar in ["\u{1FAE8}", "\u{1F6DC}", "\u{10FFFD}", "\u{2E3B}", "x", "語"] {
            let shown = DisplayText.sanitized(scalar)
            #expect(DisplayText.columns(of: shown) >= 1, "\(scalar)")
        }
    }
}

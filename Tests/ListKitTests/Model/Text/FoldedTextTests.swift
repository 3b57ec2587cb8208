// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Case-insensitive search by Unicode case folding")
struct FoldedTextTests {
    @Test("a code point is folded → the result is that of Unicode's table, with statuses C and F")
    func table() throws {
        var folded: [UInt32: String] = [:]
        for line in try #require(try Vectors.load("casefolding")["cases"]?.array) {
            let numbers = try #require(line.string).split(separator: " ").compactMap { UInt32($0, radix: 16) }
            folded[numbers[0]] = String(String.UnicodeScalarView(numbers.dropFirst().compactMap(Unicode.Scalar.init)))
        }
        #expect(folded.count == 1530)
        var wrong: [UInt32] = []
        for scalar in (UInt32(1)...0x10FFFF).compactMap(Unicode.Scalar.init) {
            // The vectors are from Unicode 14; later letters are tested below.
            guard let age = scalar.properties.age, age <= (14, 0) else { continue }
            let expected = folded[scalar.value] ?? String(scalar)
            if !FoldedText(String(scalar)).text.utf8.elementsEqual(expected.utf8) { wrong.append(scalar.value) }
        }
        #expect(wrong == [])
    }

    @Test("a folded text is folded again → it is unchanged")
    func idempotent() {
        let wrong = (UInt32(1)...0x1FFFF).compactMap(Unicode.Scalar.init).filter {
            let once = FoldedText(String($0)).text
            return !FoldedText(once).text.utf8.elementsEqual(once.utf8)
        }
        #expect(wrong == [])
    }

    @Test(
        "two texts with the same folding → each text is found in the other",
        arguments: [
            ("STRASSE", "straße"), ("strasse", "STRAẞE"), ("ﬁn", "FIN"), ("Ǆ", "ǆ"), ("ΌΔΟΣ", "όδος"),
            ("K", "\u{212A}"),
            ("Ⅷ", "ⅷ"), ("ꮳ", "Ꮳ"), ("Ā", "ā"), ("Я", "я"), ("𞤀", "𞤢"), ("I", "i"),
        ])
    func found(_ pair: (String, String)) {
        #expect(contains("<\(pair.1)>", pair.0))
        #expect(contains("<\(pair.0)>", pair.1))
        #expect(FoldedText(pair.0) == FoldedText(pair.1))
    }

    @Test(
        "letters only look alike, or are only canonically equivalent → they do not match",
        arguments: [("ı", "i"), ("I", "ı"), ("İ", "i"), ("é", "e\u{301}"), ("ö", "o"), ("A", "Α")])
    func notFound(_ pair: (String, String)) {
        #expect(!contains(pair.1, pair.0))
    }

    @Test("the pattern is a part of a letter's multi-character folding → it is found")
    func halves() {
        #expect(contains("ß", "S"))
        #expect(contains("İ", "i"))
    }

    @Test("the pattern is empty → it is found in every text; only the text is empty → the pattern is not found")
    func empty() {
        #expect(contains("", ""))
        #expect(contains("x", ""))
        #expect(!FoldedText("").contains(FoldedText("x")))
        #expect(FoldedText("abc").contains(FoldedText("B")))
        #expect(FoldedText("abc").contains(FoldedText("")))
    }

    @Test("a pattern is at any position of a text of any length → it is found; it is absent → it is not found")
    func places() {
        var random = SeededRandom(seed: 7)
        for length in 1...80 {
            for wanted in 1...min(length, 20) {
                // The filler contains both ends of the pattern, but never the whole pattern.
                let needle = (["a"] + Array(repeating: "x", count: max(0, wanted - 2)) + ["b"]).prefix(wanted).joined()
                let place = Int.random(in: 0...(length - wanted), using: &random)
                let filler = String(repeating: "ay", count: length).prefix(length)
                let text = filler.prefix(place) + needle.uppercased() + filler.dropFirst(place + wanted)
                #expect(contains(String(text), needle))
                let isFiller = wanted == 1
                #expect(contains(String(filler), needle) == isFiller)
            }
        }
    }

    @Test("long prefixes of the pattern occur throughout the text → the search takes linear time")
    func nearlyEverywhere() {
        let half = String(repeating: "a", count: 50_000)
        #expect(!contains(half + half + half, half + "b" + half))
        #expect(contains(half + half + "B" + half, half + "b" + half))
        let accented = String(repeating: "Ϊ́", count: 20_000)
        #expect(!contains(accented + accented, accented + "x" + accented))
        #expect(contains(accented + accented + "X" + accented, accented + "x"))
    }

    @Test("an object is searched → all top-level text fields are covered, or only the named fields")
    func objects() throws {
        let object = try ListObject(
            id: "needle", type: "needle",
            fields: [
                "title": "A Needle", "path": .objectPath("/needle"), "list": ["needle"], "number": 5, "other": "hay",
            ])
        #expect(TextSearch("NEEDLE").matches(object))
        #expect(TextSearch("needle", in: ["title", "other"]).matches(object))
        #expect(!TextSearch("needle", in: ["other", "path", "list", "number", "none"]).matches(object))
        #expect(!TextSearch("needlehay").matches(object))
        #expect(TextSearch("", in: ["none"]).matches(object))
    }

    @Test("a search has very many field names → it covers the fields that exist")
    func manyFields() throws {
        let object = try ListObject(id: "o", fields: ["field 77": "needle", "field 7": "hay", "b": "needle"])
        for count in [1, 2, 3, 77, 78, 100, 10_000] {
            let search = TextSearch("needle", in: (0..<count).map { "field \($0)" })
            #expect(search.matches(object) == (count > 77), "\(count)")
        }
        #expect(TextSearch("needle", in: ["a", "b", "c", "longer"]).matches(object))
    }

    private func contains(_ text: String, _ wanted: String) -> Bool {
        FoldedText(wanted).isContained(in: text.utf8Span.span)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import listctl

/// The keys that terminal bytes stand for.
@Suite struct KeyAssemblerTests {
    private func keys(_ bytes: String, _ assembler: inout KeyAssembler) -> [String] {
        bytes.utf8.map { assembler.consume($0) }.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("jq", ["j", "q"]),
        ("é→🎉x", ["é", "→", "🎉", "x"]),
        ("\u{1B}[A\u{1B}OBj", ["\u{1B}[A", "\u{1B}OB", "j"]),
        ("\u{1B}[1;5Cq", ["\u{1B}[1;5C", "q"]),
        ("\u{1B}[M !!\u{1B}[M#!!q", ["\u{1B}[M !!", "\u{1B}[M#!!", "q"]),
        ("\u{1B}[<0;80;11M\u{1B}[<0;80;11m", ["\u{1B}[<0;80;11M", "\u{1B}[<0;80;11m"]),
        ("\u{1B}[[Aq", ["\u{1B}[[A", "q"]),
        ("\u{1B}x", ["\u{1B}x"]),
    ])
    func `Keys and characters of several bytes come whole`(bytes: String, expected: [String]) {
        var assembler = KeyAssembler()
        #expect(keys(bytes, &assembler) == expected)
        #expect(assembler.patience == nil)
    }

    @Test func `An escape that nothing follows is a key`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}", &assembler) == [])
        #expect(assembler.patience == 100)
        #expect(assembler.giveUp() == [0x1B])
        #expect(keys("q", &assembler) == ["q"])
    }

    @Test func `Two escapes are two keys`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}\u{1B}", &assembler) == ["\u{1B}"])
        #expect(assembler.giveUp() == [0x1B])
    }

    @Test func `A sequence that comes after its escape was given up is not taken for letters`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}", &assembler) == [])
        #expect(assembler.giveUp() == [0x1B])
        #expect(keys("[M q!j", &assembler) == ["\u{1B}[M q!", "j"])
    }

    @Test func `Of a sequence that is cut off nothing is left`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}[M q\u{1B}[Aj", &assembler) == ["\u{1B}[A", "j"])
        #expect(keys("\u{1B}[M q", &assembler) == [])
        #expect(assembler.giveUp() == [])
        #expect(keys("j", &assembler) == ["j"])
    }

    @Test func `A letter behind half a character is not kept back`() {
        var assembler = KeyAssembler()
        #expect(assembler.consume(0xE2) == [])
        #expect(assembler.consume(0x71) == [0xE2, 0x71])
    }

    @Test func `A sequence without end does not grow without end`() {
        var assembler = KeyAssembler()
        let bytes = "\u{1B}[" + String(repeating: "1", count: 10_000)
        #expect(keys(bytes, &assembler).joined().utf8.count == 10_002)
        #expect(assembler.patience == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import listctl

/// Tests of the keys that are assembled from a terminal's bytes.
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
    func `Keys and characters of several bytes are assembled`(bytes: String, expected: [String]) {
        var assembler = KeyAssembler()
        #expect(keys(bytes, &assembler) == expected)
        #expect(assembler.timeout == nil)
    }

    @Test func `An escape followed by nothing is a key of its own`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}", &assembler) == [])
        #expect(assembler.timeout == 100)
        #expect(assembler.handleTimeout() == [0x1B])
        #expect(keys("q", &assembler) == ["q"])
    }

    @Test func `Two escapes are two keys`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}\u{1B}", &assembler) == ["\u{1B}"])
        #expect(assembler.handleTimeout() == [0x1B])
    }

    @Test func `A sequence that arrives after the time limit of its escape is not read as letters`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}", &assembler) == [])
        #expect(assembler.handleTimeout() == [0x1B])
        #expect(keys("[M q!j", &assembler) == ["\u{1B}[M q!", "j"])
    }

    @Test func `A truncated sequence is dropped completely`() {
        var assembler = KeyAssembler()
        #expect(keys("\u{1B}[M q\u{1B}[Aj", &assembler) == ["\u{1B}[A", "j"])
        #expect(keys("\u{1B}[M q", &assembler) == [])
        #expect(assembler.handleTimeout() == [])
        #expect(keys("j", &assembler) == ["j"])
    }

    @Test func `A letter after an incomplete character is returned without delay`() {
        var assembler = KeyAssembler()
        #expect(assembler.consume(0xE2) == [])
        #expect(assembler.consume(0x71) == [0xE2, 0x71])
    }

    @Test func `An endless sequence is buffered up to a limit only`() {
        var assembler = KeyAssembler()
        let bytes = "\u{1B}[" + String(repeating: "1", count: 10_000)
        #expect(keys(bytes, &assembler).joined().utf8.count == 10_002)
        #expect(assembler.timeout == nil)
    }
}

import Testing

@testable import listctl

@Suite("KeyDecoder")
struct KeyDecoderTests {
    @Test(
        "a key's bytes in one read → the key",
        arguments: [
            ("\u{1B}[A", Key.up), ("\u{1B}[B", .down), ("\u{1B}OA", .up), ("\u{1B}[5~", .pageUp),
            ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}[F", .end), ("\u{1B}[1~", .home),
            ("\u{1B}[4~", .end), ("\r", .enter), ("\n", .enter), ("\u{7F}", .backspace), ("\u{03}", .interrupt),
            ("\u{0C}", .redraw), ("q", .character("q")), ("é", .character("é")), ("漢", .character("漢")),
            ("\u{1B}", .escape),
        ] as [(String, Key)])
    func single(text: String, key: Key) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(text.utf8)) == [key])
    }

    @Test("several keys in one read → all of them in order")
    func several() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("j\u{1B}[Bq".utf8)) == [.character("j"), .down, .character("q")])
    }

    @Test("a character or sequence cut by a read → waits for the rest")
    func cut() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xE6, 0xBC]) == [])
        #expect(decoder.decode([0xA2]) == [.character("漢")])
        #expect(decoder.decode(Array("\u{1B}[".utf8)) == [])
        #expect(decoder.decode(Array("6~".utf8)) == [.pageDown])
    }

    @Test("bytes that are no key → skipped, the next key is read")
    func garbage() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xFF, 0xC0, 0x00] + Array("\u{1B}[99zx".utf8)) == [.character("x")])
    }

    @Test("random bytes → no trap, and a key afterwards is still read", arguments: 0..<50)
    func random(seed: Int) {
        var state = UInt64(seed)
        var decoder = KeyDecoder()
        for _ in 0..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            _ = decoder.decode([UInt8(truncatingIfNeeded: state >> 33)])
        }
        let keys = decoder.decode(Array("~~~~~~~~~~~~~~~~~~~~q".utf8))
        #expect(keys.last == .character("q"))
    }
}

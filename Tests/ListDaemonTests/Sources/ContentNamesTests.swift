// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@testable import ListSources

@Suite("Identifiers that are made of contents")
struct ContentNamesTests {
    private func name(_ type: String, _ fields: Fields) -> String {
        var names = ContentNames()
        return names.next(type: type, fields: fields)
    }

    @Test(
        "a text is hashed → the hash of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func hash(text: String, expected: String) {
        let digits = SHA256.hash(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digits == expected)
    }

    @Test("fields in canonical D-Bus form → a little-endian message body with ascending keys")
    func canonical() {
        var message = CanonicalMessage()
        message.append("t")
        message.append(["b": .boolean(true), "a": "x"])
        let expected: [UInt8] = [
            1, 0, 0, 0, 0x74, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0,  // "t"; the bytes of the array, which begins at 16
            1, 0, 0, 0, 0x61, 0, 1, 0x73, 0, 0, 0, 0, 1, 0, 0, 0, 0x78, 0, 0, 0, 0, 0, 0, 0,  // "a": "x"
            1, 0, 0, 0, 0x62, 0, 1, 0x62, 0, 0, 0, 0, 1, 0, 0, 0,  // "b": true
        ]
        #expect(message.bytes == expected)
    }

    @Test("equal contents → equal identifiers of 16 digits; other types, fields and zeros → others", .rule("ID-01"))
    func equality() {
        let fields: Fields = ["a": .int64(1), "b": .array(element: "v", [.variant("x")]), "n": .double(.nan)]
        let other: Fields = ["n": .double(-.nan), "b": .array(element: "v", [.variant("x")]), "a": .int64(1)]
        let first = name("t", fields)
        #expect(first.utf8.count == 16 && first.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
        #expect(name("t", other) == first)
        #expect(name("", fields) != first && name("t", ["a": .int64(1)]) != first)
        #expect(name("", ["z": .double(0)]) != name("", ["z": .double(-0.0)]))
        #expect(name("", ["z": .int32(1)]) != name("", ["z": .int64(1)]))
    }

    @Test("several equal objects → the later ones get -2, -3; another list begins anew", .rule("ID-01"))
    func repeated() {
        var names = ContentNames()
        let first = names.next(type: "", fields: ["a": 1])
        #expect(names.next(type: "", fields: ["a": 2]) != first)
        #expect(names.next(type: "", fields: ["a": 1]) == first + "-2")
        #expect(names.next(type: "", fields: ["a": 1]) == first + "-3")
        #expect(name("", ["a": 1]) == first)
    }

    @Test(
        "lines without an id, with null and with an empty one → the decoder makes identifiers, or refuses",
        .rule("ID-01"))
    func lines() throws {
        let content = #""fields": {"a": 1}}"#
        let lines = ["{" + content, #"{"id": null, "# + content, #"{"id": "", "# + content, #"{"id": "x"}"#]
        let text = Array(lines.joined(separator: "\n").utf8)
        var decoder = try JSONLDecoder(identify: .content)
        let ids = try decoder.objects(in: text.span).map(\.id)
        let first = name("", ["a": .int64(1)])
        #expect(ids == [first, first + "-2", first + "-3", "x"])
        var strict = try JSONLDecoder()
        do throws(ListError) {
            _ = try strict.objects(in: text.span)
            Issue.record("a line without an id was read")
        } catch {
            #expect(error.code == .invalidObject && error.message.contains("line 1"))
        }
    }
}

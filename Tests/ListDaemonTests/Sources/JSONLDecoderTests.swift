// SPDX-License-Identifier: Apache-2.0

import ListDaemon
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

/// Decodes text as `jsonl`.
private func decode(_ text: String, limits: ObjectLimits = ObjectLimits()) throws(ListError) -> [ListObject] {
    try decode(Array(text.utf8), limits: limits)
}

private func decode(_ bytes: [UInt8], limits: ObjectLimits = ObjectLimits()) throws(ListError) -> [ListObject] {
    var decoder = try JSONLDecoder(limits: limits)
    return try decoder.objects(in: bytes.span)
}

/// Returns nested brackets as the value of the field `v`.
private func nested(_ open: String, _ close: String, depth: Int) -> String {
    #"{"id":"a","fields":{"v":"#
        + String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth) + "}}"
}

@Suite("Decoding JSON lines")
struct JSONLDecoderTests {
    @Test(
        "fields have JSON values → their types are s, x, d, b, av and a{sv}; a value is null → its key is left out",
        .rule("WT-09"))
    func mapping() throws {
        let text = """
            {"id":"a","type":"t","fields":{"s":"ä\\n\\u00e4\\ud83d\\ude00","x":-9223372036854775808,"y":9223372036854775807,\
            "d":1.5,"e":1e3,"z":-0.0,"b":true,"c":false,"n":null,"av":[1,"two",[],{}],"o":{"k":{"l":null,"m":[true]}}}}
            {"id":"b"}
            {"fields":{},"type":null,"id":"c"}
            {"id":"d","fields":null,"type":""}
            """
        let objects = try decode(text)
        let expected: Fields = [
            "s": "ä\nä😀", "x": .int64(.min), "y": .int64(.max), "d": 1.5, "e": 1000.0, "z": .double(-0.0),
            "b": true, "c": false,
            "av": .array(
                element: "v",
                [
                    .variant(1), .variant("two"), .variant(.array(element: "v", [])),
                    .variant(.dictionary(key: "s", value: "v", [:])),
                ]),
            "o": ["k": ["m": .array(element: "v", [.variant(true)])]],
        ]
        #expect(
            try objects == [
                ListObject(id: "a", type: "t", fields: expected), ListObject(id: "b"), ListObject(id: "c"),
                ListObject(id: "d"),
            ])
    }

    @Test("a document has empty lines, blanks, CRLF or no last newline → all of its objects are decoded")
    func lines() throws {
        let ids = try decode("\n \t\r\n{\"id\":\"a\"}\r\n\n  {\"id\" : \"b\"}  \n{\"id\":\"c\"}").map(\.id)
        #expect(ids == ["a", "b", "c"])
        #expect(try decode("").isEmpty)
        #expect(try decode("\n").isEmpty)
    }

    private static let repeated: [(line: String, type: String, fields: Fields)] = [
        (#"{"id":"x","id":"a","type":"t","type":"u","fields":{"v":1},"fields":{"v":2}}"#, "u", ["v": 2] as Fields),
        (#"{"id":"a","fields":{"v":1,"v":null}}"#, "", [:]),
        (#"{"id":"a","fields":{"v":null,"v":1}}"#, "", ["v": 1]),
        (#"{"id":"a","fields":{"w":null,"v":1,"w":2,"v":null,"w":3}}"#, "", ["w": 3]),
        (#"{"id":"a","fields":{"v":{"k":1,"l":2,"k":null}}}"#, "", ["v": ["l": 2]]),
        (#"{"id":"a","type":"t","type":null,"fields":{"v":1},"fields":null}"#, "", [:]),
        ("{\"id\":\"a\",\"fields\":{\"\u{E9}\":null,\"e\u{301}\":1}}", "", ["e\u{301}": 1]),
    ]

    @Test(
        "a key is repeated at any depth → its last value is used, even if it is null",
        arguments: Self.repeated)
    func repeatedKeys(line: String, type: String, fields: Fields) throws {
        #expect(try decode(line) == [ListObject(id: "a", type: type, fields: fields)])
    }

    @Test(
        "a line is not an object → InvalidObject has the line number", .rule("WT-10"),
        arguments: [
            "{", "}", "nul", "[]", "1", "null", #""a""#, "{}", #"{"id":null}"#, #"{"id":1}"#, #"{"id":""}"#,
            #"{"id":"a"}{"id":"b"}"#, #"{"id":"a"} x"#, #"{"id":"a",}"#, #"{"id":"a","ID":1}"#, #"{"id":"a","":1}"#,
            #"{"id":"a","type":1}"#, #"{"id":"a","type":["t"]}"#, #"{"id":"a","fields":[]}"#,
            #"{"id":"a","fields":"x"}"#, #"{"id":"a\u0000"}"#, #"{"id":"a","type":"\u0000"}"#,
            #"{"id":"a","fields":{"v":"\u0000"}}"#, #"{"id":"a","fields":{"\u0000":1}}"#,
            #"{"id":"a","fields":{"v":"\ud800"}}"#, #"{"id":"a","fields":{"v":"\udc00"}}"#,
            #"{"id":"a","fields":{"v":"\ud800\u0041"}}"#, #"{"id":"a","fields":{"v":"\udc00\ud800"}}"#,
            #"{"id":"\ud800"}"#, #"{"id":"a","fields":{"v":9223372036854775808}}"#,
            #"{"id":"a","fields":{"v":18446744073709551615}}"#, #"{"id":"a","fields":{"v":18446744073709551616}}"#,
            #"{"id":"a","fields":{"v":-9223372036854775809}}"#,
            #"{"id":"a","fields":{"v":100000000000000000000000000000000000}}"#, #"{"id":"a","fields":{"v":1e400}}"#,
            #"{"id":"a","fields":{"v":01}}"#, #"{"id":"a","fields":{"v":+1}}"#, #"{"id":"a","fields":{"v":.5}}"#,
            #"{"id":"a","fields":{"v":NaN}}"#, #"{"id":"a","fields":{"v":Infinity}}"#,
            #"{"id":"a","fields":{"v":0x1}}"#,
            #"{"id":"a","fields":{"v":[null]}}"#, #"{"id":"a","fields":{"v":'x'}}"#, #"{"id":"a" /* c */}"#,
            "{\"id\":\"a\tb\"}", "{\"id\":\"a\u{1}\"}", #"{"id":"\x41"}"#, #"{"id":"a"#, #"{id:"a"}"#,
            "\u{FEFF}{\"id\":\"a\"}",
            nested("[", "]", depth: 17), nested(#"{"k":"#, "}", depth: 11), nested("[", "]", depth: 2000),
        ])
    func faults(line: String) {
        #expect { try decode("{\"id\":\"first\"}\n\n\(line)\n") } throws: { error in
            guard let error = error as? ListError else { return false }
            return error.code == .invalidObject && error.message.hasPrefix("line 3: ")
        }
    }

    @Test("invalid UTF-8, a NUL between values, or a bare line feed in a string → InvalidObject")
    func malformedBytes() {
        let inString: [[UInt8]] = [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0],
        ]
        for bytes in inString {
            #expect(throws: ListError.self) { try decode(Array("{\"id\":\"".utf8) + bytes + Array("\"}".utf8)) }
        }
        #expect(throws: ListError.self) { try decode(Array("{\"id\":\"a\"}".utf8) + [0]) }
        #expect(throws: ListError.self) { try decode("{\"id\":\"a\nb\"}") }
    }

    @Test(
        "values are nested 32 containers deep → they are accepted; deeper → the error names the field",
        .rule("WT-14"))
    func depth() throws {
        #expect(try decode(nested("[", "]", depth: 16)).count == 1)
        #expect(try decode(nested(#"{"k":"#, "}", depth: 10)).count == 1)
        #expect { try decode(nested("[", "]", depth: 17)) } throws: { "\($0)".contains("field “v”") }
    }

    @Test("an id, a type, an object or a line is at its size limit → it is accepted; above the limit → PayloadTooLarge")
    func limits() throws {
        let limits = ObjectLimits(objectBytes: 64, idBytes: 8)
        func fault(_ text: String) -> String? {
            do throws(ListError) {
                _ = try decode(text, limits: limits)
                return nil
            } catch {
                return error.code == .payloadTooLarge ? error.message : "another fault"
            }
        }
        #expect(fault(#"{"id":"12345678","type":"12345678"}"#) == nil)
        #expect(fault(#"{"id":"123456789"}"#) == "line 1: an identifier has 9 bytes, more than 8 (IdBytes)")
        #expect(fault(#"{"id":"a","type":"123456789"}"#) == "line 1: a type has 9 bytes, more than 8 (IdBytes)")
        // The bytes of the id, and those of the entry: count, key, type, count and text.
        func object(_ count: Int) -> String {
            #"{"id":"a","fields":{"v":""# + String(repeating: "x", count: count) + #""}}"#
        }
        #expect(fault(object(64 - 1 - 2 - 1 - 1)) == nil)
        #expect(
            fault(object(64 - 1 - 2 - 1 - 1 + 1)) == "line 1: object “a” has 65 bytes, more than 64 (ObjectBytes)")
        let long = fault(#"{"id":"a"}"# + String(repeating: " ", count: JSONLDecoder.longestLine(limits)))
        #expect(long?.hasPrefix("line 1: ") == true)
    }

    @Test("a document ends where its mapped memory ends → no byte beyond the padding is read")
    func padding() throws {
        for length in 4000...4200 {
            let text = String(repeating: "x", count: length)
            #expect(
                try decode("{\"id\":\"a\",\"fields\":{\"v\":\"\(text)\"}}").first?.fields["v"]?.string?.utf8.count
                    == length)
        }
    }

    @Test("one decoder gets increasingly long lines → each line is decoded independently")
    func growingLines() throws {
        var decoder = try JSONLDecoder()
        for power in 0..<18 {
            let text = String(repeating: "y", count: 1 << power)
            let bytes = Array("{\"id\":\"a\",\"fields\":{\"v\":\"\(text)\"}}".utf8)
            #expect(try decoder.objects(in: bytes.span).first?.fields["v"]?.string == text)
        }
        #expect(throws: ListError.self) { try decoder.objects(in: Array("{".utf8).span) }
        #expect(try decoder.objects(in: Array(#"{"id":"b"}"#.utf8).span).map(\.id) == ["b"])
    }

    @Test(
        "random bytes of lines change → the decoder returns objects or a typed error, and never crashes"
    )
    func mutations() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        let original = Array(
            """
            {"id":"a","type":"t","fields":{"s":"\\u00e4\\ud83d\\ude00","x":-12,"d":1.5e3,"b":true,"n":null,"l":[1,[{"k":[]}]]}}
            {"id":"b","fields":{"o":{"p":{"q":"r","q":null}},"x":9223372036854775807}}

            """.utf8)
        let alphabet = Array("{}[]\",:\\u0129deE+-.ntf \n\0".utf8) + [0xC3, 0xFF]
        var decoder = try JSONLDecoder()
        for step in 0..<3000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = byte
                case 1: bytes.insert(byte, at: place)
                default: bytes.remove(at: place)
                }
            }
            do throws(ListError) {
                let objects = try decoder.objects(in: bytes.span)
                #expect(objects.count <= 8, "seed \(seed), step \(step)")
            } catch {
                #expect(error.code == .invalidObject && error.message.hasPrefix("line "), "seed \(seed), step \(step)")
            }
        }
    }
}

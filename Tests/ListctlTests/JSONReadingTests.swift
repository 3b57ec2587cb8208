// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import ListJSON
import Testing

@testable import listctl

@Suite("Reading JSON in listctl")
struct JSONReadingTests {
    @Test(
        "the JSON that JSONLine wrote for a value is read → an equal value, of the widest type of its kind",
        arguments: [
            .string(""), .string("a/b\"\\\n\u{1}\u{7F}é🌱"), .string("\\"), .boolean(true), .boolean(false),
            .int64(.min), .uint64(.max), .double(2), .double(-0.5), .double(1e300),
        ] as [DBusValue])
    func values(value: DBusValue) throws {
        #expect(try Self.value(of: JSONLine(value).text) == value)
    }

    @Test("a value is null → it is omitted; values are arrays and objects → they are parsed completely")
    func nested() throws {
        let text = #"{"a":null,"b":[],"c":[1,{"x":[{}]},"]"],"d":{"}":1},"e":1}"#
        let inner = DBusValue.options(["x": .array(element: "v", [.variant(.options([:]))])])
        #expect(
            try Self.value(of: text)
                == .options([
                    "b": .array(element: "v", []),
                    "c": .array(element: "v", [.variant(.int64(1)), .variant(inner), .variant(.string("]"))]),
                    "d": .options(["}": .int64(1)]), "e": .int64(1),
                ]))
    }

    @Test("canonically equivalent keys → both fields are kept")
    func equivalentKeys() throws {
        let line = "{\"id\":\"a\",\"type\":\"t\",\"fields\":{\"e\u{301}\":1,\"\u{E9}\":2}}"
        #expect(try MirroredObject(jsonl: line.utf8).fields.values == [.int64(1), .int64(2)])
    }

    @Test("the input is JSON that listd never writes, such as endless nesting → an error is thrown, without a crash")
    func faults() {
        let line = #"{"id":"a","type":"t","fields":{"x":"é\n","n":[1.5,true,null]}}"#
        for length in 0..<line.utf8.count {
            #expect(throws: JSONFault.self) { try MirroredObject(jsonl: line.utf8.prefix(length)) }
        }
        for text in [
            "", "x", "-", "1.2.3", "01", "+1", "1.", ".5", "nan", "[1 2]", "{\"a\"}", "[1,]", "\"\t\"", "\"\\x\"",
            "1 2",
            "123456789012345678901234567890", "1e999", String(repeating: "[", count: 1_000_000),
        ] {
            #expect(throws: JSONFault.self, "\(text.prefix(40))") { try Self.value(of: text) }
        }
    }

    @Test("a member of an object is removed → the others stay as they were; what is no object → an error")
    func removal() throws {
        let line =
            #"{ "section":0,"id":"a","n":null,"x":[1,-2.5,18446744073709551615,{"section":true}],"sect\u0069on":1}"#
        #expect(
            try JSONLine(line.utf8, without: "section").text
                == #"{"id":"a","n":null,"x":[1,-2.5,18446744073709551615,{"section":true}]}"#)
        #expect(try JSONLine("{}".utf8, without: "section").text == "{}")
        for text in ["[1]", "{", "7", ""] {
            #expect(throws: JSONFault.self) { try JSONLine(text.utf8, without: "section") }
        }
    }

    private static func value(of text: String) throws(JSONFault) -> DBusValue? {
        try JSONFault.reading(text.utf8) { tape in DBusValue(tape, at: JSONTape.root) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import Testing

@testable import listctl

@Suite("JSONReader: parsing JSON from listd")
struct JSONReaderTests {
    @Test(
        "the JSON that JSONLine wrote for a value is read → an equal value, of the widest type of its kind",
        arguments: [
            .string(""), .string("a/b\"\\\n\u{1}\u{7F}é🌱"), .string("\\"), .boolean(true), .boolean(false),
            .int64(.min), .uint64(.max), .double(2), .double(-0.5), .double(1e300),
        ] as [DBusValue])
    func values(value: DBusValue) throws {
        var reader = JSONReader(JSONLine(value).text.utf8)
        #expect(try reader.readValue() == value)
    }

    @Test("a value is null → it is omitted; values are arrays and objects → they are parsed completely")
    func nested() throws {
        let text = #"{"a":null,"b":[],"c":[1,{"x":[{}]},"]"],"d":{"}":1},"e":1}"#
        var reader = JSONReader(text.utf8)
        var values: [String: DBusValue] = [:]
        try reader.readMembers { (reader, key) throws(JSONReader.Fault) in values[key] = try reader.readValue() }
        let inner = DBusValue.options(["x": .array(element: "v", [.variant(.options([:]))])])
        #expect(
            values == [
                "b": .array(element: "v", []),
                "c": .array(element: "v", [.variant(.int64(1)), .variant(inner), .variant(.string("]"))]),
                "d": .options(["}": .int64(1)]), "e": .int64(1),
            ])
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
            #expect(throws: JSONReader.Fault.self) { try MirroredObject(jsonl: line.utf8.prefix(length)) }
        }
        for text in ["x", "-", "1.2.3", "[1 2]", "{\"a\"}", "[1,]", String(repeating: "[", count: 1_000_000)] {
            #expect(throws: JSONReader.Fault.self) {
                var reader = JSONReader(text.utf8)
                return try reader.readValue()
            }
        }
    }
}

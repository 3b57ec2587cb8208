// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListDaemon
import ListJSON
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

private func encode(_ objects: [ListObject]) -> [UInt8] {
    var encoder = JSONLEncoder()
    for object in objects { encoder.append(object) }
    return encoder.bytes
}

@Suite("Encoding JSON lines")
struct JSONLEncoderTests {
    @Test("values have no JSON equivalent → they become the nearest JSON value", .rule("WT-15"))
    func mapping() throws {
        let fields: Fields = [
            "bytes": .array(element: "y", [.byte(0), .byte(255), .byte(62)]), "empty": .array(element: "y", []),
            "double": .double(0.1), "whole": .double(3), "large": .double(1e300), "nan": .double(.nan),
            "infinite": .array(element: "d", [.double(.infinity), .double(-.infinity)]),
            "struct": .structure([.string("a"), .uint64(.max), .structure([.boolean(true)])]),
            "path": .objectPath("/a/b"), "signature": .signature("a{sv}"), "variant": .variant(.variant(.int16(-1))),
            "keys": .dictionary(key: "d", value: "s", [.double(1.5): "x"]),
            "flags": .dictionary(key: "b", value: "y", [.boolean(true): .byte(1)]),
            "dictionary": .dictionary(key: "s", value: "v", [:]), "list": .array(element: "s", []),
            "text": "\"\\/\u{8}\u{1F}\u{7F}\n\r\té\u{2028}",
        ]
        let line = String(decoding: encode([try ListObject(id: "i\"d", type: "t\n", fields: fields)]), as: UTF8.self)
        #expect(
            line == #"{"id":"i\"d","type":"t\n","fields":{"bytes":"AP8+","dictionary":{},"double":0.1,"empty":"","#
                + #""flags":{"true":1},"infinite":[null,null],"keys":{"1.5":"x"},"large":1e+300,"list":[],"nan":null,"#
                + #""path":"/a/b","signature":"a{sv}","struct":["a",18446744073709551615,[true]],"#
                + "\"text\":\"\\\"\\\\/\\u0008\\u001f\u{7F}\\n\\r\\té\u{2028}\",\"variant\":-1,\"whole\":3.0}}\n")
    }

    @Test("any number of bytes is encoded → the base64 text is the same as from Foundation", arguments: 0..<70)
    func base64(count: Int) {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ 5) }
        var json = JSONWriter()
        json.append(base64: content)
        #expect(String(decoding: json.bytes, as: UTF8.self) == "\"\(Data(content).base64EncodedString())\"")
    }

    @Test(
        "random objects of JSON values are encoded → they are decoded unchanged, and Foundation decodes the same values"
    )
    func roundTrip() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        for step in 0..<300 {
            let objects = try (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                try ListObject(
                    id: "i" + randomText(&random), type: randomText(&random), fields: randomFields(&random, depth: 3))
            }
            let bytes = encode(objects)
            var decoder = try JSONLDecoder()
            #expect(try decoder.objects(in: bytes.span) == objects, "seed \(seed), step \(step)")
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            for (line, object) in zip(lines, objects) {
                let parsed = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                #expect((parsed?["id"] as? String)?.utf8.elementsEqual(object.id.utf8) == true)
                #expect((parsed?["fields"] as? [String: Any])?.count == object.fields.count)
            }
        }
    }

    private func randomFields(_ random: inout SeededRandom, depth: Int) throws -> Fields {
        var entries: [String: Value] = [:]
        for number in 0..<Int.random(in: 0..<4, using: &random) {
            entries["\(number)" + randomText(&random)] = randomValue(&random, depth: depth)
        }
        return try Fields(entries)
    }

    private func randomValue(_ random: inout SeededRandom, depth: Int) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
        case 0: return .string(randomText(&random))
        case 1: return .int64(Int64.random(in: .min ... .max, using: &random))
        case 2:
            let number = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
            return .double(number.isFinite ? number : 0)
        case 3: return .boolean(Bool.random(using: &random))
        case 4:
            let count = Int.random(in: 0..<4, using: &random)
            return .array(element: "v", (0..<count).map { _ in .variant(randomValue(&random, depth: depth - 1)) })
        default:
            var entries: [Value: Value] = [:]
            for number in 0..<Int.random(in: 0..<4, using: &random) {
                entries[.string("\(number)")] = .variant(randomValue(&random, depth: depth - 1))
            }
            return .dictionary(key: "s", value: "v", entries)
        }
    }

    private func randomText(_ random: inout SeededRandom) -> String {
        let alphabet: [Character] = [
            "a", "\"", "\\", "\n", "\u{1}", "é", "e\u{301}", "😀", " ", "/", "\u{7F}", "\u{FFFF}",
        ]
        return String(
            (0..<Int.random(in: 0..<6, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) })
    }
}

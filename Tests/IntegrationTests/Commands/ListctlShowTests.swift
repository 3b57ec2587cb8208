// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("listctl show", .timeLimit(.minutes(5)))
@DBusActor
struct ListctlShowTests {
    private struct Line: Decodable {
        struct Fields: Decodable { var n: Int }
        var section: Int
        var id: String
        var fields: Fields
    }

    @Test("a list changes continuously → show prints one revision and exits")
    func changing() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("busy")
        let count = 20_000
        _ = try await adapter.performUpdates((0..<count).map { Row("\($0)", "t", ["n": .int64(0)]) })
        let isShown = Countdown(1)
        let writing = Task { @DBusActor in
            var number: Int64 = 0
            while !isShown.isOver {
                number += 1
                let ends = ["0", "\(count - 1)"].map { Upsert($0, "t", "keep", "", ["n": .int64(number)]) }
                _ = try await adapter.applyChanges(ends)
            }
            return number
        }
        let text = try await Listctl.run(stage.bus.address, "show", "busy")
        #expect(text.status == 0)
        #expect(text.lines.count == 1 + count)
        #expect(text.lines.first?.split(separator: " ") == ["ID", "TYPE", "N"])
        #expect(text.lines.dropFirst().first?.split(separator: " ").last == text.lines.last?.split(separator: " ").last)
        let json = try await Listctl.run(stage.bus.address, "--json", "show", "busy")
        isShown.countDown()
        #expect(try await writing.value > 1)
        #expect(json.status == 0)
        let lines = try [json.lines.first, json.lines.last].map {
            try JSONDecoder().decode(Line.self, from: Data(($0 ?? "").utf8))
        }
        #expect(lines.map(\.section) == [0, count - 1])
        #expect(lines.map(\.id) == ["0", "\(count - 1)"])
        #expect(lines[0].fields.n == lines[1].fields.n)
        await stage.stop()
    }

    @Test("objects with values of every type → --json prints every value, text output prints values that fit on a line")
    func values() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("kinds")
        let flags = DBusValue.dictionary(
            key: "b", value: "s", [DBusValue.Entry(key: .boolean(true), value: .string("x"))])
        let fields: [String: DBusValue] = [
            "title": .string("one"), "double": .double(3), "flags": flags, "on": .boolean(true),
            "bytes": .array(element: "y", [.byte(1), .byte(2)]), "nested": .options(["k": .int32(-1)]),
        ]
        _ = try await adapter.performUpdates([Row("a", "t", fields)])
        let json = try await Listctl.run(stage.bus.address, "--json", "show", "kinds")
        #expect(
            json.lines == [
                #"{"section":0,"id":"a","type":"t","fields":{"bytes":"AQI=","double":3.0,"flags":{"true":"x"},"#
                    + #""nested":{"k":-1},"on":true,"title":"one"}}"#
            ])
        let text = try await Listctl.run(stage.bus.address, "show", "kinds")
        let columns = ["ID", "TYPE", "TITLE", "BYTES", "DOUBLE", "FLAGS.TRUE", "NESTED.K", "ON"]
        #expect(text.lines.first?.split(separator: " ").map(String.init) == columns)
        let cells = ["a", "t", "one", "AQI=", "3.0", "x", "-1", "yes"]
        #expect(text.lines.last?.split(separator: " ").map(String.init) == cells)
        await stage.stop()
    }

    @Test("two keys of an object are canonically equivalent → show prints both")
    func equivalentKeys() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("v")
        let line = #"{"id":"nf","fields":{"\u00e9":"nfc","e\u0301":"nfd"}}"#
        let (status, lines) = try await Listctl.shell(
            stage.bus.address, "listctl push v - <<<'\(line)' && listctl --json show v && listctl show v")
        #expect(status == 0)
        for line in [lines.last ?? "", lines.dropLast(2).last ?? ""] {
            #expect(line.contains("nfc") && line.contains("nfd"), "\(line)")
        }
        await stage.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import TestSupport
import Testing

@Suite("Invalid content that built-in section controllers drop or replace", .timeLimit(.minutes(2)))
@DBusActor
struct DroppedContentTests {
    private static func controllers(_ names: [String: String]) -> [String: DBusValue] {
        let entries = names.map { DBusValue.Entry(key: .string($0.key), value: .string($0.value)) }
        return ["section-controllers": .dictionary(key: "s", value: "s", entries)]
    }

    /// Returns an object with items for `listd/binding`.
    private static func row(_ id: String, _ items: [[String: DBusValue]], type: String = "") -> Row {
        Row(id, type, ["items": .array(element: "a{sv}", items.map { .options($0) })])
    }

    private static func droppedCounts(_ stage: Stage) async throws -> [UInt64?] {
        let counters = try await stage.statistics()
        return [counters["items-dropped"], counters["sizes-replaced"]]
    }

    private static func lines(_ stage: Stage, _ text: String) -> [Substring] {
        stage.listd.standardError.split(separator: "\n").filter { $0.contains(text) }
    }

    @Test(
        "items have no id, a repeated id or a size that is no number → each update of their object counts the faults",
        .rule("BI-01"))
    func counted() async throws {
        let stage = try await Stage()
        let list = try await stage.createAdapter("list", Self.controllers(["*": "listd/binding"]))
        #expect(try await Self.droppedCounts(stage) == [0, 0])
        let good = Self.row("good", [["id": .string("a"), "height": .double(-3)], ["id": .string("b")]])
        let bad = Self.row(
            "bad\n",
            [
                ["id": .string("a"), "height": .double(.nan)], ["name": .string("no id")], ["id": .int64(3)],
                ["id": .string("a"), "width": .string("dropped anyhow")],
                ["id": .string("b"), "width": .double(.infinity), "height": .string("12")],
            ])
        _ = try await list.performUpdates([good, bad])
        #expect(try await Self.droppedCounts(stage) == [3, 3])
        // Unchanged objects are not updated, even when they move.
        _ = try await list.performUpdates([bad, good])
        #expect(try await Self.droppedCounts(stage) == [3, 3])
        let changed = Self.row("good", [["id": .string("a")], ["id": .string("a")]])
        _ = try await list.performUpdates([bad, changed])
        #expect(try await Self.droppedCounts(stage) == [4, 3])
        _ = try await list.by(stage.client).call(
            "PatchObject", UInt64(0), "bad\n", ["t": DBusValue.int64(1)], [String](), returning: UInt64.self)
        #expect(try await Self.droppedCounts(stage) == [7, 6])
        // One log line for each reason, with list, object and key.
        let said = [
            #"object “bad\u{A}”: items[1].id is missing or not a string"#,
            #"object “bad\u{A}”: items[3].id occurred before"#,
            #"object “bad\u{A}”: items[0].height is not a finite number"#,
        ]
        for text in said { #expect(Self.lines(stage, text).count == 1, "\(text) in \(stage.listd.standardError)") }
        #expect(Self.lines(stage, "items[").count == said.count)
        #expect(Self.lines(stage, "items[").allSatisfy { $0.contains("LISTD_ADAPTER=list)") })
        let other = try await stage.createAdapter("other", Self.controllers(["*": "listd/binding"]))
        _ = try await other.performUpdates([changed])
        #expect(Self.lines(stage, "object “good”: items[1].id occurred before").count == 1)
        #expect(await stage.stop().status == 0)
    }

    @Test(
        "an item has an invalid size → every layout counts it; an invalid position → only absolute layouts count it"
    )
    func single() async throws {
        let stage = try await Stage()
        let fields: [String: DBusValue] = [
            "width": .boolean(true), "height": .double(.nan), "x": .string("left"), "z": .double(.infinity),
            "y": .double(-1), "depth": .string("deep"),
        ]
        let flow = try await stage.createAdapter("flow")
        _ = try await flow.performUpdates([Row("a", "", fields), Row("b", "", ["width": .double(-1)])])
        #expect(try await Self.droppedCounts(stage) == [0, 2])
        let absolute = try await stage.createAdapter("absolute", ["layout": .string("absolute")])
        _ = try await absolute.applyChanges([Upsert("a", "", "last", "", fields)])
        #expect(try await Self.droppedCounts(stage) == [0, 6])
        #expect(await stage.stop().status == 0)
    }

    @Test("updates have repeated identifiers → one log line for each list names them, and all are counted")
    func duplicates() async throws {
        let stage = try await Stage()
        let list = try await stage.createAdapter("list")
        let rows = (0..<20).map { Row("row \($0 % 10)", "", [:]) }
        _ = try await list.performUpdates([Row("a", "", [:]), Row("a", "", [:])] + rows)
        _ = try await list.performUpdates([Row("b", "", [:]), Row("b", "", [:])])
        let other = try await stage.createAdapter("other")
        _ = try await other.performUpdates([Row("c\n", "", [:]), Row("c\n", "", [:]), Row("c\n", "", [:])])
        #expect(try await stage.statistics()["duplicates-dropped"] == 14)
        let lines = Self.lines(stage, "dropped, because")
        #expect(lines.count == 2, "\(stage.listd.standardError)")
        let names = ["a"] + (0..<7).map { "row \($0)" }
        let first = "11 objects of the list “list” were dropped, because"
        #expect(lines.first?.contains(first) == true && lines.first?.contains("LISTD_ADAPTER=list") == true)
        for name in names { #expect(lines.first?.contains("“\(name)”") == true, "\(name)") }
        #expect(lines.first?.contains("row 7") == false)
        #expect(lines.last?.contains("2 objects of the list “other” were dropped") == true)
        #expect(lines.last?.contains(#"identifiers: “c\u{A}”"#) == true)
        #expect(await stage.stop().status == 0)
    }

    @Test("a list in a worker → built-in section controllers count invalid content once, even if the worker restarts")
    func worker() async throws {
        let stage = try await HorrorStage()
        let names = ["*": "listd/binding", "plugin": "horrors/Steady"]
        let list = try await stage.stage.createAdapter("list", Self.controllers(names))
        let bad = Self.row("bad", [["name": .string("no id")], ["id": .string("a"), "height": .string("1")]])
        _ = try await list.performUpdates([bad, Self.row("theirs", [["width": .string("1")]], type: "plugin")])
        #expect(try await Self.droppedCounts(stage.stage) == [1, 1])
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: 1)
        _ = try await list.applyChanges([Upsert("good", "", "last", "", [:])])
        #expect(try await Self.droppedCounts(stage.stage) == [1, 1])
        #expect(Self.lines(stage.stage, "items[0].id is missing").count == 1)
        #expect(await stage.stop().status == 0)
    }
}

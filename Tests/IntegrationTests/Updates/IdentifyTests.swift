// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// Objects without identifiers, which get some by their content.
@Suite("Objects without identifiers", .timeLimit(.minutes(2)))
@DBusActor
struct IdentifyTests {
    private static let content: [String: DBusValue] = ["identify": .string("content")]

    private func update(_ list: RemoteObject, _ rows: [Row], _ options: [String: DBusValue]) async throws {
        _ = try await list.call("PerformUpdates", UInt64(0), rows, options, returning: UInt64.self)
    }

    private func refusal(_ body: () async throws -> Void) async -> DBusError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DBusError
        }
    }

    @Test(
        "PerformUpdates has objects without identifiers → refused, or named by their content as the option says",
        .rule("ID-01", "ID-02"), arguments: TransportKind.allCases)
    func performUpdates(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let client = try await stage.connect(transport)
        let adapter = try await stage.createAdapter("list")
        let list = adapter.by(client)
        let rows = [
            Row("", "t", ["a": .int64(1)]), Row("given", "t", ["a": .int64(1)]), Row("", "t", ["a": .int64(1)]),
            Row("", "u", ["a": .int64(1)]),
        ]
        let refused = await refusal { try await update(list, rows, [:]) }
        #expect(refused?.name == Listd.error("InvalidObject") && refused?.message.contains("objects[0]") == true)
        let word = await refusal { try await update(list, rows, ["identify": .string("type")]) }
        #expect(word?.name == Listd.standardError("InvalidArgs") && word?.message.contains("identify") == true)
        try await update(list, rows, Self.content)
        let ids = try await adapter.objects().rows.map(\.id)
        #expect(ids[0].utf8.count == 16 && ids[1] == "given" && ids[2] == ids[0] + "-2" && ids[3] != ids[0])
        try await update(list, rows, Self.content)
        #expect(try await adapter.objects().revision == 1)
        let changes = await refusal {
            _ = try await list.call(
                "ApplyChanges", UInt64(0), [String](), [Upsert("", "", "last", "", [:])], [String: DBusValue](),
                returning: UInt64.self)
        }
        #expect(changes?.name == Listd.error("InvalidObject"))
        // A given identifier that equals a digest: the later of the two is the duplicate.
        try await update(list, [Row(ids[0], "", [:]), rows[0]], Self.content)
        #expect(try await adapter.objects().rows.map(\.type) == [""])
        await stage.stop()
    }

    @Test(
        "a list has the option identify=content → its calls, files and source use it, unless a call says otherwise",
        .rule("ID-02"))
    func option() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list", Self.content)
        let list = adapter.by(stage.client)
        let rows = [Row("", "", ["a": .int64(1)])]
        try await update(list, rows, [:])
        let id = try #require(try await adapter.objects().rows.first?.id)
        let refused = await refusal { try await update(list, rows, ["identify": .string("none")]) }
        #expect(refused?.name == Listd.error("InvalidObject"))
        let path = stage.listd.directory.appending(path: "rows.jsonl").path
        try #"{"fields": {"a": 1}}\#n{"fields": {"a": 1}}\#n"#.write(toFile: path, atomically: true, encoding: .utf8)
        let file = FileDescriptor(adopting: unsafe open(path, O_RDONLY | O_CLOEXEC))
        _ = try await list.call(
            "PerformUpdatesFromFile", UInt64(0), file, "jsonl", [String: DBusValue](), returning: UInt64.self)
        #expect(try await adapter.objects().rows.map(\.id) == [id, id + "-2"])
        let source = try await stage.createAdapter(
            "source", Self.content.merging(["source": .string("jsonl:" + path)]) { $1 })
        while try await source.objects().rows.map(\.id) != [id, id + "-2"] { await Task.yield() }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"fields": {"a": 1}}\#n"#.utf8))
        while try await source.objects().rows.map(\.id) != [id, id + "-2", id + "-3"] { await Task.yield() }
        #expect(try await source.by(stage.client).property("SourceError", as: String.self) == "")
        await stage.stop()
    }
}

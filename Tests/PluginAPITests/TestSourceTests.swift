// SPDX-License-Identifier: Apache-2.0

import ListKit
import PluginAPI
import PluginTestSupport
import Testing

@Suite("TestSource: a data source's list, for tests", .timeLimit(.minutes(1)))
struct TestSourceTests {
    @Test("an object is placed next to a missing object → the error is that of listd, and the list is unchanged")
    func unknownNeighbour() async throws {
        let source = try await PluginTestSupport.TestSource(Neighbours.self, "neighbours")
        for _ in 0..<2 { _ = await source.next() }
        #expect(source.objects.map(\.id) == ["a", "b"])
        let failure = try #require(source.failure)
        #expect(failure.contains("NoSuchObject") && failure.contains("gone"))
        _ = await source.next()
        #expect(source.objects.map(\.id) == ["a", "c", "b"])
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test("a list has two objects with the same id → the result is that of listd")
    func duplicates() async throws {
        let source = try await PluginTestSupport.TestSource(Neighbours.self, "twins")
        _ = await source.next()
        #expect(source.objects.map(\.id) == ["a"])
        #expect(source.failure == nil)
        await source.stop()
    }
}

private enum Neighbours: Plugin {
    private final class Source: DataSource {
        let begin: () throws -> Void
        init(_ begin: @escaping () throws -> Void) { self.begin = begin }
        func start() throws { try begin() }
    }

    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "neighbours", version: "1",
            dataSources: [
                .source("neighbours") { context in
                    let sink = context.sink
                    return Source {
                        sink.replace([try ListObject(id: "a"), try ListObject(id: "b")])
                        sink.changes(
                            removed: ["a"], upserts: [.init(try ListObject(id: "c"), position: .after("gone"))])
                        sink.changes(upserts: [.init(try ListObject(id: "c"), position: .after("a"))])
                    }
                },
                .source("twins") { context in
                    let sink = context.sink
                    return Source { sink.replace([try ListObject(id: "a"), try ListObject(id: "a")]) }
                },
            ])
    }
}

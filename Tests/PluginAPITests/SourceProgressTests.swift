// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Testing

/// Tests of data sources that use pages, a cursor or writes.
@Suite("Pages, cursors and writes of a data source", .timeLimit(.minutes(1)))
struct SourceProgressTests {
    private func source(
        _ argument: String = "", _ name: String = "numbers", cursor: [UInt8]? = nil, objects: [ListObject] = []
    ) async throws -> PluginTestSupport.TestSource {
        try await PluginTestSupport.TestSource(
            Numbers.self, name, argument: argument, cursor: cursor, objects: objects)
    }

    @Test("a list is sent in pages → it is unchanged until the last page, then replaced together with the cursor")
    func pages() async throws {
        let source = try await source("7")
        guard case .replacementBegan = await source.next(), case .page(let first) = await source.next() else {
            Issue.record("the source sent no pages")
            return
        }
        #expect(first.map(\.id) == ["0", "1", "2"] && source.objects.isEmpty)
        await source.wait { !$0.objects.isEmpty }
        #expect(source.objects.map(\.id) == (0..<7).map { "\($0)" } && source.pageCount == 3)
        #expect(source.progress == DataSourceProgress(cursor: [7], position: "7", synced: 1))
        await source.stop()
    }

    @Test("an error follows some pages → the list keeps its former objects and has the error")
    func abandoned() async throws {
        let source = try await source("broken")
        await source.wait { $0.failure != nil }
        #expect(source.failure == "the third page is torn" && source.objects.isEmpty && source.pageCount == 2)
        #expect(source.progress.cursor == nil)
        await source.stop()
    }

    @Test("a source is started with a cursor → it sends only later changes")
    func goesOn() async throws {
        let source = try await source("5", cursor: [3], objects: try (0..<3).map { try ListObject(id: "\($0)") })
        await source.wait { $0.objects.count == 5 }
        #expect(source.pageCount == 0 && source.progress.cursor == [5])
        await source.stop()
    }

    @Test("a write succeeds → the list changes before the reply; the source refuses the write or all writes → it fails")
    func writes() async throws {
        let source = try await source("2")
        await source.wait { $0.objects.count == 2 }
        #expect(source.acceptsWrites)
        try await source.write(.changes(removed: ["0"], upserts: [.init(try ListObject(id: "x"))]))
        #expect(source.objects.map(\.id) == ["1", "x"] && source.progress.cursor == [3])
        await #expect(throws: DataSourceWrite.unsupported) { try await source.write(.move(id: "x", position: .first)) }
        let late = await #expect(throws: ListError.self) {
            try await source.write(.patch(id: "x", set: [:], unset: []), isConditional: true)
        }
        #expect(late?.code == .revisionConflict)
        await source.stop()
        let readable = try await self.source("", "fixed")
        #expect(!readable.acceptsWrites)
        let error = await #expect(throws: ListError.self) { try await readable.write(.replace([])) }
        #expect(error?.code == .readOnly)
        await readable.stop()
    }

    @Test("a source sends a cursor or position that is too long → the source fails with the same error as in listd")
    func tooLong() async throws {
        let source = try await source("", "long")
        await source.wait { $0.failure != nil }
        #expect(source.failure?.contains("65537 bytes") == true && source.objects.isEmpty)
        await source.stop()
    }
}

private enum Numbers: Plugin {
    private final class Source: WritableDataSource {
        let context: DataSourceContext
        private var version: UInt8 = 0

        init(_ context: DataSourceContext) { self.context = context }

        private var progress: DataSourceProgress {
            DataSourceProgress(cursor: [version], position: "\(version)", synced: 1)
        }

        func start() throws {
            let isBroken = context.argument == "broken"
            let count = isBroken ? 9 : Int(context.argument) ?? 0
            version = UInt8(count)
            if let start = context.cursor?.first {
                let upserts = try (Int(start)..<count).map { UpdateRequest.Upsert(try ListObject(id: "\($0)")) }
                return context.sink.changes(upserts: upserts, upTo: progress)
            }
            do {
                try context.sink.replaceInPages { send in
                    for start in stride(from: 0, to: count, by: 3) {
                        if isBroken, start == 6 { throw ListError(.pluginFailed, "the third page is torn") }
                        send(try (start..<min(start + 3, count)).map { try ListObject(id: "\($0)") })
                    }
                    return progress
                }
            } catch let error as ListError {
                context.sink.failed(error.message)
            }
        }

        func write(_ write: DataSourceWrite) throws {
            guard case .changes(let removed, let upserts) = write.operation else {
                if write.isConditional {
                    return context.sink.refused(write.id, ListError(.revisionConflict, "somebody was faster"))
                }
                throw DataSourceWrite.unsupported
            }
            version += 1
            context.sink.changes(removed: removed, upserts: upserts, upTo: progress)
            context.sink.wrote(write.id)
        }
    }

    private final class Fixed: DataSource {
        let begin: () -> Void
        init(_ begin: @escaping () -> Void) { self.begin = begin }
        func start() { begin() }
    }

    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "numbers", version: "1",
            dataSources: [
                .source("numbers") { Source($0) },
                .source("fixed") { context in Fixed { context.sink.replace([]) } },
                .source("long") { context in
                    Fixed {
                        let objects = (try? ListObject(id: "a")).map { [$0] } ?? []
                        let cursor = [UInt8](repeating: 0, count: DataSourceProgress.largestCursor + 1)
                        context.sink.replace(objects, upTo: DataSourceProgress(cursor: cursor))
                    }
                },
            ])
    }
}

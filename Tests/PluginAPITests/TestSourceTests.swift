// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ListKit
import PluginAPI
import PluginTestSupport
import Synchronization
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

@Suite("TestSource: a section controller that changes the source's list", .timeLimit(.minutes(1)))
struct TappedTestSourceTests {
    @Test("a sink is called in didSelectItem while the source is busy → it returns, and the event follows the source's")
    func tap() async throws {
        let source = try await PluginTestSupport.TestSource(Tapped.self, "busy")
        let list = try TestList(Tapped.self)
        try list.update([try ListObject(id: "a")])
        // The source is at work until the select has returned.
        #expect(try list.select(of: "a"))
        Tapped.isFree.signal()
        await source.wait { $0.objects.map(\.id) == ["a", "tapped"] }
        #expect(source.failure == nil)
        list.advance(by: .seconds(1))
        await source.wait { $0.failure?.contains("gone") == true }
        #expect(source.objects.map(\.id) == ["a", "tapped"])
        await source.stop()
    }
}

private enum Tapped: Plugin {
    static let isFree = DispatchSemaphore(value: 0)
    private static let sink = Mutex<DataSourceSink?>(nil)

    private final class Source: DataSource {
        private let context: DataSourceContext
        init(_ context: DataSourceContext) {
            self.context = context
            Tapped.sink.withLock { [context] in $0 = context.sink }
        }

        func start() throws {
            Tapped.isFree.wait()
            context.sink.replace([try ListObject(id: "a")])
        }
    }

    private final class Controller: ListSectionController {
        private func send(_ id: String, _ position: UpdateRequest.Position) {
            guard let object = try? ListObject(id: id) else { return }
            Tapped.sink.withLock { $0 }?.changes(upserts: [.init(object, position: position)])
        }

        override func didSelectItem(at index: Int) {
            send("tapped", .last)
            context?.after(.seconds(1)) { [weak self] in self?.send("late", .after("gone")) }
        }
    }

    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "tapped", version: "1", sectionControllers: [.controller("Controller") { Controller() }],
            dataSources: [.source("busy") { Source($0) }])
    }
}

@Suite("TestSource: the restrictions of a worker", .timeLimit(.minutes(1)))
struct ConfinedSourceTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "confined.\(UUID().uuidString)").path

    private func failure(
        of name: String = "writer", writablePaths: [String] = [], hasNetwork: Bool = false
    ) async throws -> String? {
        let source = try await PluginTestSupport.TestSource(
            Writer.self, name, argument: directory, writablePaths: writablePaths, hasNetwork: hasNetwork)
        _ = await source.next()
        await source.stop()
        return source.failure
    }

    @Test("a source makes files, starts a program or opens a network socket → it fails as in a worker")
    func refused() async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(try await failure() == "file, thread, program, socket")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        // The test itself is not restricted.
        #expect(FileManager.default.createFile(atPath: directory + "/own", contents: nil))
    }

    @Test(
        "a source or a thread of its own has work for queues → Dispatch's threads, which run tests too, are not restricted",
        arguments: ["thread", "queues"])
    func queues(source: String) async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // A queue that waits keeps its thread, so that each of the others needs another one.
        #expect(try await failure(of: source) == "40 files")
    }

    @Test("the paths of a source are writable, and it has a network → it makes its files there and opens its socket")
    func allowed() async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(try await failure(writablePaths: [directory], hasNetwork: true) == "program")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["file", "thread"])
    }
}

/// Reports what it could not do.
private enum Writer: Plugin {
    private final class Source: DataSource {
        private let context: DataSourceContext
        init(_ context: DataSourceContext) { self.context = context }

        static func makeFile(_ path: String) -> Bool {
            let file = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
            if file >= 0 { close(file) }
            return file >= 0
        }

        func start() throws {
            var refused: [String] = []
            if !Self.makeFile(context.argument + "/file") { refused.append("file") }
            let (path, done) = (context.argument + "/thread", DispatchSemaphore(value: 0))
            let thread = Thread {
                _ = Self.makeFile(path)
                done.signal()
            }
            thread.start()
            done.wait()
            if !FileManager.default.fileExists(atPath: path) { refused.append("thread") }
            let process = Process()
            process.executableURL = URL(filePath: "/bin/true")
            do { try process.run() } catch { refused.append("program") }
            let network = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            if network < 0 { refused.append("socket") } else { close(network) }
            context.sink.failed(refused.joined(separator: ", "))
        }
    }

    private final class Queues: DataSource {
        private let context: DataSourceContext
        private let hasThread: Bool
        init(_ context: DataSourceContext, hasThread: Bool) { (self.context, self.hasThread) = (context, hasThread) }

        func start() throws {
            let path = context.argument
            if hasThread {
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    Self.makeFiles(in: path)
                    done.signal()
                }
                done.wait()
            } else {
                Self.makeFiles(in: path)
            }
            context.sink.failed("\(try FileManager.default.contentsOfDirectory(atPath: path).count) files")
        }

        private static func makeFiles(in path: String) {
            let (gate, group) = (DispatchSemaphore(value: 0), DispatchGroup())
            for number in 0..<40 {
                DispatchQueue(label: "queue \(number)").async(group: group) {
                    gate.wait()
                    _ = Source.makeFile("\(path)/\(number)")
                }
            }
            for _ in 0..<40 { gate.signal() }
            group.wait()
        }
    }

    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "writer", version: "1",
            dataSources: [
                .source("writer") { Source($0) }, .source("queues") { Queues($0, hasThread: false) },
                .source("thread") { Queues($0, hasThread: true) },
            ])
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

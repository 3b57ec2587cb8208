// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListKit
@_spi(Daemon) import PluginAPI
import Synchronization
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("The plugins of a daemon")
struct PluginRegistryTests {
    private let directory: PluginBuildDirectory
    private let changes = Recorder<PluginRegistry.Change>()
    private let registry: PluginRegistry

    init() throws {
        let directory = try PluginBuildDirectory()
        let changes = changes
        self.directory = directory
        registry = PluginRegistry(
            directories: PluginDirectories([directory.directory]),
            configuration: { _ in
                var configuration = PluginConfiguration(of: "")
                configuration.isolation = .none
                configuration.settings = ["Unit": "°C"]
                return configuration
            },
            log: Log(level: .error, sink: SilentSink()),
            observer: { changes.record($0) })
    }

    @Test("a plugin is requested by name, then by path → loaded once, and all its bus properties have values")
    func load() async throws {
        let path = try directory.build("greenhouse.swift")
        let plugin = try await registry.load("greenhouse")
        #expect(plugin.name == "greenhouse")
        #expect(plugin.version == "2.1")
        #expect(plugin.file == path)
        #expect(plugin.apiVersion == PluginRecord.current.apiVersion)
        #expect(plugin.sectionControllers == ["ReadingController"])
        #expect(plugin.dataSources == ["readings"])
        #expect(plugin.state == .ready)
        #expect(try await registry.load(path) == plugin)
        #expect(await registry.plugins == [plugin])
        #expect(changes.all == [.changed(plugin)])
    }

    @Test("the file of a plugin inside the daemon is replaced → LoadPlugin asks for a restart, and lists continue")
    func replaced() async throws {
        let path = try directory.build("greenhouse.swift")
        let plugin = try await registry.load("greenhouse")
        try FileManager.default.copyItem(atPath: path, toPath: directory.path("new"))
        let result = unsafe rename(directory.path("new"), path)
        try #require(result == 0)
        func expectRefusal() async {
            for name in ["greenhouse", path] {
                let error = await #expect(throws: ListError.self) { try await registry.load(name) }
                #expect(error?.code == .pluginRefused)
                #expect(
                    error?.message.contains(path.shortenedPath) == true && error?.message.contains("restart") == true)
            }
        }
        await expectRefusal()
        try await registry.revive("greenhouse")
        _ = try await registry.sectionControllers(for: ["*": "greenhouse/ReadingController"])
        #expect(await registry.plugins == [plugin])
        // The old library stays in this process, so a second one must not be loaded.
        try await registry.unload("greenhouse", usedBy: [])
        await expectRefusal()
        #expect(await registry.plugins.isEmpty)
    }

    @Test("a plugin inside the daemon is unloaded → it can be loaded again from the same file")
    func loadedAgain() async throws {
        try directory.build("greenhouse.swift")
        let plugin = try await registry.load("greenhouse")
        try await registry.unload("greenhouse", usedBy: [])
        #expect(try await registry.load("greenhouse") == plugin)
    }

    @Test(
        "a plugin's section controller is requested → the plugin is loaded, and makes controllers for the list"
    )
    func controllers() async throws {
        try directory.build("greenhouse.swift")
        let table = try await registry.sectionControllers(for: [
            "reading": "greenhouse/ReadingController", "*": "listd/binding",
        ])
        let provider = table.makeProvider()
        let reading = try #require(provider.sectionControllerKind(forType: "reading"))
        #expect(reading.name == "greenhouse/ReadingController")
        let adapter = ListAdapter(
            configuration: .init(), controllers: provider, objects: [try ListObject(id: "a", type: "reading")])
        let controller = try #require(adapter.sectionController(forID: "a"))
        #expect(String(describing: type(of: controller)) == "ReadingController")
        #expect(provider.sectionControllerKind(forType: "else")?.name == "listd/binding")
        #expect(await registry.plugin(named: "greenhouse") != nil)
    }

    @Test("a plugin with a long name is unloaded → the error quotes 64 characters of it, and no part of an escape")
    func longName() async {
        let registry = PluginRegistry(
            directories: PluginDirectories([directory.directory]), configuration: { PluginConfiguration(of: $0) },
            log: Log(level: .error, sink: SilentSink()))
        let name = String(repeating: "\u{1B}", count: 300)
        let error = await #expect(throws: ListError.self) { try await registry.unload(name, usedBy: []) }
        let quotation = String(repeating: #"\u{1B}"#, count: 64)
        #expect(error?.message == "plugin “\(quotation)…” is not loaded")
    }

    @Test("a worker cannot be started → pluginFailed has the reason, and the plugin is not loaded")
    func noWorker() async throws {
        try directory.build("greenhouse.swift")
        let registry = PluginRegistry(
            directories: PluginDirectories([directory.directory]),
            configuration: { _ in
                var configuration = PluginConfiguration(of: "")
                configuration.isolation = .worker
                return configuration
            },
            log: Log(level: .error, sink: SilentSink()), executable: "/no/such/listd")
        let error = await #expect(throws: ListError.self) { try await registry.load("greenhouse") }
        #expect(error?.code == .pluginFailed)
        #expect(error?.message.contains("/no/such/listd") == true)
        #expect(await registry.plugins.isEmpty)
    }

    @Test("no section controllers are configured → listd/single is used for every type")
    func noControllers() async throws {
        let provider = try await registry.sectionControllers(for: [:]).makeProvider()
        #expect(provider.sectionControllerKind(forType: "")?.name == "listd/single")
    }

    @Test(
        "a section controller is unknown → the error is that of the contract, and no controller is created",
        arguments: [
            ("greenhouse/Nobody", ListError.Code.noSuchSectionController), ("nobody/Controller", .noSuchPlugin),
            ("listd/nobody", .noSuchSectionController), ("nonsense", .noSuchSectionController),
            ("wrong_major/X", .pluginRefused),
        ])
    func unknownControllers(name: String, code: ListError.Code) async throws {
        try directory.build("greenhouse.swift")
        try directory.build("wrong_major.c")
        let error = await #expect(throws: ListError.self) { try await registry.sectionControllers(for: ["*": name]) }
        #expect(error?.code == code)
        #expect(error?.message.contains(name.split(separator: "/")[0]) == true)
    }

    @Test("a plugin's data source is started → the source gets its argument and the plugin's settings")
    func source() async throws {
        try directory.build("greenhouse.swift")
        let (events, continuation) = AsyncStream.makeStream(of: SourceEvent.self)
        let source = try await registry.source("readings", of: "greenhouse", argument: "2") { continuation.yield($0) }
        source.start()
        var iterator = events.makeAsyncIterator()
        guard case .replace(let objects)? = await iterator.next() else {
            Issue.record("the source sent no list")
            return
        }
        #expect(objects.map(\.id) == ["reading 0", "reading 1"])
        #expect(objects.first?.fields["unit"] == "°C")
        await withCheckedContinuation { done in source.stop { done.resume() } }
    }

    @Test(
        "a source's argument is invalid → invalidArguments is thrown, and no source is created",
        arguments: ["", "many", "-1"])
    func badArgument(argument: String) async throws {
        try directory.build("greenhouse.swift")
        let error = await #expect(throws: ListError.self) {
            try await registry.source("readings", of: "greenhouse", argument: argument) { _ in }
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("a known plugin lacks the data source → invalidArguments names the source")
    func unknownSource() async throws {
        try directory.build("greenhouse.swift")
        let error = await #expect(throws: ListError.self) {
            try await registry.source("nothing", of: "greenhouse", argument: "") { _ in }
        }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message.contains("nothing") == true)
    }

    @Test("UnloadPlugin names a plugin in use → the error names its lists; the plugin is unused → it is unloaded")
    func unload() async throws {
        try directory.build("greenhouse.swift")
        try await registry.load("greenhouse")
        let inUse = await #expect(throws: ListError.self) {
            try await registry.unload("greenhouse", usedBy: ["tomatoes", "beans"])
        }
        #expect(inUse?.message.contains("“beans”, “tomatoes”") == true)
        try await registry.unload("greenhouse", usedBy: [])
        #expect(await registry.plugins.isEmpty)
        #expect(changes.all.last == .removed(name: "greenhouse"))
        let unknown = await #expect(throws: ListError.self) { try await registry.unload("greenhouse", usedBy: []) }
        #expect(unknown?.code == .noSuchPlugin)
    }
}

/// A buffer of recorded values.
private final class Recorder<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func record(_ value: Value) { values.withLock { $0.append(value) } }
}

private struct SilentSink: LogSink {
    func write(_ entry: LogEntry) {}
}

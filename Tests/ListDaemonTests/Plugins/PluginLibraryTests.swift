// SPDX-License-Identifier: Apache-2.0

import ListKit
@_spi(Daemon) import PluginAPI
import PluginTestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Loading a plugin's library")
struct PluginLibraryTests {
    private let directory: PluginBuildDirectory

    init() throws {
        directory = try PluginBuildDirectory()
    }

    private func library(_ fixture: String, as name: String? = nil) throws -> PluginLibrary {
        let path = try directory.build(fixture, as: name)
        return try PluginLibrary(PluginFile(path: path, in: [directory.directory]))
    }

    @Test(
        "a library is incompatible → it is refused, and the message has the actual and the expected version",
        arguments: [
            ("wrong_major.c", ["built for plugin API 99.7", "this listd has \(PluginRecord.current.apiMajor)."]),
            (
                "wrong_minor.c",
                ["built for plugin API \(PluginRecord.current.apiMajor).\(PluginRecord.current.apiMinor + 1)"]
            ),
            ("wrong_compiler.c", ["Swift 5.9.1 (15.0.0 of another house)", PluginRecord.current.compiler]),
            ("no_record.c", ["did not return the record of a plugin"]),
            (
                "no_symbol.c",
                [
                    "exports no listd_plugin (is “@c” missing?)",
                    "@c public func listd_plugin(_ call: PluginCall) { exportPlugin(",
                ]
            ),
            ("unresolved.c", ["cannot be loaded", "listd_there_is_no_such_function"]),
        ])
    func unfit(fixture: String, texts: [String]) throws {
        let error = #expect(throws: ListError.self) { try library(fixture) }
        #expect(error?.code == .pluginRefused)
        let description = try #require(error?.description)
        #expect(description.contains(".so"))
        for text in texts { #expect(description.contains(text)) }
    }

    @Test("a plugin built for this API and compiler → its record and its manifest are read")
    func good() throws {
        let library = try library("greenhouse.swift")
        #expect(library.record == .current)
        let manifest = try library.manifest(for: PluginHost())
        #expect(manifest.name == "greenhouse")
        #expect(manifest.version == "2.1")
        #expect(manifest.sectionControllers.map(\.name) == ["ReadingController"])
        #expect(manifest.dataSources.map(\.name) == ["readings"])
    }

    @Test(
        "a plugin's section controller class → casts to this process's ListSectionController succeed"
    )
    func casts() throws {
        let manifest = try library("greenhouse.swift").manifest(for: PluginHost())
        let entry = try #require(manifest.sectionControllers.first)
        var made: (any AnyObject)?
        let kind = ListSectionControllerKind(name: "x") { _, context in
            let controller = entry.make(context)
            made = controller
            return controller
        }
        let provider = OneKind(kind)
        let adapter = ListAdapter(
            configuration: .init(), controllers: provider, objects: [try ListObject(id: "a")])
        let controller: Any = try #require(made)
        #expect(controller is ListSectionController && adapter.sectionController(forID: "a") === made)
        #expect(type(of: controller) != ListSectionController.self)
        let error: any Error =
            #expect(throws: (any Error).self) {
                try library("greenhouse.swift").manifest(for: PluginHost(settings: PluginSettings(["Refuse": "yes"])))
            } ?? ListError(.pluginFailed, "")
        // The plugin's ListError and this process's ListError are the same type, so its code can be read.
        #expect((error as? ListError)?.cause?.contains("no greenhouse here") == true)
    }

    @Test(
        "a manifest is invalid → the library is refused with the reason",
        arguments: [
            (
                ["Name": "hothouse"],
                "the plugin is named “hothouse” in its manifest, but “greenhouse” in the file name"
            ),
            (["Name": ""], "the plugin is named “” in its manifest"),
            (["Sources": "readings readings"], "two data sources are called “readings”"),
            (["Sources": "a/b"], "“a/b” cannot be the name of a data source"),
            (["Refuse": "perhaps"], "Refuse=perhaps: expected yes or no"),
        ])
    func badManifest(settings: [String: String], reason: String) throws {
        let library = try library("greenhouse.swift")
        let error = #expect(throws: ListError.self) {
            try library.manifest(for: PluginHost(settings: PluginSettings(settings)))
        }
        #expect(error?.code == .pluginRefused)
        #expect(error?.description.contains(reason) == true)
    }

    /// A provider of one kind for all types.
    private final class OneKind: ListSectionControllerProvider {
        private let kind: ListSectionControllerKind

        init(_ kind: ListSectionControllerKind) { self.kind = kind }

        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? { kind }
    }

    @Test("a plugin was built for the previous minor version → it is loaded, and its section controller works")
    func previousMinor() throws {
        let path = try directory.buildPreviousMinor()
        let library = try PluginLibrary(PluginFile(path: path, in: [directory.directory]))
        #expect(library.record.apiMinor == PluginRecord.current.apiMinor - 1)
        let manifest = try library.manifest(for: PluginHost(settings: PluginSettings(["Greeting": "Good day"])))
        #expect(manifest.version == "0.9")
        let make = try #require(manifest.sectionControllers.first).make
        let list = try TestList(controller: make)
        try list.update([ListObject(id: "a", fields: ["name": "Ada"]), ListObject(id: "b")])
        #expect(list.items(of: "a").map(\.content) == [["text": "Good day, Ada 0"], ["text": "Good day, Ada 1"]])
        #expect(list.items(of: "b").first?.content["text"] == "Good day, b 0")
        #expect(try list.shown(of: "a").map(\.frame.size.height) == [10, 20])
        #expect(list.faults.isEmpty)
    }
}

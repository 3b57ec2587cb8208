// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport

/// A real listd with the shipped plugins, a list of one plugin, and a view on the list.
@DBusActor
final class PluginStage {
    let stage: Stage
    let adapter: TestAdapter
    let view: TestView
    /// The directory for files that the plugin reads.
    nonisolated let directory = TemporaryDirectory()

    /// Where a plugin's code runs.
    enum Isolation: String, CaseIterable, Sendable {
        case worker, none
    }

    /// Starts listd, creates the list and opens the view.
    ///
    /// - Parameters:
    ///   - isolation: where the plugin's code runs.
    ///   - source: the list's source; `%d` stands for the directory of this stage.
    ///   - controllers: the section controllers by object type.
    ///   - options: further options of the list.
    ///   - settings: further lines of the plugin's section in `listd.conf`.
    ///   - prepare: fills the directory before the list is created.
    init(
        _ isolation: Isolation, source: String, controllers: [String: String], _ options: [String: DBusValue] = [:],
        settings: String = "",
        prepare: (PluginStage.Files) throws -> Void = { _ in }
    ) async throws {
        try prepare(Files(path: directory.path))
        let plugin = (controllers.values.first ?? "").prefix { $0 != "/" }
        stage = try await Stage(
            files: ["listd.conf": "[Plugin \(plugin)]\nIsolation=\(isolation.rawValue)\n\(settings)\n"])
        let table = controllers.sorted { $0.key < $1.key }
            .map { DBusValue.Entry(key: .string($0.key), value: .string($0.value)) }
        let own: [String: DBusValue] = [
            "source": .string(source.replacingOccurrences(of: "%d", with: directory.path)),
            "section-controllers": .dictionary(key: "s", value: "s", table),
        ]
        adapter = try await stage.createAdapter("shown", own.merging(options) { $1 })
        view = try await TestView(adapter)
        try await view.setViewport(y: 0)
        let process = try await stage.object(try ObjectPath("/org/listd/Listd1/plugins/\(plugin)"), "Plugin")
            .property("ProcessID", as: UInt32.self)
        guard (process == UInt32(stage.listd.identifier)) == (isolation == .none) else {
            throw ListdProcess.Failure("\(plugin) with Isolation=\(isolation) runs in process \(process)")
        }
    }

    /// The files of the stage.
    nonisolated var files: Files { Files(path: directory.path) }

    /// Whether `scripts/build` has built the plugin, as `make test` does before the tests.
    nonisolated static func isBuilt(_ name: String) -> Bool {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return FileManager.default.fileExists(atPath: root.appending(path: "build/plugins/\(name).so").path)
    }

    /// Waits until `isWanted` accepts the picture that results from the signals. Acknowledges the pictures until then.
    func wait(until isWanted: @DBusActor (Picture) -> Bool) async throws {
        while !isWanted(view.picture) {
            if case .changed(let sequence) = try await view.events.next(timeout: .seconds(60)) {
                try await view.acknowledge(sequence)
            }
        }
    }

    /// Waits until the shown items, from top to bottom, have these values for a key.
    func wait(for texts: [String], kind: String = "cell", key: String = "title") async throws {
        try await wait { Self.texts(of: $0, kind, key) == texts }
    }

    /// The values for a key in the shown items, from top to bottom.
    func texts(kind: String = "cell", key: String = "title") -> [String] { Self.texts(of: view.picture, kind, key) }

    private static func texts(of picture: Picture, _ kind: String, _ key: String) -> [String] {
        picture.inReadingOrder.filter { $0.kind == kind }.compactMap {
            if case .string(let text) = $0.content[key] { text } else { nil }
        }
    }

    /// Reads a property of the list.
    func property<Value: DBusDecodable>(_ name: String, as type: Value.Type) async throws -> Value {
        try await adapter.by(stage.client).property(name, as: type)
    }

    /// Files in the directory of a stage.
    struct Files: Sendable {
        let path: String

        func path(_ name: String) -> String { "\(path)/\(name)" }

        /// Writes a file under a temporary name and renames it.
        func write(_ text: String, to name: String) throws {
            try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        }

        func makeDirectory(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
        }

        func rename(_ old: String, _ new: String) throws {
            try FileManager.default.moveItem(atPath: path(old), toPath: path(new))
        }
    }
}

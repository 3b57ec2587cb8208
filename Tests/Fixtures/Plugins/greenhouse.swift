// SPDX-License-Identifier: Apache-2.0

// A small valid plugin: a section controller, a data source, and a class that shows whether casts work across
// libraries.
import PluginAPI

final class ReadingController: ListSectionController {
    override init() { super.init() }
}

final class Readings: DataSource {
    private let context: DataSourceContext

    init(_ context: DataSourceContext) throws {
        guard let count = Int(context.argument) else {
            throw ListError(.invalidArguments, "greenhouse/readings needs a number")
        }
        guard count >= 0 else {
            throw PluginSettingError(key: "argument", value: "\(count)", expected: "no less than 0")
        }
        self.context = context
    }

    func start() throws {
        context.sink.replace(
            try (0..<(Int(context.argument) ?? 0)).map {
                try ListObject(
                    id: "reading \($0)", type: "reading", fields: ["unit": .string(context.settings["Unit"] ?? "K")])
            })
    }
}

enum Greenhouse: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        if try host.settings.boolean("Refuse") == true { throw ListError(.pluginFailed, "no greenhouse here") }
        host.logger.info("growing")
        return PluginManifest(
            name: host.settings["Name"] ?? "greenhouse", version: "2.1",
            sectionControllers: [.controller("ReadingController") { ReadingController() }],
            dataSources: (host.settings["Sources"] ?? "readings").split(separator: " ").map { name in
                .source(String(name)) { try Readings($0) }
            })
    }
}

/// The entry point that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(Greenhouse.self, to: call) }

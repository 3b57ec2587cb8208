import PluginAPI

/// The plugin: its section controllers and data sources.
enum TemplatePlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "template", version: "1.0.0",
            sectionControllers: [.controller("ReadingController") { context in ReadingController(context) }],
            dataSources: [.source("readings") { context in try ReadingsSource(context) }])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(TemplatePlugin.self, to: call) }

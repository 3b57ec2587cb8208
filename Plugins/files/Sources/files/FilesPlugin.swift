// SPDX-License-Identifier: Apache-2.0

public import PluginAPI

/// Directories as living lists: the data source `files/directory?PATH` and the section controller `files/EntryController`.
enum FilesPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let types = MimeTypes.installed()
        // Check the settings here, so that a wrong setting makes the plugin fail to load, instead of each of its
        // lists.
        _ = try host.settings.boolean("ShowHidden")
        _ = try DirectoryOptions.maximumCount(in: host.settings)
        return PluginManifest(
            name: "files", version: "1.0.0",
            sectionControllers: [
                .controller("EntryController", traits: { EntryController.traits(types) }) {
                    EntryController(types: types)
                }
            ],
            dataSources: [
                .source("directory", hints: FileEntry.hints) { context in try DirectorySource(context) }
            ])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(FilesPlugin.self, to: call) }

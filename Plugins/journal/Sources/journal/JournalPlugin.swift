// SPDX-License-Identifier: Apache-2.0

public import PluginAPI

/// systemd's journal as a list: the data source `journal/entries` and section controllers by priority.
enum JournalPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "journal", version: "1.0.0",
            sectionControllers: [
                .controller("EntryController") { EntryController(style: .row) },
                .controller("AlertController") { AlertController() },
                .controller("DebugController") { EntryController(style: .compact) },
            ],
            dataSources: [
                .source("entries", hints: JournalEntry.hints) { context in try JournalSource(context) }
            ])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(JournalPlugin.self, to: call) }

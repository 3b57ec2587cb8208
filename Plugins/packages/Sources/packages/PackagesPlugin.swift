// SPDX-License-Identifier: Apache-2.0

public import PluginAPI

/// The installed packages of a Debian system: the data source `packages/installed` and the section controller
/// `packages/LetterController`.
enum PackagesPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let status = host.settings["Status"] ?? "/var/lib/dpkg/status"
        return PluginManifest(
            name: "packages", version: "1.0.0",
            sectionControllers: [.controller("LetterController") { LetterController() }],
            dataSources: [.source("installed") { context in try StatusSource(context, usualPath: status) }])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(PackagesPlugin.self, to: call) }

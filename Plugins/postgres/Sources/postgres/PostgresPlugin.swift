// SPDX-License-Identifier: Apache-2.0

public import PluginAPI

/// Lists whose objects are in a PostgreSQL database and that many machines follow: the data source `postgres/list`.
enum PostgresPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let services = Services(host.logger)
        return PluginManifest(
            name: "postgres", version: "1.0.0",
            dataSources: [
                .source("list") { context in try PostgresSource(context, services: services) }
            ])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(PostgresPlugin.self, to: call) }

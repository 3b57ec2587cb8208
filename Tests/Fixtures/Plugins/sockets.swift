// SPDX-License-Identifier: Apache-2.0

// A data source that reports which kinds of sockets its process can create.
import Glibc
import PluginAPI

final class Sockets: DataSource {
    private let context: DataSourceContext

    init(_ context: DataSourceContext) { self.context = context }

    func start() throws {
        let families = [("unix", AF_UNIX), ("inet", AF_INET), ("inet6", AF_INET6), ("packet", AF_PACKET)]
        context.sink.replace(
            try families.map { name, family in
                let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue), 0)
                let isRefused = descriptor < 0 && errno == EAFNOSUPPORT
                if descriptor >= 0 { close(descriptor) }
                return try ListObject(id: name, fields: ["refused": .boolean(isRefused)])
            })
    }
}

enum SocketsPlugin: Plugin {
    static func manifest(for host: PluginHost) -> PluginManifest {
        PluginManifest(
            name: "sockets", version: "1.0", dataSources: [.source("families") { context in Sockets(context) }])
    }
}

/// The entry point that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(SocketsPlugin.self, to: call) }

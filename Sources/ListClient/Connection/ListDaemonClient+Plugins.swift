// SPDX-License-Identifier: Apache-2.0

public import DBus

extension ListDaemonClient {
    /// The properties of a plugin.
    public struct PluginRow: Sendable {
        /// The name of the plugin.
        public let name: String
        /// The version of the plugin.
        public let version: String
        /// The path of the plugin's library.
        public let file: String
        /// Where the plugin's code runs: `worker` or `none`.
        public let isolation: String
        /// The state of the plugin: `loading`, `ready`, `restarting` or `failed`.
        public let state: String
        /// The plugin's last error; empty if there was none.
        public let lastError: String
        /// The id of the process in which the plugin's code runs; 0 while there is none.
        public let process: UInt32
        /// The number of restarts of the plugin's worker.
        public let restarts: UInt32
    }

    /// Returns the plugins and their states, sorted by name.
    ///
    /// - Throws: the error of the call; `InvalidArgs` when the answer lacks a property.
    public func plugins() async throws(DBusError) -> [PluginRow] {
        let directory = RemoteObject(
            connection, destination: ListdName.bus, path: ListdName.pluginsPath,
            interface: StandardInterface.objectManager)
        typealias Managed = [ObjectPath: [String: [String: DBusValue]]]
        let managed = try await directory.call("GetManagedObjects", returning: Managed.self)
        var rows: [PluginRow] = []
        for properties in managed.values.compactMap({ $0[ListdName.plugin] }) {
            rows.append(try PluginRow(properties))
        }
        return rows.sorted { $0.name < $1.name }
    }
}

extension ListDaemonClient.PluginRow {
    /// Creates a row from the properties of a plugin's object.
    fileprivate init(_ properties: [String: DBusValue]) throws(DBusError) {
        func text(_ name: String) throws(DBusError) -> String {
            guard case .string(let text)? = properties[name] else { throw Self.missing(name) }
            return text
        }
        func number(_ name: String) throws(DBusError) -> UInt32 {
            guard case .uint32(let number)? = properties[name] else { throw Self.missing(name) }
            return number
        }
        name = try text("Name")
        version = try text("Version")
        file = try text("File")
        isolation = try text("Isolation")
        state = try text("State")
        lastError = try text("LastError")
        process = try number("ProcessID")
        restarts = try number("RestartCount")
    }

    private static func missing(_ property: String) -> DBusError {
        .invalidArgs("the object of a plugin lacks the property \(property)")
    }
}

// SPDX-License-Identifier: Apache-2.0

public import DBus

extension ListDaemonClient {
    /// The properties of a plugin's object on the bus.
    public struct PluginRow: Sendable {
        /// Its name.
        public let name: String
        /// Its own version.
        public let version: String
        /// The path of its library.
        public let file: String
        /// Where its code runs: `worker` or `none`.
        public let isolation: String
        /// Its state: `loading`, `ready`, `restarting` or `failed`.
        public let state: String
        /// Its last error; empty if there was none.
        public let lastError: String
        /// The process that its code runs in; 0 while there is none.
        public let process: UInt32
        /// How often its worker was restarted.
        public let restarts: UInt32
    }

    /// The plugins and their states, by name.
    ///
    /// - Throws: the call's error; `invalidArguments` when listd could not have sent the answer.
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
    /// Reads the properties of a plugin.
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
        .invalidArgs("a plugin's object has no \(property)")
    }
}

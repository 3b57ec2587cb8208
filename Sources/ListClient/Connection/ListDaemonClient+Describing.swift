// SPDX-License-Identifier: Apache-2.0

public import DBus

extension ListDaemonClient {
    /// A list, as `ListAdapters` describes it.
    public struct AdapterRow: Sendable {
        /// The name of the list.
        public let name: String
        /// The object path of the list.
        public let path: ObjectPath
        /// What listd tells about the list by name: `state`, `owner`, `source`, `revision` and so on
        /// (org.listd.Listd1(5)).
        public let values: [String: DBusValue]
    }

    /// Returns all lists with those values that the caller may read, sorted by name.
    public func adapters() async throws(DBusError) -> [AdapterRow] {
        typealias Row = DBusStruct<String, ObjectPath, [String: DBusValue]>
        return try await manager.call("ListAdapters", returning: [Row].self).map { row in
            let (name, path, values) = row.members
            return AdapterRow(name: name, path: path, values: values.mapValues(\.unwrapped))
        }
    }

    /// A program that has called listd and is still connected, as `ListClients` describes it.
    public struct ClientRow: Sendable {
        /// The unique name of the client.
        public let name: String
        /// What listd tells about the client by name: `transport`, `user`, `command`, `pid`, `calls` and so on
        /// (org.listd.Listd1(5)).
        public let values: [String: DBusValue]
    }

    /// Returns the clients in the order in which they connected. Only administrators may call this.
    public func clients() async throws(DBusError) -> [ClientRow] {
        try await rows("ListClients").map { ClientRow(name: $0, values: $1) }
    }

    /// A plugin, as `ListPlugins` describes it.
    public struct PluginRow: Sendable {
        /// The name of the plugin.
        public let name: String
        /// What listd tells about the plugin by name: `version`, `file`, `isolation`, `state`, `error`, `restarts`,
        /// and `pid` and `memory` of its worker.
        public let values: [String: DBusValue]
    }

    /// Returns the plugins and their states, sorted by name.
    public func plugins() async throws(DBusError) -> [PluginRow] {
        try await rows("ListPlugins").map { PluginRow(name: $0, values: $1) }
    }

    private func rows(_ method: String) async throws(DBusError) -> [(String, [String: DBusValue])] {
        typealias Row = DBusStruct<String, [String: DBusValue]>
        return try await manager.call(method, returning: [Row].self).map { row in
            (row.members.0, row.members.1.mapValues(\.unwrapped))
        }
    }
}

extension [String: DBusValue] {
    /// Returns a text of a description; nil when there is none.
    public func text(_ key: String) -> String? {
        guard case .string(let text)? = self[key] else { return nil }
        return text
    }

    /// Returns a whole number of a description; nil when there is none.
    public func number(_ key: String) -> UInt64? {
        switch self[key] {
        case .uint64(let number): number
        case .uint32(let number): UInt64(number)
        default: nil
        }
    }
}

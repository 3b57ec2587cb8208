// SPDX-License-Identifier: Apache-2.0

public import DBus

extension ListDaemonClient {
    /// A row of `ListClients`: a program that has called listd and is still connected.
    public struct ClientRow: Sendable {
        /// The unique name of the client.
        public let name: String
        /// The kind of connection: `bus` or `direct`.
        public let transport: String
        /// The Unix user id of the client; 4294967295 if it is unknown.
        public let user: UInt32
        /// The kernel's name of the client's process; empty if it is unknown.
        public let command: String
        /// Further numbers: `pid`, `calls`, `bytes`, `calls-10s`, `bytes-10s`, `views`, `subscriptions`, `last-call`.
        public let numbers: [String: UInt64]
    }

    /// Returns the clients in the order in which they connected. Only administrators may call this.
    public func clients() async throws(DBusError) -> [ClientRow] {
        typealias Row = DBusStruct<String, String, UInt32, String, [String: DBusValue]>
        return try await manager.call("ListClients", returning: [Row].self).map { row in
            let (name, transport, user, command, values) = row.members
            return ClientRow(
                name: name, transport: transport, user: user, command: command,
                numbers: values.compactMapValues { if case .uint64(let number) = $0.unwrapped { number } else { nil } })
        }
    }

    /// A row of `DescribeAdapters`: a list and its properties.
    public struct AdapterDescription: Sendable {
        /// The name of the list.
        public let name: String
        /// The properties of the list: `state`, `owner`, `source`, `revision` and so on (org.listd.Listd1(5)).
        public let values: [String: DBusValue]
    }

    /// Returns all lists with those properties that the caller may read.
    public func adapterDescriptions() async throws(DBusError) -> [AdapterDescription] {
        typealias Row = DBusStruct<String, [String: DBusValue]>
        return try await manager.call("DescribeAdapters", returning: [Row].self).map { row in
            AdapterDescription(name: row.members.0, values: row.members.1.mapValues(\.unwrapped))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import DBus

extension ListDaemonClient {
    /// One row of `ListClients`: a program that has called listd and is still connected.
    public struct ClientRow: Sendable {
        /// Its unique name.
        public let name: String
        /// How it is connected: `bus` or `direct`.
        public let transport: String
        /// Its Unix user; 4294967295 when the bus does not know it.
        public let user: UInt32
        /// The name of its process in the kernel; empty when unknown.
        public let command: String
        /// Numbers by name: `pid`, `calls`, `bytes`, `calls-10s`, `bytes-10s`, `views`, `subscriptions`, `last-call`.
        public let numbers: [String: UInt64]
    }

    /// The clients in the order of their connection; for administrators.
    public func clients() async throws(DBusError) -> [ClientRow] {
        typealias Row = DBusStruct<String, String, UInt32, String, [String: DBusValue]>
        return try await manager.call("ListClients", returning: [Row].self).map { row in
            let (name, transport, user, command, values) = row.members
            return ClientRow(
                name: name, transport: transport, user: user, command: command,
                numbers: values.compactMapValues { if case .uint64(let number) = $0.unwrapped { number } else { nil } })
        }
    }

    /// One row of `DescribeAdapters`.
    public struct AdapterDescription: Sendable {
        /// Its name.
        public let name: String
        /// Its properties: `state`, `owner`, `source`, `revision` and so on (org.listd.Listd1(5)).
        public let values: [String: DBusValue]
    }

    /// All lists, with the properties that the caller may read.
    public func adapterDescriptions() async throws(DBusError) -> [AdapterDescription] {
        typealias Row = DBusStruct<String, [String: DBusValue]>
        return try await manager.call("DescribeAdapters", returning: [Row].self).map { row in
            AdapterDescription(name: row.members.0, values: row.members.1.mapValues(\.unwrapped))
        }
    }
}

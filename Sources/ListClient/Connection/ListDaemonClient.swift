// SPDX-License-Identifier: Apache-2.0

public import DBus

/// A running listd on one connection.
///
/// Valid as long as that connection and that daemon process; when either ends, a `ListClient` provides a new one.
@DBusActor
public final class ListDaemonClient {
    /// The connection to the bus or to the daemon itself.
    public let connection: Connection
    /// The manager object.
    public let manager: RemoteObject

    /// Makes a proxy of the daemon on a connection.
    public init(connection: Connection) {
        self.connection = connection
        manager = RemoteObject(
            connection, destination: ListdName.bus, path: ListdName.managerPath, interface: ListdName.manager)
    }

    /// One row of `ListAdapters`.
    public struct AdapterRow: Sendable {
        /// Its name.
        public let name: String
        /// Its object path.
        public let path: ObjectPath
        /// The source that fills it.
        public let source: String
        /// Its revision.
        public let revision: UInt64
        /// The number of its objects.
        public let objects: UInt32
        /// The number of its items.
        public let items: UInt32
        /// The number of its views.
        public let views: UInt32
    }

    /// All lists.
    public func adapters() async throws(DBusError) -> [AdapterRow] {
        typealias Row = DBusStruct<String, ObjectPath, String, UInt64, UInt32, UInt32, UInt32>
        return try await manager.call("ListAdapters", returning: [Row].self).map { row in
            let (name, path, source, revision, objects, items, views) = row.members
            return AdapterRow(
                name: name, path: path, source: source, revision: revision, objects: objects, items: items,
                views: views)
        }
    }

    /// The daemon's counters.
    public func statistics() async throws(DBusError) -> [String: UInt64] {
        try await manager.call("GetStatistics", returning: [String: UInt64].self)
    }

    /// The daemon's state as text, with the result of the store's check.
    public func dump() async throws(DBusError) -> String {
        try await manager.call("Dump", returning: String.self)
    }

    /// Writes a backup of the store to an open file.
    public func backup(to file: FileDescriptor) async throws(DBusError) {
        try await manager.call("Backup", file, timeout: .seconds(3600))
    }

    /// Makes a list.
    public func createAdapter(_ name: String, options: [String: DBusValue]) async throws(DBusError) -> ObjectPath {
        return try await manager.call("CreateAdapter", name, options, returning: ObjectPath.self)
    }

    /// Removes a list.
    public func removeAdapter(_ name: String) async throws(DBusError) {
        try await manager.call("RemoveAdapter", name)
    }

    /// Renames a list: it continues at another path, and its views and subscriptions end.
    public func renameAdapter(_ name: String, to new: String) async throws(DBusError) {
        try await manager.call("RenameAdapter", name, new)
    }

    /// The list with a name.
    public func adapter(_ name: String) async throws(DBusError) -> RemoteObject {
        let path = try await manager.call("GetAdapter", name, returning: ObjectPath.self)
        return RemoteObject(connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
    }
}

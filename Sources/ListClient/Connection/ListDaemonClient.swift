package import DBus

/// A running listd, reached over one connection.
///
/// Lives as long as that connection and that daemon process; when either goes, a `ListClient` hands out a new one.
@DBusActor
package final class ListDaemonClient {
    /// The connection to the bus or to the daemon itself.
    package let connection: Connection
    /// The manager object.
    package let manager: RemoteObject

    /// Speaks to the daemon behind a connection.
    package init(connection: Connection) {
        self.connection = connection
        manager = RemoteObject(
            connection, destination: ListdName.bus, path: ListdName.managerPath, interface: ListdName.manager)
    }

    /// One row of `ListAdapters`.
    package struct AdapterRow: Sendable {
        package let name: String
        package let path: ObjectPath
        package let source: String
        package let revision: UInt64
        package let objects: UInt32
        package let items: UInt32
        package let views: UInt32
    }

    /// One row of `ListPlugins`.
    package struct PluginRow: Sendable {
        package let name: String
        package let version: String
        package let file: String
        package let isolation: String
        package let state: String
        package let lastError: String
    }

    /// The lists there are.
    package func adapters() async throws(DBusError) -> [AdapterRow] {
        typealias Row = DBusStruct<String, ObjectPath, String, UInt64, UInt32, UInt32, UInt32>
        return try await manager.call("ListAdapters", returning: [Row].self).map { row in
            let (name, path, source, revision, objects, items, views) = row.members
            return AdapterRow(
                name: name, path: path, source: source, revision: revision, objects: objects, items: items,
                views: views)
        }
    }

    /// The plugins and how they are.
    package func plugins() async throws(DBusError) -> [PluginRow] {
        typealias Row = DBusStruct<String, String, String, String, String, String>
        return try await manager.call("ListPlugins", returning: [Row].self).map { row in
            let (name, version, file, isolation, state, lastError) = row.members
            return PluginRow(
                name: name, version: version, file: file, isolation: isolation, state: state, lastError: lastError)
        }
    }

    /// The daemon's counters.
    package func statistics() async throws(DBusError) -> [String: UInt64] {
        try await manager.call("GetStatistics", returning: [String: UInt64].self)
    }

    /// The daemon's state as text, with the result of the store's check.
    package func dump() async throws(DBusError) -> String {
        try await manager.call("Dump", returning: String.self)
    }

    /// Writes a backup of the store to an open file.
    package func backup(to file: FileDescriptor) async throws(DBusError) {
        try await manager.call("Backup", file, timeout: .seconds(3600))
    }

    /// Makes a list.
    package func createAdapter(_ name: String, options: [String: DBusValue]) async throws(DBusError) -> ObjectPath {
        return try await manager.call("CreateAdapter", name, options, returning: ObjectPath.self)
    }

    /// Removes a list.
    package func removeAdapter(_ name: String) async throws(DBusError) {
        try await manager.call("RemoveAdapter", name)
    }

    /// The list of a name.
    package func adapter(_ name: String) async throws(DBusError) -> RemoteObject {
        let path = try await manager.call("GetAdapter", name, returning: ObjectPath.self)
        return RemoteObject(connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
    }
}

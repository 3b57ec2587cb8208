// SPDX-License-Identifier: Apache-2.0

public import DBus

/// A proxy of a running daemon on one connection.
///
/// It is valid as long as this connection and this daemon process exist. When one of them ends, a `ListClient`
/// provides a new proxy.
@DBusActor
public final class ListDaemonClient {
    /// The connection to the bus, or directly to the daemon.
    public let connection: Connection
    /// The manager object of the daemon.
    public let manager: RemoteObject

    /// Creates a proxy of the daemon on a connection.
    public init(connection: Connection) {
        self.connection = connection
        manager = RemoteObject(
            connection, destination: ListdName.bus, path: ListdName.managerPath, interface: ListdName.manager)
    }

    /// Returns the daemon's counters by name.
    public func statistics() async throws(DBusError) -> [String: UInt64] {
        try await manager.call("GetStatistics", returning: [String: UInt64].self)
    }

    /// Returns the daemon's state as text, including the result of the store's check.
    public func dump() async throws(DBusError) -> String {
        try await manager.call("Dump", returning: String.self)
    }

    /// Writes a backup of the store to an open file.
    public func backup(to file: FileDescriptor) async throws(DBusError) {
        try await manager.call("Backup", file, timeout: .seconds(3600))
    }

    /// Replaces the store by a backup. listd verifies it, answers, and restarts; this proxy is not valid after that.
    public func restore(from file: FileDescriptor) async throws(DBusError) {
        try await manager.call("Restore", file, timeout: .seconds(3600))
    }

    /// A loss of stored data.
    public struct Loss: Sendable, Equatable {
        /// When it was found, in microseconds since 1970.
        public let time: UInt64
        /// What was lost and why, as a sentence.
        public let text: String
    }

    /// Returns the losses that nobody has acknowledged, oldest first.
    public func losses() async throws(DBusError) -> [Loss] {
        try await manager.property("Losses", as: [DBusStruct<UInt64, String>].self).map { row in
            Loss(time: row.members.0, text: row.members.1)
        }
    }

    /// Acknowledges all losses, so that they are not shown again.
    public func acknowledgeLosses() async throws(DBusError) { try await manager.call("AcknowledgeLosses") }

    /// Creates a list and returns its object path.
    public func createAdapter(_ name: String, options: [String: DBusValue]) async throws(DBusError) -> ObjectPath {
        return try await manager.call("CreateAdapter", name, options, returning: ObjectPath.self)
    }

    /// Removes a list.
    public func removeAdapter(_ name: String) async throws(DBusError) {
        try await manager.call("RemoveAdapter", name)
    }

    /// Renames a list. The list gets another path, and its views and subscriptions end.
    public func renameAdapter(_ name: String, to new: String) async throws(DBusError) {
        try await manager.call("RenameAdapter", name, new)
    }

    /// Returns a proxy of the list with a name.
    public func adapter(_ name: String) async throws(DBusError) -> RemoteObject {
        let path = try await manager.call("GetAdapter", name, returning: ObjectPath.self)
        return RemoteObject(connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import DBus
internal import ListProtocol

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

    /// A client or a plugin, as listd describes it.
    public struct Description: Sendable {
        /// The unique name of the client, or the name of the plugin.
        public let name: String
        /// What listd tells by name (org.listd.Listd1(5)). Of a client: `transport`, `user`, `command`, `pid`, `calls` and
        /// so on. Of a plugin: `version`, `file`, `isolation`, `state`, `error`, `restarts`, and `pid` and `memory` of its
        /// worker.
        public let values: [String: DBusValue]
    }

    /// Returns the programs that have called listd and are still connected, in the order in which they connected. Only
    /// administrators may call this.
    public func clients() async throws(DBusError) -> [Description] { try await descriptions("ListClients") }

    /// Returns the plugins and their states, sorted by name.
    public func plugins() async throws(DBusError) -> [Description] { try await descriptions("ListPlugins") }

    private func descriptions(_ method: String) async throws(DBusError) -> [Description] {
        typealias Row = DBusStruct<String, [String: DBusValue]>
        return try await manager.call(method, returning: [Row].self).map { row in
            Description(name: row.members.0, values: row.members.1.mapValues(\.unwrapped))
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

/// The names of listd's errors that programs handle specially, for comparison with `DBusError.name`.
public enum ListdErrorName {
    /// No list has the given name.
    public static let noSuchAdapter = ListdName.errorPrefix + "NoSuchAdapter"
    /// The list does not contain the object.
    public static let noSuchObject = ListdName.errorPrefix + "NoSuchObject"
    /// The revision of the list differs from the one that the caller expected.
    public static let revisionConflict = ListdName.errorPrefix + "RevisionConflict"
    /// The requested revision is no longer kept or belongs to another epoch.
    public static let revisionGone = ListdName.errorPrefix + "RevisionGone"
}

/// The bus names, paths and interfaces of listd (contract, "Names").
public enum ListdName {
    /// The well-known bus name of the daemon.
    public static let bus = ObjectNames.service
    /// The path of the manager, which is the ObjectManager of lists and plugins.
    public static let managerPath: ObjectPath = "/org/listd/Listd1"
    /// The path above all lists.
    public static let adaptersPath: ObjectPath = "/org/listd/Listd1/adapters"
    /// The interface of the manager.
    public static let manager = ObjectNames.manager
    /// The interface of a list.
    public static let adapter = ObjectNames.adapter
    /// The interface of a view.
    public static let view = ObjectNames.view
    /// The interface of a plugin.
    public static let plugin = ObjectNames.plugin
    /// The prefix of listd's own error names.
    public static let errorPrefix = ObjectNames.errorPrefix
}

extension ListdName {
    /// Returns the name of the list or plugin at a path.
    ///
    /// - Returns: the unescaped last element; nil when that element is not an escaped name.
    public static func unescaped(_ path: ObjectPath) -> String? { ObjectPath.unescape(path.lastElement) }
}

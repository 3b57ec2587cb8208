// SPDX-License-Identifier: Apache-2.0

public import DBus
internal import ListProtocol

/// The bus names, paths and interfaces of listd (contract, "Names").
public enum ListdName {
    /// The well-known bus name.
    public static let bus = ObjectNames.service
    /// The manager's path.
    public static let managerPath: ObjectPath = "/org/listd/Listd1"
    /// The object manager of the lists.
    public static let adaptersPath: ObjectPath = "/org/listd/Listd1/adapters"
    /// The object manager of the plugins.
    public static let pluginsPath: ObjectPath = "/org/listd/Listd1/plugins"
    /// The manager's interface.
    public static let manager = ObjectNames.manager
    /// A list's interface.
    public static let adapter = ObjectNames.adapter
    /// A view's interface.
    public static let view = ObjectNames.view
    /// A plugin's interface.
    public static let plugin = ObjectNames.plugin
    /// The prefix of every error name of listd.
    public static let errorPrefix = ObjectNames.errorPrefix
}

extension ListdName {
    /// The name of the list or plugin at a path.
    ///
    /// - Returns: nil when the last element is no escaped name.
    public static func unescaped(_ path: ObjectPath) -> String? { ObjectPath.unescape(path.lastElement) }
}

// SPDX-License-Identifier: Apache-2.0

public import DBus
internal import ListProtocol

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

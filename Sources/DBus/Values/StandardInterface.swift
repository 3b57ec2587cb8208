// SPDX-License-Identifier: Apache-2.0

/// The names of the interfaces that the D-Bus specification defines.
public enum StandardInterface {
    /// The interface of the bus driver.
    public static let bus = "org.freedesktop.DBus"
    /// Introspection: the interfaces of an object, described as XML.
    public static let introspectable = "org.freedesktop.DBus.Introspectable"
    /// Enumeration of all objects below an object.
    public static let objectManager = "org.freedesktop.DBus.ObjectManager"
    /// Ping, and the id of the machine.
    public static let peer = "org.freedesktop.DBus.Peer"
    /// Reading, writing and observing properties.
    public static let properties = "org.freedesktop.DBus.Properties"
}

/// The bus name and object path of the bus driver.
enum Bus {
    static let name = "org.freedesktop.DBus"
    static let path: ObjectPath = "/org/freedesktop/DBus"
}

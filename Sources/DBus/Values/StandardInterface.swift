// SPDX-License-Identifier: Apache-2.0

/// The interfaces of the specification.
public enum StandardInterface {
    /// The bus itself.
    public static let bus = "org.freedesktop.DBus"
    /// What an object can do, as XML.
    public static let introspectable = "org.freedesktop.DBus.Introspectable"
    /// All objects below one, at once.
    public static let objectManager = "org.freedesktop.DBus.ObjectManager"
    /// Ping and the machine's identity.
    public static let peer = "org.freedesktop.DBus.Peer"
    /// Reading, writing and following properties.
    public static let properties = "org.freedesktop.DBus.Properties"
}

/// A proxy of the bus itself.
enum Bus {
    static let name = "org.freedesktop.DBus"
    static let path: ObjectPath = "/org/freedesktop/DBus"
}

/// A Swift type whose values can be written into a message.
package protocol DBusEncodable {
    /// Its D-Bus type: exactly one complete type.
    static var signature: Signature { get }
    /// Appends the value, exactly as `signature` says.
    func encode(to writer: inout MessageWriter)
}

/// A Swift type whose values can be read out of a message.
package protocol DBusDecodable {
    /// Its D-Bus type: exactly one complete type.
    static var signature: Signature { get }
    /// Reads a value.
    ///
    /// - Throws: `InvalidArgs` when another type comes next.
    init(from reader: inout MessageReader) throws(DBusError)
}

/// Both ways.
package typealias DBusCodable = DBusEncodable & DBusDecodable

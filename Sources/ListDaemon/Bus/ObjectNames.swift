/// The names under which listd appears on a bus (the contract's chapter "Names").
package enum ObjectNames {
    /// The well-known name that the daemon owns.
    package static let service = "org.listd.Listd1"
    /// The manager's path, above every other object.
    package static let manager = "/org/listd/Listd1"
    /// The parent of all adapters.
    package static let adapters = manager + "/adapters"
    /// The parent of all plugins.
    package static let plugins = manager + "/plugins"
    /// The parent of all views.
    package static let views = manager + "/views"
    /// The prefix of every error name of listd's own.
    package static let errorPrefix = service + ".Error."
    /// The longest name that an adapter or a plugin may have, in bytes.
    package static let longestName = 255

    /// The path of the adapter with a given name.
    package static func adapter(_ name: String) -> String { adapters + "/" + escape(name) }

    /// The path of the plugin with a given name.
    package static func plugin(_ name: String) -> String { plugins + "/" + escape(name) }

    /// The path of a view; numbers are never used twice in a run.
    package static func view(_ number: UInt64) -> String { "\(views)/\(number)" }

    /// Writes any name as one element of an object path.
    ///
    /// A byte outside of `[A-Za-z0-9]`, and a digit in first place, becomes `_xx` (hexadecimal, lower case); the empty
    /// name becomes `_`. Different names give different elements.
    package static func escape(_ name: String) -> String {
        guard !name.isEmpty else { return "_" }
        var element: [UInt8] = []
        element.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            if byte.isASCIILetter || (byte.isASCIIDigit && !element.isEmpty) {
                element.append(byte)
            } else {
                element.append(UInt8(ascii: "_"))
                element.append(hexDigit(byte >> 4))
                element.append(hexDigit(byte & 15))
            }
        }
        return String(decoding: element, as: UTF8.self)
    }

    private static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + (nibble - 10)
    }
}

extension UInt8 {
    fileprivate var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}

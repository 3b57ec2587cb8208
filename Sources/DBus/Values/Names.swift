// SPDX-License-Identifier: Apache-2.0

/// The grammar of names (D-Bus specification, "Valid Names").
///
/// libdbus ends the process for an invalid name, so each is checked here first. Every name that passes here passes
/// libdbus' own check.
public enum Names {
    static let maximumLength = 255

    /// Two or more elements of letters, digits and `_`, none of which begins with a digit, joined by dots.
    public static func isInterface(_ name: String) -> Bool {
        isDotted(name, minimum: 2, hyphens: false, leadingDigits: false)
    }

    /// The same grammar as an interface's.
    public static func isErrorName(_ name: String) -> Bool { isInterface(name) }

    /// One element of letters, digits and `_` that does not begin with a digit.
    public static func isMember(_ name: String) -> Bool {
        isDotted(name, minimum: 1, maximum: 1, hyphens: false, leadingDigits: false)
    }

    /// A unique name (`:1.42`) or a well-known one (`org.listd.Listd1`).
    public static func isBusName(_ name: String) -> Bool { isUniqueName(name) || isWellKnownName(name) }

    /// Two or more elements after the colon, which may begin with digits.
    public static func isUniqueName(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: ":") && name.utf8.count <= maximumLength
            && isDotted(name.dropFirst(), minimum: 2, hyphens: true, leadingDigits: true)
    }

    /// Two or more elements that may contain hyphens.
    public static func isWellKnownName(_ name: String) -> Bool {
        isDotted(name, minimum: 2, hyphens: true, leadingDigits: false)
    }

    /// A namespace as in a match rule's `arg0namespace`: a well-known name, or a single element of one.
    static func isNamespace(_ name: String) -> Bool {
        isDotted(name, minimum: 1, hyphens: true, leadingDigits: false)
    }

    private static func isDotted(
        _ name: some StringProtocol, minimum: Int, maximum: Int = .max, hyphens: Bool, leadingDigits: Bool
    ) -> Bool {
        var elements = 1
        var atStart = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                if atStart { return false }
                elements += 1
                atStart = true
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if atStart && !leadingDigits { return false }
            case UInt8(ascii: "-"):
                if !hyphens { return false }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                break
            default:
                return false
            }
            atStart = false
        }
        return !atStart && elements >= minimum && elements <= maximum && name.utf8.count <= maximumLength
    }
}

// MARK: - Throwing forms

extension Names {
    static func checkInterface(_ name: String) throws(DBusError) {
        guard isInterface(name) else { throw .invalidArgs("\(name.quoted) is not an interface name") }
    }

    static func checkMember(_ name: String) throws(DBusError) {
        guard isMember(name) else { throw .invalidArgs("\(name.quoted) is not a member name") }
    }

    static func checkBusName(_ name: String) throws(DBusError) {
        guard isBusName(name) else { throw .invalidArgs("\(name.quoted) is not a bus name") }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Checks names against the grammar of D-Bus (D-Bus specification, "Valid Names").
///
/// libdbus aborts the process for an invalid name, so each name is checked here first. Every name that passes here
/// also passes libdbus' own check.
public enum Names {
    static let maximumLength = 255

    /// Returns whether `name` is an interface name: two or more elements of letters, digits and `_`, joined by dots.
    /// No element begins with a digit.
    public static func isInterface(_ name: String) -> Bool {
        isDotted(name, elements: 2..., allowsHyphens: false, allowsLeadingDigits: false)
    }

    /// Returns whether `name` is an error name, which has the grammar of an interface name.
    public static func isErrorName(_ name: String) -> Bool { isInterface(name) }

    /// Returns whether `name` is a member name: one element of letters, digits and `_` that does not begin with a
    /// digit.
    public static func isMember(_ name: String) -> Bool {
        isDotted(name, elements: 1...1, allowsHyphens: false, allowsLeadingDigits: false)
    }

    /// Returns whether `name` is a unique name (`:1.42`) or a well-known name (`org.listd.Listd1`).
    public static func isBusName(_ name: String) -> Bool { isUniqueName(name) || isWellKnownName(name) }

    /// Returns whether `name` is a unique name: a colon and two or more elements, which may begin with digits.
    public static func isUniqueName(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: ":") && name.utf8.count <= maximumLength
            && isDotted(name.dropFirst(), elements: 2..., allowsHyphens: true, allowsLeadingDigits: true)
    }

    /// Returns whether `name` is a well-known name: two or more elements, which may contain hyphens.
    public static func isWellKnownName(_ name: String) -> Bool {
        isDotted(name, elements: 2..., allowsHyphens: true, allowsLeadingDigits: false)
    }

    /// Returns whether `name` is a namespace as in a match rule's `arg0namespace`: a well-known name, or a single
    /// element.
    static func isNamespace(_ name: String) -> Bool {
        isDotted(name, elements: 1..., allowsHyphens: true, allowsLeadingDigits: false)
    }

    /// Returns whether `name` consists of elements joined by dots, whose number is in the range `elements`.
    private static func isDotted(
        _ name: some StringProtocol, elements: some RangeExpression<Int>, allowsHyphens: Bool, allowsLeadingDigits: Bool
    ) -> Bool {
        var count = 1
        var atStart = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                if atStart { return false }
                count += 1
                atStart = true
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if atStart && !allowsLeadingDigits { return false }
            case UInt8(ascii: "-"):
                if !allowsHyphens { return false }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                break
            default:
                return false
            }
            atStart = false
        }
        return !atStart && elements.contains(count) && name.utf8.count <= maximumLength
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

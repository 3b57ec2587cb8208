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

/// A valid object path (D-Bus specification, "Valid Object Paths"), such as `/org/listd/Listd1`.
public struct ObjectPath: Hashable, Sendable {
    /// The path as text.
    public let text: String

    /// The root path, `/`.
    public static let root = ObjectPath(unchecked: "/")

    init(unchecked text: String) {
        self.text = text
    }

    /// Creates a path from text.
    ///
    /// - Throws: `InvalidArgs` that quotes the text when it is not a valid path.
    public init(_ text: String) throws(DBusError) {
        guard ObjectPath.isValid(text) else { throw .invalidArgs("\(text.quoted) is not an object path") }
        self.text = text
    }

    /// Returns whether `text` is `/`, or a sequence of elements of letters, digits and `_`, each preceded by a slash.
    public static func isValid(_ text: String) -> Bool {
        if text == "/" { return true }
        var previous: UInt8 = 0
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "/"):
                if previous == byte { return false }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                if index == 0 { return false }
            default:
                return false
            }
            previous = byte
        }
        return previous != 0 && previous != UInt8(ascii: "/")
    }
}

extension ObjectPath: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a path from a string literal; an invalid literal is a programming error and traps.
    public init(stringLiteral text: StaticString) {
        // trap: a static string is part of the program; received paths use the initializer that throws
        precondition(ObjectPath.isValid(text.description), "a literal is not an object path")
        self.text = text.description
    }

    /// The path as text.
    public var description: String { text }
}

// MARK: - Elements

extension ObjectPath {
    /// The elements of the path, beginning at the root; empty for `/`.
    public var elements: [Substring] { text.split(separator: "/") }

    /// The path one level up; nil for `/`.
    public var parent: ObjectPath? {
        guard text.utf8.count > 1, let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == text.startIndex ? .root : ObjectPath(unchecked: String(text[..<slash]))
    }

    /// The last element; empty for `/`.
    public var lastElement: Substring { elements.last ?? "" }

    /// Returns the path of a child. The child's element is `name`, escaped.
    public func appending(_ name: String) -> ObjectPath {
        let element = ObjectPath.escape(name)
        return ObjectPath(unchecked: text == "/" ? "/\(element)" : "\(text)/\(element)")
    }

    /// Returns whether `other` is this path or below it.
    public func contains(_ other: ObjectPath) -> Bool {
        guard text.utf8.count > 1 else { return true }
        let (mine, theirs) = (text.utf8, other.text.utf8)
        guard theirs.count > mine.count else { return text == other.text }
        return theirs.starts(with: mine)
            && theirs[theirs.index(theirs.startIndex, offsetBy: mine.count)] == UInt8(ascii: "/")
    }

    /// Converts any text into one path element, escaped as systemd does. A byte outside of `[A-Za-z0-9]`, and a digit
    /// in first place, becomes `_xx`; the empty text becomes `_`.
    public static func escape(_ name: String) -> String {
        guard !name.isEmpty else { return "_" }
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for (index, byte) in name.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                bytes.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9") where index > 0:
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "_"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text that `escape` converts into this element; nil if there is no such text.
    public static func unescape(_ element: some StringProtocol) -> String? {
        if element == "_" { return "" }
        var bytes: [UInt8] = []
        var rest = Array(element.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "_") else {
                bytes.append(byte)
                continue
            }
            guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        guard let name = String(validating: bytes, as: UTF8.self), escape(name) == element else { return nil }
        return name
    }
}

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

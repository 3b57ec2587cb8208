// SPDX-License-Identifier: Apache-2.0

/// A D-Bus error: a name that programs compare, and a message that people read.
///
/// This module uses the standard names for its own errors too: `Disconnected`, `NoReply` for a call that timed out,
/// `LimitsExceeded` for a message that is too large, `InvalidArgs` for a value whose type differs from the requested
/// one.
public struct DBusError: Error, Equatable, Sendable {
    /// The error's name, such as `org.freedesktop.DBus.Error.InvalidArgs`.
    public let name: String
    /// What went wrong; names the thing at fault.
    public let message: String

    /// Creates an error. A name that is no valid error name is replaced by `org.freedesktop.DBus.Error.Failed`.
    public init(name: String, message: String) {
        self.name = Names.isErrorName(name) ? name : StandardError.failed.rawValue
        self.message = message
    }

    /// Creates an error with a name from the specification.
    public init(_ standard: StandardError, _ message: String) {
        name = standard.rawValue
        self.message = message
    }

    /// The standard error with this name; nil for any other name.
    public var standard: StandardError? { StandardError(rawValue: name) }
}

/// The error names that libdbus, the buses and the specification share.
public enum StandardError: String, Sendable, CaseIterable {
    case accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    case badAddress = "org.freedesktop.DBus.Error.BadAddress"
    case disconnected = "org.freedesktop.DBus.Error.Disconnected"
    case failed = "org.freedesktop.DBus.Error.Failed"
    case fileNotFound = "org.freedesktop.DBus.Error.FileNotFound"
    case inconsistentMessage = "org.freedesktop.DBus.Error.InconsistentMessage"
    case interactiveAuthorizationRequired = "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
    case invalidArgs = "org.freedesktop.DBus.Error.InvalidArgs"
    case invalidSignature = "org.freedesktop.DBus.Error.InvalidSignature"
    case ioError = "org.freedesktop.DBus.Error.IOError"
    case limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    case matchRuleInvalid = "org.freedesktop.DBus.Error.MatchRuleInvalid"
    case matchRuleNotFound = "org.freedesktop.DBus.Error.MatchRuleNotFound"
    case nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    case noMemory = "org.freedesktop.DBus.Error.NoMemory"
    case noReply = "org.freedesktop.DBus.Error.NoReply"
    case noServer = "org.freedesktop.DBus.Error.NoServer"
    case notSupported = "org.freedesktop.DBus.Error.NotSupported"
    case propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
    case serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    case timedOut = "org.freedesktop.DBus.Error.TimedOut"
    case timeout = "org.freedesktop.DBus.Error.Timeout"
    case unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    case unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    case unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    case unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
}

extension DBusError {
    /// Returns an error for an invalid argument; `message` names the argument.
    public static func invalidArgs(_ message: String) -> DBusError { DBusError(.invalidArgs, message) }
    /// Returns an error for a caller that lacks a right.
    public static func accessDenied(_ message: String) -> DBusError { DBusError(.accessDenied, message) }
    /// Returns an error for a limit that was reached.
    public static func limitsExceeded(_ message: String) -> DBusError { DBusError(.limitsExceeded, message) }
    /// Returns an error of a kind that has no name of its own.
    public static func failed(_ message: String) -> DBusError { DBusError(.failed, message) }
    /// Returns an error for a connection that has ended.
    public static func disconnected(_ message: String) -> DBusError { DBusError(.disconnected, message) }
    /// Returns an error for a call that was not answered in time.
    public static func noReply(_ message: String) -> DBusError { DBusError(.noReply, message) }
    /// Returns an error for a path at which there is no object.
    public static func unknownObject(_ path: ObjectPath) -> DBusError {
        DBusError(.unknownObject, "there is no object at \(path.text.quoted)")
    }
}

extension DBusError: CustomStringConvertible {
    /// The error's name and message.
    public var description: String { "\(name): \(message)" }
}

/// An error of another module that can be converted to a D-Bus error.
///
/// Each module declares one conformance, with all its error names in one table. When a handler throws such an error,
/// the converted error is sent.
public protocol DBusErrorConvertible: Error {
    /// The error as callers on the bus receive it.
    var dbusError: DBusError { get }
}

extension DBusError: DBusErrorConvertible {
    /// The error itself.
    public var dbusError: DBusError { self }
}

extension DBusError {
    /// Converts any error. An error that is not `DBusErrorConvertible` becomes `Failed` with its description.
    public init(_ error: any Error) {
        self = (error as? any DBusErrorConvertible)?.dbusError ?? .failed(String(describing: error))
    }
}

/// Quotes input in error messages and limits the length of messages.
///
/// Input is truncated before it is escaped, so that the cost of an error message does not depend on the input's
/// length.
enum ErrorText {
    /// The maximum length of an escaped message in bytes.
    static let longestMessage = 1024
    /// The maximum number of Unicode scalars of its input that a message quotes.
    static let longestQuotation = 64

    /// Returns the beginning of a text in quotation marks; `…` replaces the rest.
    ///
    /// - Complexity: O(1). At most one scalar beyond the quoted ones is read from `text`.
    static func quote(_ text: some Sequence<Unicode.Scalar>) -> String {
        var (result, count) = ("“", 0)
        for scalar in text {
            guard count < longestQuotation else { return result + "…”" }
            result += escaped(scalar)
            count += 1
        }
        return result + "”"
    }

    /// Returns a message that is safe to send: control characters are escaped, and `…` replaces the excess.
    ///
    /// Line breaks are kept: they separate the parts of a long message, and line breaks in quoted input are already
    /// escaped.
    ///
    /// - Complexity: O(1) for a message of any length.
    static func sendable(_ text: String) -> String {
        let isShort = text.utf8.count <= longestMessage
        if isShort, !text.unicodeScalars.contains(where: { $0 != "\n" && $0.mustBeEscaped }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            let part = scalar == "\n" ? "\n" : escaped(scalar)
            guard result.utf8.count + part.utf8.count <= longestMessage - "…".utf8.count else { return result + "…" }
            result += part
        }
        return result
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard scalar.mustBeEscaped else { return String(scalar) }
        return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
}

extension Unicode.Scalar {
    /// Whether the character controls a terminal or is invisible in a line: controls, line separators, and format
    /// characters such as directional marks. Joiners are allowed, as scripts and emoji need them.
    fileprivate var mustBeEscaped: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return self != "\u{200C}" && self != "\u{200D}"
        default: return false
        }
    }
}

extension StringProtocol {
    /// The beginning of the text, quoted and escaped for an error message.
    var quoted: String { ErrorText.quote(unicodeScalars) }
}

// SPDX-License-Identifier: Apache-2.0

/// A D-Bus error: a name for programs and a message for people.
///
/// Errors of this module itself use the standard names too: `Disconnected`, `NoReply` for a call that ran out of time,
/// `LimitsExceeded` for a message that is too large, `InvalidArgs` for values of another type than requested.
public struct DBusError: Error, Equatable, Sendable {
    /// The error's name, such as `org.freedesktop.DBus.Error.InvalidArgs`.
    public let name: String
    /// What went wrong, naming the thing at fault.
    public let message: String

    /// Makes an error; a name that D-Bus would refuse becomes `org.freedesktop.DBus.Error.Failed`.
    public init(name: String, message: String) {
        self.name = Names.isErrorName(name) ? name : StandardError.failed.rawValue
        self.message = message
    }

    /// Makes an error with a name from the specification.
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
    /// An argument that is wrong; the message names it.
    public static func invalidArgs(_ message: String) -> DBusError { DBusError(.invalidArgs, message) }
    /// The caller lacks a right.
    public static func accessDenied(_ message: String) -> DBusError { DBusError(.accessDenied, message) }
    /// A limit that was reached.
    public static func limitsExceeded(_ message: String) -> DBusError { DBusError(.limitsExceeded, message) }
    /// Any error without a name of its own.
    public static func failed(_ message: String) -> DBusError { DBusError(.failed, message) }
    /// The connection has ended.
    public static func disconnected(_ message: String) -> DBusError { DBusError(.disconnected, message) }
    /// No answer in time.
    public static func noReply(_ message: String) -> DBusError { DBusError(.noReply, message) }
    /// No object exists at the path.
    public static func unknownObject(_ path: ObjectPath) -> DBusError {
        DBusError(.unknownObject, "there is no object at \(path.text.quoted)")
    }
}

extension DBusError: CustomStringConvertible {
    /// The text for people.
    public var description: String { "\(name): \(message)" }
}

/// An error of another module that knows its D-Bus form.
///
/// A module has one conformance, with all its error names in one table; an error that a handler throws is sent in that
/// form.
public protocol DBusErrorConvertible: Error {
    /// The form that callers on the bus get.
    var dbusError: DBusError { get }
}

extension DBusError: DBusErrorConvertible {
    /// The error itself.
    public var dbusError: DBusError { self }
}

extension DBusError {
    /// The D-Bus form of any error; one that has none becomes `Failed` with its description.
    public init(_ error: any Error) {
        self = (error as? any DBusErrorConvertible)?.dbusError ?? .failed(String(describing: error))
    }
}

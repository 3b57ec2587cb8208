// SPDX-License-Identifier: Apache-2.0

/// An error as D-Bus knows it: a name to match on and a message for people.
///
/// Errors of this module itself use the standard names too: `Disconnected`, `NoReply` for a call that ran out of time,
/// `LimitsExceeded` for a message that is too large, `InvalidArgs` for values of another type than asked for.
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

    /// Which standard error this is; nil for any other name.
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
    /// What the caller may not do.
    public static func accessDenied(_ message: String) -> DBusError { DBusError(.accessDenied, message) }
    /// A limit that was reached.
    public static func limitsExceeded(_ message: String) -> DBusError { DBusError(.limitsExceeded, message) }
    /// Anything that has no name of its own.
    public static func failed(_ message: String) -> DBusError { DBusError(.failed, message) }
    /// The connection has ended.
    public static func disconnected(_ message: String) -> DBusError { DBusError(.disconnected, message) }
    /// No answer in time.
    public static func noReply(_ message: String) -> DBusError { DBusError(.noReply, message) }
    /// An object path that nothing stands behind.
    public static func unknownObject(_ path: ObjectPath) -> DBusError {
        DBusError(.unknownObject, "there is no object at \(path.text.quoted)")
    }
}

extension DBusError: CustomStringConvertible {
    /// The text as a person reads it.
    public var description: String { "\(name): \(message)" }
}

/// An error of another module that knows its D-Bus form.
///
/// A module has one conformance, where all its error names stand in one table; what a handler throws is sent in that form.
public protocol DBusErrorConvertible: Error {
    /// The form in which callers on the bus get it.
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

// SPDX-License-Identifier: Apache-2.0

/// The daemon's log for a plugin: each message has the plugin's name.
///
/// May be passed to any thread.
public struct PluginLogger: Sendable {
    /// How important a message is; the raw value is syslog's priority.
    @frozen public enum Level: Int32, Sendable, Hashable, CaseIterable {
        /// Something was lost or refused that should not have been.
        case error = 3
        /// Something is wrong, and the plugin goes on without it.
        case warning = 4
        /// Normal, and of interest to an administrator.
        case notice = 5
        /// A normal event.
        case info = 6
        /// Details of an event.
        case debug = 7
    }

    private let write: @Sendable (Level, String) -> Void

    /// A log that goes to a function, which may be called on any thread.
    public init(_ write: @escaping @Sendable (_ level: Level, _ message: String) -> Void) {
        self.write = write
    }

    /// A log that drops every message.
    public static let discarding = PluginLogger { _, _ in }

    /// Writes one message; one sentence that names the thing it is about.
    public func log(_ level: Level, _ message: String) { write(level, message) }

    /// Logs at priority err: something was lost or refused that should not have been.
    public func error(_ message: String) { write(.error, message) }
    /// Logs at priority warning: something is wrong, and the plugin goes on without it.
    public func warning(_ message: String) { write(.warning, message) }
    /// Logs at priority notice: something normal that an administrator wants to know.
    public func notice(_ message: String) { write(.notice, message) }
    /// Logs at priority info: a normal event.
    public func info(_ message: String) { write(.info, message) }
    /// Logs at priority debug: details of an event.
    public func debug(_ message: String) { write(.debug, message) }
}

// SPDX-License-Identifier: Apache-2.0

/// A logger that writes a plugin's messages to the daemon's log, with the plugin's name.
///
/// It may be used on any thread.
public struct PluginLogger: Sendable {
    /// The importance of a message; the raw values are syslog's priorities.
    @frozen public enum Level: Int32, Sendable, Hashable, CaseIterable {
        /// An error, by which something was lost or refused.
        case error = 3
        /// A fault in spite of which the plugin continues.
        case warning = 4
        /// A normal event that an administrator should know.
        case notice = 5
        /// A normal event.
        case info = 6
        /// Details for debugging.
        case debug = 7
    }

    private let write: @Sendable (Level, String) -> Void

    /// Makes a logger that passes messages to a function, which may be called on any thread.
    public init(_ write: @escaping @Sendable (_ level: Level, _ message: String) -> Void) {
        self.write = write
    }

    /// A logger that drops every message.
    public static let discarding = PluginLogger { _, _ in }

    /// Writes one message, which should be one sentence that names the thing concerned.
    public func log(_ level: Level, _ message: String) { write(level, message) }

    /// Writes a message with the level ``Level/error``, for something that was lost or refused.
    public func error(_ message: String) { write(.error, message) }
    /// Writes a message with the level ``Level/warning``, for a fault in spite of which the plugin continues.
    public func warning(_ message: String) { write(.warning, message) }
    /// Writes a message with the level ``Level/notice``, for a normal event that an administrator should know.
    public func notice(_ message: String) { write(.notice, message) }
    /// Writes a message with the level ``Level/info``, for a normal event.
    public func info(_ message: String) { write(.info, message) }
    /// Writes a message with the level ``Level/debug``, for details.
    public func debug(_ message: String) { write(.debug, message) }
}

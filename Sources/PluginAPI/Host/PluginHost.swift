// SPDX-License-Identifier: Apache-2.0

/// The settings and the log of a plugin, which listd passes to the plugin.
public struct PluginHost: Sendable {
    /// The plugin's own keys of the section `[Plugin NAME]` in `listd.conf`.
    public let settings: PluginSettings
    /// The daemon's log; each message gets the plugin's name.
    public let logger: PluginLogger

    /// Makes a host, for the daemon and tests of a plugin.
    public init(settings: PluginSettings = PluginSettings(), logger: PluginLogger = .discarding) {
        self.settings = settings
        self.logger = logger
    }
}

/// The settings of a plugin: the keys and values of its section in `listd.conf`, with typed access.
///
/// ```
/// [Plugin greenhouse]
/// Unit=celsius
/// Refresh=30s
/// ```
///
/// `Isolation`, `CallbackTimeout`, `MemoryMax` and `Network` are settings of the daemon and not included. A value
/// that does not have the requested type throws a ``PluginSettingError`` that names the key. For an absent key, the
/// value is `nil`. Booleans and time spans have the same format as in the daemon's own settings.
public struct PluginSettings: Sendable, Hashable {
    /// The values by key, as text.
    public let values: [String: String]

    /// Makes settings from values.
    public init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// The value of a key as text; `nil` if it is absent.
    public subscript(key: String) -> String? { values[key] }

    /// Returns the value of a key as a boolean: `yes`, `y`, `true`, `t`, `on`, `1`, or `no`, `n`, `false`, `f`,
    /// `off`, `0`, in upper or lower case (systemd.syntax(7)).
    public func boolean(_ key: String) throws(PluginSettingError) -> Bool? {
        guard let text = values[key] else { return nil }
        guard let flag = Bool(configuration: text) else {
            throw PluginSettingError(key: key, value: text, expected: "yes or no")
        }
        return flag
    }

    /// Returns the value of a key as a whole number.
    public func integer(_ key: String) throws(PluginSettingError) -> Int? {
        guard let text = values[key] else { return nil }
        guard let number = Int(text) else {
            throw PluginSettingError(key: key, value: text, expected: "a whole number")
        }
        return number
    }

    /// Returns the value of a key as a number, which is neither infinite nor NaN.
    public func number(_ key: String) throws(PluginSettingError) -> Double? {
        guard let text = values[key] else { return nil }
        guard let number = Double(text), number.isFinite else {
            throw PluginSettingError(key: key, value: text, expected: "a number")
        }
        return number
    }

    /// Returns the value of a key as a time span in systemd's format (systemd.time(7)), such as `500ms`, `1min 30s`
    /// or `1.5h`. A number without a unit is in seconds.
    ///
    /// Negative spans are refused; zero is allowed. `infinity` is 2⁶³ − 1 microseconds, about 292 years, so that a
    /// timer of this length never fires.
    public func duration(_ key: String) throws(PluginSettingError) -> Duration? {
        guard let text = values[key] else { return nil }
        guard let duration = TimeSpan.parse(text) else {
            throw PluginSettingError(key: key, value: text, expected: "a time such as 500ms, 30s or 1min 30s")
        }
        return duration
    }
}

/// The error for a setting of a plugin that does not have the expected type.
public struct PluginSettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of the setting.
    public let key: String
    /// The value in the configuration.
    public let value: String
    /// The expected kind of value.
    public let expected: String

    /// Makes an error that names the setting and the expected value.
    public init(key: String, value: String, expected: String) {
        self.key = key
        self.value = value
        self.expected = expected
    }

    /// The error in one line.
    public var description: String { "\(key)=\(value): expected \(expected)" }
}

/// The parser of time spans in systemd's format (systemd.time(7), "Parsing Time Spans"), for settings of the daemon
/// and of plugins.
@_spi(Daemon) public enum TimeSpan {
    /// Parses a time span such as `5s`, `1min 30s`, `500ms`, `1.5h` or `infinity`.
    ///
    /// - Parameter unit: the unit of a number that is written without a unit.
    /// - Returns: nil for any other text, and for a span that is longer than `infinity`, 292 years.
    public static func parse(_ text: String, unit: Duration = .seconds(1)) -> Duration? {
        var rest = Substring(text).trimmingSpace()
        if rest == "infinity" { return .infinite }
        guard !rest.isEmpty else { return nil }
        var microseconds: Double = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let number = number(digits) else { return nil }
            rest = rest.dropFirst(digits.count).trimmingSpace()
            let name = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(name.count).trimmingSpace()
            guard let length = name.isEmpty ? unit.microseconds : units[String(name)] else { return nil }
            microseconds += number * length
        }
        guard microseconds < Double(Int64.max) else { return nil }
        return .microseconds(Int64(microseconds.rounded()))
    }

    /// Parses digits with at most one decimal point, which must have digits on both sides.
    private static func number(_ digits: Substring) -> Double? {
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        return Double(digits)
    }

    private static let units: [String: Double] = {
        let second = 1e6
        let names: [(Double, [String])] = [
            (1, ["usec", "us", "µs", "μs"]), (1e3, ["msec", "ms"]), (second, ["seconds", "second", "sec", "s"]),
            (60 * second, ["minutes", "minute", "min", "m"]), (3600 * second, ["hours", "hour", "hr", "h"]),
            (86400 * second, ["days", "day", "d"]), (604_800 * second, ["weeks", "week", "w"]),
            (2_629_800 * second, ["months", "month", "M"]), (31_557_600 * second, ["years", "year", "y"]),
        ]
        return Dictionary(names.flatMap { length, names in names.map { ($0, length) } }) { $1 }
    }()
}

extension Duration {
    /// The duration for `infinity`, about 292 years.
    @_spi(Daemon) public static let infinite = Duration.microseconds(Int64.max)

    /// The length in microseconds, rounded.
    fileprivate var microseconds: Double {
        Double(components.seconds) * 1e6 + Double(components.attoseconds) * 1e-12
    }
}

extension Substring {
    /// Removes spaces and tabs at both ends.
    fileprivate func trimmingSpace() -> Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }
}

extension Bool {
    /// Parses a boolean as systemd does (systemd.syntax(7)): `yes`, `true`, `on`, `1`, … in upper or lower case.
    @_spi(Daemon) public init?(configuration text: String) {
        switch text.lowercased() {
        case "1", "yes", "y", "true", "t", "on": self = true
        case "0", "no", "n", "false", "f", "off": self = false
        default: return nil
        }
    }
}

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

/// The meaning of a numeric field, by which viewers format it. The raw values are those of the option `hints`.
public enum FieldHint: String, Sendable, Hashable, CaseIterable {
    /// A number of bytes.
    case bytes
    /// Microseconds since 1970.
    case timeInMicroseconds = "time-us"
    /// Seconds since 1970.
    case timeInSeconds = "time-s"
    /// Permission bits of a file.
    case permissions
    /// The id of a Unix user.
    case userID = "uid"
    /// The id of a Unix group.
    case groupID = "gid"
    /// A percentage.
    case percent
    /// A time span in microseconds.
    case durationInMicroseconds = "duration-us"
}

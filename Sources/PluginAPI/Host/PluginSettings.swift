// SPDX-License-Identifier: Apache-2.0

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

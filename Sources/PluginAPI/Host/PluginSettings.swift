// SPDX-License-Identifier: Apache-2.0

/// The keys and values of a plugin's section in `listd.conf`, as text, with typed access.
///
/// ```
/// [Plugin greenhouse]
/// Unit=celsius
/// Refresh=30s
/// ```
///
/// `Isolation`, `CallbackTimeout`, `MemoryMax` and `Network` are the daemon's and are not among them. A value that does
/// not have the requested type throws a ``PluginSettingError`` that names the key; an absent key is `nil`. Truth values
/// and times are written as in the daemon's own keys.
public struct PluginSettings: Sendable, Hashable {
    /// The values by key, as written.
    public let values: [String: String]

    /// Wraps values.
    public init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// The text of a key.
    public subscript(key: String) -> String? { values[key] }

    /// A yes or no: `yes`, `y`, `true`, `t`, `on`, `1`, or `no`, `n`, `false`, `f`, `off`, `0`, in any case (systemd.syntax(7)).
    public func boolean(_ key: String) throws(PluginSettingError) -> Bool? {
        guard let text = values[key] else { return nil }
        guard let flag = Bool(configuration: text) else {
            throw PluginSettingError(key: key, value: text, expected: "yes or no")
        }
        return flag
    }

    /// A whole number.
    public func integer(_ key: String) throws(PluginSettingError) -> Int? {
        guard let text = values[key] else { return nil }
        guard let number = Int(text) else {
            throw PluginSettingError(key: key, value: text, expected: "a whole number")
        }
        return number
    }

    /// A number; neither infinite nor NaN.
    public func number(_ key: String) throws(PluginSettingError) -> Double? {
        guard let text = values[key] else { return nil }
        guard let number = Double(text), number.isFinite else {
            throw PluginSettingError(key: key, value: text, expected: "a number")
        }
        return number
    }

    /// A span of time, as systemd writes it (systemd.time(7)): `500ms`, `1min 30s`, `1.5h`; a number without a unit counts
    /// seconds.
    ///
    /// Negative spans are refused; zero is allowed. `infinity` is read as 2⁶³ − 1 microseconds, some 292 years: longer
    /// than any machine runs, so a timer of that length never fires.
    public func duration(_ key: String) throws(PluginSettingError) -> Duration? {
        guard let text = values[key] else { return nil }
        guard let duration = TimeSpan.parse(text) else {
            throw PluginSettingError(key: key, value: text, expected: "a time such as 500ms, 30s or 1min 30s")
        }
        return duration
    }
}

/// A setting of a plugin cannot be read.
public struct PluginSettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The wrong key.
    public let key: String
    /// The text in the configuration.
    public let value: String
    /// The expected kind of value.
    public let expected: String

    /// Makes an error that names the setting and the expected value.
    public init(key: String, value: String, expected: String) {
        self.key = key
        self.value = value
        self.expected = expected
    }

    /// One line for the log.
    public var description: String { "\(key)=\(value): expected \(expected)" }
}

/// The keys and values of a plugin's section in `listd.conf`, as text, with typed access.
///
/// ```
/// [Plugin greenhouse]
/// Unit=celsius
/// Refresh=30s
/// ```
///
/// `Isolation`, `CallbackTimeout` and `MemoryMax` are the daemon's and are not among them. A value that cannot be read
/// as what is asked for throws a ``PluginSettingError`` that names the key; an absent key is `nil`.
public struct PluginSettings: Sendable, Hashable {
    /// The values by key, as written.
    public let values: [String: String]

    /// Wraps values.
    public init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// The text of a key.
    public subscript(key: String) -> String? { values[key] }

    /// A yes or no: `yes`, `true`, `on`, `1`, or `no`, `false`, `off`, `0`.
    public func boolean(_ key: String) throws(PluginSettingError) -> Bool? {
        guard let text = values[key] else { return nil }
        switch text.lowercased() {
        case "yes", "true", "on", "1": return true
        case "no", "false", "off", "0": return false
        default: throw PluginSettingError(key: key, value: text, expected: "yes or no")
        }
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

    /// A span of time, as systemd writes it: a whole number with `ms`, `s`, `min`, `h` or `d`; without a unit, seconds.
    public func duration(_ key: String) throws(PluginSettingError) -> Duration? {
        guard let text = values[key] else { return nil }
        guard let duration = Duration(systemd: text) else {
            throw PluginSettingError(key: key, value: text, expected: "a time such as 500ms, 30s or 5min")
        }
        return duration
    }
}

/// A setting of a plugin cannot be read.
public struct PluginSettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key at fault.
    public let key: String
    /// What the configuration says.
    public let value: String
    /// What it should be.
    public let expected: String

    /// Says which setting is wrong and what it should be.
    public init(key: String, value: String, expected: String) {
        self.key = key
        self.value = value
        self.expected = expected
    }

    /// One line for the log.
    public var description: String { "\(key)=\(value): expected \(expected)" }
}

extension Duration {
    /// Reads one number with a unit; `nil` for anything else, negative numbers and more than a thousand years.
    fileprivate init?(systemd text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits) else { return nil }
        let milliseconds: Int64
        switch text.dropFirst(digits.count).drop(while: { $0 == " " }) {
        case "ms": milliseconds = 1
        case "", "s", "sec": milliseconds = 1_000
        case "m", "min": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        case "d": milliseconds = 86_400_000
        default: return nil
        }
        let (product, overflow) = count.multipliedReportingOverflow(by: milliseconds)
        guard !overflow, product <= 86_400_000 * 366_000 else { return nil }
        self = .milliseconds(product)
    }
}

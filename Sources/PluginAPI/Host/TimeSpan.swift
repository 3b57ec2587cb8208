// SPDX-License-Identifier: Apache-2.0

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

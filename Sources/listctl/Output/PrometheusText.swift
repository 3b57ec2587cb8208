// SPDX-License-Identifier: Apache-2.0

/// The counters of listd in the text format 0.0.4 of Prometheus.
struct PrometheusText {
    /// All counters, each with its help and type.
    let text: String

    init(_ counters: [String: UInt64]) {
        var families: [String: [(labels: String, value: String)]] = [:]
        var types: [String: (type: String, help: String)] = [:]
        for (name, value) in counters {
            let sample = Self.sample(name, value)
            families[sample.family, default: []].append((sample.labels, sample.value))
            types[sample.family] = (sample.type, sample.help)
        }
        text = families.sorted { $0.key < $1.key }.map { family, samples in
            let (type, help) = types[family] ?? ("untyped", "")
            return "# HELP \(family) \(help)\n# TYPE \(family) \(type)\n"
                + samples.sorted { $0.labels < $1.labels }.map { "\(family)\($0.labels) \($0.value)\n" }.joined()
        }.joined()
    }

    private struct Sample {
        let family: String
        var labels = ""
        let type: String
        let help: String
        let value: String
    }

    /// The counters that are gauges: their names in `GetStatistics`, and their names for Prometheus. All other counters
    /// count events since the daemon started.
    private static let gauges = [
        "adapters": "lists", "views": "views", "objects": "objects", "items": "items", "bytes": "object_bytes",
        "bulk-bytes": "bulk_bytes", "lent-files": "lent_files", "lent-bytes": "lent_bytes",
        "direct-clients-behind": "direct_clients_behind", "waiting-calls": "waiting_calls",
        "waiting-bytes": "waiting_bytes", "losses": "losses",
    ]

    /// The ends of the names of each plugin's counters. A longer end comes before the ends that are part of it.
    private static let pluginCounters = ["longest-microseconds", "microseconds", "calls", "orders", "reports"]

    private static func sample(_ name: String, _ value: UInt64) -> Sample {
        if let gauge = gauges[name] {
            return Sample(family: "listd_" + gauge, type: "gauge", help: help(name), value: "\(value)")
        }
        if name.hasPrefix("loop-turn-") {
            return Sample(
                family: "listd_\(metricName(of: name))_seconds", type: "gauge", help: help(name), value: seconds(value))
        }
        for end in pluginCounters where name.hasPrefix("plugin-") && name.hasSuffix("-" + end) {
            let plugin = name.dropFirst("plugin-".count).dropLast(end.count + 1)
            guard !plugin.isEmpty else { break }
            return pluginSample(end, of: String(plugin), value)
        }
        return Sample(
            family: "listd_\(metricName(of: name))_total", type: "counter", help: help(name), value: "\(value)")
    }

    private static func pluginSample(_ end: String, of plugin: String, _ value: UInt64) -> Sample {
        let labels = "{plugin=\"\(plugin)\"}"
        switch end {
        case "microseconds":
            return Sample(
                family: "listd_plugin_seconds_total", labels: labels, type: "counter",
                help: "Time that the calls of section controllers took.", value: seconds(value))
        case "longest-microseconds":
            return Sample(
                family: "listd_plugin_longest_call_seconds", labels: labels, type: "gauge",
                help: "How long the longest call of a section controller took.", value: seconds(value))
        default:
            return Sample(
                family: "listd_plugin_\(end)_total", labels: labels, type: "counter",
                help: "The counter plugin-NAME-\(end) of org.listd.Listd1(5).", value: "\(value)")
        }
    }

    private static func help(_ name: String) -> String { "The counter \(name) of org.listd.Listd1(5)." }

    private static func metricName(of name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static func seconds(_ microseconds: UInt64) -> String { "\(Double(microseconds) / 1e6)" }
}

// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
@_spi(Daemon) internal import PluginAPI

/// The section `[Plugin NAME]` of `listd.conf`.
package struct PluginConfiguration: Sendable, Hashable {
    /// Where the plugin's code runs.
    package var isolation = PluginIsolation.worker
    /// The maximum duration of a callback, after which the worker counts as hanging.
    package var callbackTimeout = Duration.seconds(5)
    /// The memory limit of the worker in bytes.
    package var memoryMax: Int
    /// Whether the worker may use the network in addition to local sockets.
    package var hasNetwork = false
    /// The files and directories that the worker may change.
    package var writablePaths: [WritablePath] = []
    /// The plugin's own keys, with their values as written.
    package var settings: [String: String] = [:]

    /// The default memory limits of shipped plugins that need more than others. The plugin `files` keeps state for
    /// each of up to 1,000,000 entries by default.
    private static let greatMemory = ["files": 4 << 30]

    /// The time limit of a callback that has none: years.
    private static let unlimitedTime = Duration.seconds(10 * 365 * 86400)

    /// Creates the configuration of a plugin without a section.
    package init(of plugin: String) { memoryMax = Self.greatMemory[plugin] ?? 512 << 20 }

    /// Parses the keys of a plugin's section: those of the daemon, and all others for the plugin itself.
    ///
    /// - Throws: `invalidArguments` that names the key, for a key of the daemon with an invalid value.
    package init(_ values: [String: String], of plugin: String) throws(ListError) {
        self.init(of: plugin)
        for (key, text) in values {
            switch key {
            case "Isolation":
                isolation = try Self.parse(text, of: key, expected: "worker or none", PluginIsolation.init)
            case "CallbackTimeout":
                let span = try Self.parse(text, of: key, expected: "a time such as 5s, or 0 for no limit") {
                    TimeSpan.parse($0)
                }
                callbackTimeout = span == .zero ? Self.unlimitedTime : span
            case "MemoryMax":
                memoryMax = Amount.limit(
                    try Self.parse(text, of: key, expected: "a size such as 512M, or 0 for no limit", Amount.bytes))
            case "Network":
                hasNetwork = try Self.parse(text, of: key, expected: "yes or no", Bool.init(configuration:))
            case "WritablePaths":
                writablePaths = try Self.parse(
                    text, of: key, expected: "absolute paths separated by spaces, each optionally after a “-”",
                    WritablePath.list)
            default:
                settings[key] = text
            }
        }
    }

    private static func parse<Value>(
        _ text: String, of key: String, expected: String, _ parse: (String) -> Value?
    ) throws(ListError) -> Value {
        guard let value = parse(text) else {
            throw ListError(.invalidArguments, "\(key)=\(text.quoted): expected \(expected)")
        }
        return value
    }
}

/// Where the code of a plugin runs. The raw value is the contract's word.
package enum PluginIsolation: String, Sendable, Hashable, CaseIterable {
    /// In a separate process, so that a crash affects nothing else.
    case worker
    /// Inside of the daemon, because the administrator trusts the plugin.
    case none
}

/// A path of `WritablePaths`, as in systemd's `ReadWritePaths`.
package struct WritablePath: Sendable, Hashable {
    /// An absolute path.
    package let path: String
    /// Whether the path may be missing, because it was written after a `-`.
    package let isOptional: Bool

    /// Parses paths that are separated by spaces; nil if one of them is not absolute.
    static func list(_ text: String) -> [WritablePath]? {
        var paths: [WritablePath] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let path = word.hasPrefix("-") ? word.dropFirst() : word
            guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return nil }
            paths.append(WritablePath(path: String(path), isOptional: word.hasPrefix("-")))
        }
        return paths
    }
}

// SPDX-License-Identifier: Apache-2.0

package import ListKit
@_spi(Daemon) internal import PluginAPI

/// The section `[Plugin NAME]` of `listd.conf`.
package struct PluginConfiguration: Sendable, Hashable {
    /// Where the plugin's code runs.
    package var isolation = PluginIsolation.worker
    /// How long one callback may take before the worker counts as hanging.
    package var callbackTimeout = Duration.seconds(5)
    /// How much memory, in bytes, the worker may have.
    package var memoryMax: Int
    /// Whether the worker may use the network, and not only local sockets.
    package var hasNetwork = false
    /// The plugin's own keys, as written.
    package var settings: [String: String] = [:]

    /// Shipped plugins with a higher default: files keeps state about each entry, by default of 1,000,000.
    private static let greatMemory = ["files": 4 << 30]

    /// The defaults for a plugin without a section.
    package init(of plugin: String) { memoryMax = Self.greatMemory[plugin] ?? 512 << 20 }

    /// Reads the keys of a plugin's section: the daemon's own, and all others for the plugin.
    ///
    /// - Throws: `invalidArguments` that names the key, for one of the daemon's own with a bad value.
    package init(_ values: [String: String], of plugin: String) throws(ListError) {
        self.init(of: plugin)
        for (key, text) in values {
            switch key {
            case "Isolation":
                isolation = try Self.read(key, text, "worker or none", PluginIsolation.init)
            case "CallbackTimeout":
                callbackTimeout = try Self.read(key, text, "a time such as 5s") { TimeSpan.parse($0) }
            case "MemoryMax":
                memoryMax = try Self.read(key, text, "a size such as 512M", Amount.bytes)
            case "Network":
                hasNetwork = try Self.read(key, text, "yes or no", Bool.init(configuration:))
            default:
                settings[key] = text
            }
        }
    }

    private static func read<Value>(
        _ key: String, _ text: String, _ expected: String, _ parse: (String) -> Value?
    ) throws(ListError) -> Value {
        guard let value = parse(text) else {
            throw ListError(.invalidArguments, "\(key)=\(text): expected \(expected)")
        }
        return value
    }
}

/// Where a plugin's code runs; the raw value is the contract's word.
package enum PluginIsolation: String, Sendable, Hashable, CaseIterable {
    /// In a process of its own, so that its crash affects nothing else.
    case worker
    /// Inside the daemon: the admin trusts it.
    case none
}

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

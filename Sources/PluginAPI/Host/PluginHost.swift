// SPDX-License-Identifier: Apache-2.0

/// What listd gives a plugin: its settings and its log.
public struct PluginHost: Sendable {
    /// The plugin's own keys of the section `[Plugin NAME]` in `listd.conf`.
    public let settings: PluginSettings
    /// Writes into the daemon's log with the plugin's name.
    public let logger: PluginLogger

    /// Makes a host, for the daemon and tests of a plugin.
    public init(settings: PluginSettings = PluginSettings(), logger: PluginLogger = .discarding) {
        self.settings = settings
        self.logger = logger
    }
}

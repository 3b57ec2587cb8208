// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
package import PluginAPI

/// The state of a plugin; the raw values are those of the property `State` on the bus.
package enum PluginState: String, Sendable, Hashable, CaseIterable {
    /// Its library is being loaded.
    case loading
    /// The plugin is loaded.
    case ready
    /// Its worker died and is being restarted.
    case restarting
    /// Its worker died too often, or the plugin refused to start; `LoadPlugin` tries again.
    case failed
}

/// The properties of a plugin that was loaded, or is being loaded (the interface `org.listd.Listd1.Plugin`).
package struct LoadedPlugin: Sendable, Hashable {
    /// The plugin's name.
    package let name: String
    /// The plugin's own version, for people.
    package var version: String
    /// The canonical path of its library.
    package var file: String
    /// The version of the plugin API that the plugin was built for: major × 65536 + minor.
    package var apiVersion: UInt32
    /// The names of its section controllers, without the prefix `PLUGIN/`.
    package var sectionControllers: [String]
    /// The names of its data sources, without the prefix `PLUGIN/`.
    package var dataSources: [String]
    /// The hints for fields, by the name of the data source and of the field.
    package var hints: [String: [String: FieldHint]] = [:]
    /// Whether its code runs in a worker or in this process.
    package var isolation: PluginIsolation
    /// The state of the plugin.
    package var state: PluginState
    /// The last error; empty if there was none.
    package private(set) var lastError = ""
    /// The id of the process in which its code runs; 0 = none.
    package var processID: UInt32
    /// How often its worker was restarted.
    package var restartCount: UInt32 = 0

    /// Sets the last error; empty = none.
    mutating func setLastError(_ reason: String) { lastError = reason }
}

// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
package import PluginAPI

/// The state of a plugin; the raw value is the contract's word.
package enum PluginState: String, Sendable, Hashable, CaseIterable {
    /// Its library is being loaded.
    case loading
    /// It works.
    case ready
    /// Its worker ended and is being started again.
    case restarting
    /// Its worker ended too often; `LoadPlugin` tries again.
    case failed
}

/// What there is to know about a plugin that was asked for (the interface `org.listd.Listd1.Plugin`).
package struct LoadedPlugin: Sendable, Hashable {
    /// The plugin's name.
    package let name: String
    /// Its own version, for people.
    package var version: String
    /// The canonical path of its library.
    package var file: String
    /// The API it was built for: major × 65536 + minor.
    package var apiVersion: UInt32
    /// The names of its section controllers, without the plugin's.
    package var sectionControllers: [String]
    /// The names of its data sources, without the plugin's.
    package var dataSources: [String]
    /// The hints of its data sources, by their names.
    package var hints: [String: [String: FieldHint]] = [:]
    /// Where its code runs.
    package var isolation: PluginIsolation
    /// How it is.
    package var state: PluginState
    /// What went wrong last; empty if nothing did.
    package private(set) var lastError = ""
    /// The process that its code runs in.
    package var processID: UInt32
    /// How often its worker was started again.
    package var restartCount: UInt32 = 0

    /// Records what went wrong last; empty = nothing.
    mutating func setLastError(_ reason: String) { lastError = reason }
}

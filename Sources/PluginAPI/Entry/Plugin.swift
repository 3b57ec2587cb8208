// SPDX-License-Identifier: Apache-2.0

/// The main type of a plugin, which lists the plugin's section controllers and data sources.
///
/// ```swift
/// public import PluginAPI
///
/// enum Greenhouse: Plugin {
///     static func manifest(for host: PluginHost) -> PluginManifest {
///         PluginManifest(
///             name: "greenhouse", version: "1.0.0",
///             sectionControllers: [.controller("ReadingController") { ReadingController() }])
///     }
/// }
///
/// @c public func listd_plugin(_ call: PluginCall) { exportPlugin(Greenhouse.self, to: call) }
/// ```
///
/// The library is called `lib<name>.so`, with the name of the manifest.
public protocol Plugin {
    /// Returns the section controllers and data sources of the plugin. Called once, after the library was loaded and
    /// its versions were checked.
    ///
    /// - Parameter host: The plugin's settings and its log; keep it, or pass it on to objects that need it.
    /// - Throws: Any error that makes the plugin unusable, such as a wrong setting. The plugin is then refused with the
    ///   error's text.
    static func manifest(for host: PluginHost) throws -> PluginManifest
}

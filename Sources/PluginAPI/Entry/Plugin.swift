// SPDX-License-Identifier: Apache-2.0

@_exported public import ListKit

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

/// The name, version, section controllers and data sources of a plugin.
public struct PluginManifest: Sendable {
    /// The plugin's name, as in `NAME/CONTROLLER` and in the name of the library, `libNAME.so`.
    ///
    /// It consists of letters, digits, `-` and `_`, and has at most 64 characters.
    public let name: String
    /// The plugin's own version, for people.
    public let version: String
    /// The section controllers that lists may name as `NAME/CONTROLLER`.
    public let sectionControllers: [SectionControllerEntry]
    /// The data sources that lists may name as `NAME/SOURCE?argument`.
    public let dataSources: [DataSourceEntry]

    /// Makes a manifest.
    public init(
        name: String, version: String, sectionControllers: [SectionControllerEntry] = [],
        dataSources: [DataSourceEntry] = []
    ) {
        self.name = name
        self.version = version
        self.sectionControllers = sectionControllers
        self.dataSources = dataSources
    }
}

/// A section controller of a plugin: its name, and a function that makes it for a section.
public struct SectionControllerEntry: Sendable {
    /// The name inside the plugin.
    public let name: String
    /// Makes a controller for the section of a context. Called on the executor of the list, once for each section that
    /// needs a controller.
    public let make: @Sendable (ListCollectionContext) -> ListSectionController
    /// Returns the traits, which describe sections without a controller; `nil` = every section gets a controller.
    public let traits: (@Sendable () -> ListSectionTraits)?

    /// Makes an entry for a section controller. Each controller gets its object with `didUpdate(to:)`.
    ///
    /// A controller with `traits` must not keep state between two calls. Such a controller exists only while its
    /// section is displayed, is in a working range or handles an event, so that a long list needs few controllers.
    public static func controller(
        _ name: String, traits: (@Sendable () -> ListSectionTraits)? = nil,
        _ make: @escaping @Sendable () -> ListSectionController
    ) -> SectionControllerEntry {
        SectionControllerEntry(name: name, make: { _ in make() }, traits: traits)
    }

    /// Makes an entry for a section controller whose initialiser needs the list: the size of the view, or the object
    /// and its state. For controllers with `traits`, see the entry without a context.
    public static func controller(
        _ name: String, traits: (@Sendable () -> ListSectionTraits)? = nil,
        _ make: @escaping @Sendable (ListCollectionContext) -> ListSectionController
    ) -> SectionControllerEntry {
        SectionControllerEntry(name: name, make: make, traits: traits)
    }
}

extension SectionControllerEntry {
    /// Returns the kind of section controller for a list, with its full name `PLUGIN/CONTROLLER`.
    public func kind(named name: String) -> ListSectionControllerKind {
        ListSectionControllerKind(name: name, traits: traits?()) { _, context in make(context) }
    }
}

// SPDX-License-Identifier: Apache-2.0

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

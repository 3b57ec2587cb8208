// SPDX-License-Identifier: Apache-2.0

/// The names of what a plugin provides.
public struct PluginManifest: Sendable {
    /// The plugin's name, as in `NAME/CONTROLLER` and in the name of the library, `libNAME.so`.
    ///
    /// Letters, digits, `-` and `_`, at most 64 of them.
    public let name: String
    /// The plugin's own version, for people.
    public let version: String
    /// The section controllers that lists may name as `NAME/CONTROLLER`.
    public let sectionControllers: [SectionControllerEntry]
    /// The data sources that lists may name as `NAME/SOURCE?argument`.
    public let dataSources: [DataSourceEntry]

    /// Lists what a plugin provides.
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

/// A section controller of a plugin: its name and how to make one for a section.
public struct SectionControllerEntry: Sendable {
    /// The name inside the plugin.
    public let name: String
    /// Makes a controller; called on the executor of the list, once for each section that needs one.
    public let make: @Sendable () -> ListSectionController
    /// The properties of a section that are known without a controller; `nil` = every section has a controller of its
    /// own.
    public let traits: (@Sendable () -> ListSectionTraits)?

    /// A section controller by name; `didUpdate(to:)` gives it its object.
    ///
    /// A controller with `traits` must keep no state between two calls: it is made when a section is displayed, in
    /// range or asked, so that a long list needs few of them.
    public static func controller(
        _ name: String, traits: (@Sendable () -> ListSectionTraits)? = nil,
        _ make: @escaping @Sendable () -> ListSectionController
    ) -> SectionControllerEntry {
        SectionControllerEntry(name: name, make: make, traits: traits)
    }
}

extension SectionControllerEntry {
    /// The kind of section controller for a list, by its full name.
    public func kind(named name: String) -> ListSectionControllerKind {
        ListSectionControllerKind(name: name, traits: traits?()) { _ in make() }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListProtocol
internal import ListSupport
internal import ListWorkers

/// A plugin's object on the bus, with the registry's latest report.
@DBusActor
final class PluginObject {
    /// The latest report about the plugin.
    private(set) var plugin: LoadedPlugin
    /// The path of the object.
    let path: ObjectPath

    init(_ plugin: LoadedPlugin) {
        self.plugin = plugin
        path = ObjectPath.plugins.appending(plugin.name)
    }

    /// Records a new report; returns the names of the properties that have changed.
    func update(_ new: LoadedPlugin) -> [String] {
        let old = plugin
        plugin = new
        return Self.changing.compactMap { name, differs in differs(old, new) ? name : nil }
    }

    private static let changing: [(String, @Sendable (LoadedPlugin, LoadedPlugin) -> Bool)] = [
        ("Version", { $0.version != $1.version }), ("File", { $0.file != $1.file }),
        ("APIVersion", { $0.apiVersion != $1.apiVersion }),
        ("SectionControllers", { $0.sectionControllers != $1.sectionControllers }),
        ("DataSources", { $0.dataSources != $1.dataSources }), ("State", { $0.state != $1.state }),
        ("LastError", { $0.lastError != $1.lastError }), ("ProcessID", { $0.processID != $1.processID }),
        ("RestartCount", { $0.restartCount != $1.restartCount }),
    ]

    static let interface = Interface<PluginObject>(
        ObjectNames.plugin, typeNames: qtTypeNames,
        [
            .property("Name", as: String.self, changes: .constant) { object, _ in object.plugin.name },
            .property("Version", as: String.self, changes: .emits) { object, _ in object.plugin.version },
            .property("File", as: String.self, changes: .emits) { object, _ in object.plugin.file },
            .property("APIVersion", as: UInt32.self, changes: .emits) { object, _ in object.plugin.apiVersion },
            .property("SectionControllers", as: [String].self, changes: .emits) { object, _ in
                object.plugin.sectionControllers
            },
            .property("DataSources", as: [String].self, changes: .emits) { object, _ in object.plugin.dataSources },
            .property("Isolation", as: String.self, changes: .constant) { object, _ in
                object.plugin.isolation.rawValue
            },
            .property("State", as: String.self, changes: .emits) { object, _ in object.plugin.state.rawValue },
            .property("LastError", as: String.self, changes: .emits) { object, _ in object.plugin.lastError },
            .property("ProcessID", as: UInt32.self, changes: .emits) { object, _ in object.plugin.processID },
            .property("RestartCount", as: UInt32.self, changes: .emits) { object, _ in object.plugin.restartCount },
        ])
}

/// The plugins by name: their registry, and their objects on the bus.
@DBusActor
final class PluginDirectory {
    /// The registry, which loads plugins.
    let registry: PluginRegistry
    private let tree: ObjectTree
    private let changed: @DBusActor () -> Void
    private var objects: [String: PluginObject] = [:]

    /// Makes the directory, which exports an object for each plugin of a registry.
    ///
    /// - Parameters:
    ///   - registry: makes the registry, which reports changes to the given observer.
    ///   - changed: called after a plugin was added, removed or changed.
    init(
        tree: ObjectTree, registry: (@escaping @Sendable (PluginRegistry.Change) -> Void) -> PluginRegistry,
        changed: @escaping @DBusActor () -> Void
    ) {
        let relay = PluginRelay()
        self.registry = registry { change in EventLoop.shared.post { relay.target?.apply(change) } }
        (self.tree, self.changed) = (tree, changed)
        relay.target = self
    }

    /// The latest reports about all plugins, sorted by name.
    var all: [LoadedPlugin] { objects.values.map(\.plugin).sorted { $0.name < $1.name } }

    /// Returns the path of a plugin's object.
    func path(of name: String) -> ObjectPath { ObjectPath.plugins.appending(name) }

    /// Updates the plugins' objects by a report of the registry.
    fileprivate func apply(_ change: PluginRegistry.Change) {
        switch change {
        case .changed(let plugin): addOrUpdateObject(of: plugin)
        case .removed(let name):
            if let object = objects.removeValue(forKey: name) { tree.remove(at: object.path) }
        }
        changed()
    }

    private func addOrUpdateObject(of plugin: LoadedPlugin) {
        if let object = objects[plugin.name] {
            let changed = object.update(plugin)
            try? tree.propertiesChanged(changed, of: PluginObject.interface, at: object.path)
        } else {
            let object = PluginObject(plugin)
            objects[plugin.name] = object
            tree.add(ExportedObject(PluginObject.interface, of: object), at: object.path)
        }
    }
}

/// The link from the registry to the directory that owns it. The target is set as soon as both exist.
@DBusActor
private final class PluginRelay {
    fileprivate weak var target: PluginDirectory?
}

internal import Glibc
package import ListKit
@_spi(Daemon) internal import PluginAPI

/// The plugins that this daemon has been asked for: loads them, and knows what they bring.
///
/// A plugin is loaded when a list names it or `LoadPlugin` does. What can be known of it is a value, ``LoadedPlugin``; each
/// change of one is told to the observer, in order.
package actor PluginRegistry {
    /// Something that the bus objects of plugins follow.
    package enum Change: Sendable, Equatable {
        /// A plugin is there, or is no longer what it was.
        case changed(LoadedPlugin)
        /// A plugin is no longer there.
        case removed(name: String)
    }

    /// A plugin inside this process.
    private struct Resident {
        var plugin: LoadedPlugin
        var manifest: PluginManifest
        var host: PluginHost
    }

    private let directories: PluginDirectories
    private let configuration: @Sendable (_ name: String) -> PluginConfiguration
    private let log: Log
    private let observer: @Sendable (Change) -> Void
    private var residents: [String: Resident] = [:]

    /// Makes a registry without plugins.
    ///
    /// - Parameters:
    ///   - directories: where plugins are looked for.
    ///   - configuration: what `listd.conf` says about a plugin now.
    ///   - log: where plugins speak.
    ///   - observer: is told of every change.
    package init(
        directories: PluginDirectories, configuration: @escaping @Sendable (_ name: String) -> PluginConfiguration,
        log: Log, observer: @escaping @Sendable (Change) -> Void = { _ in }
    ) {
        self.directories = directories
        self.configuration = configuration
        self.log = log
        self.observer = observer
    }

    /// What there is to know about all plugins, by name.
    package var plugins: [LoadedPlugin] { residents.values.map(\.plugin).sorted { $0.name < $1.name } }

    /// What there is to know about one; `nil` if nobody asked for it.
    package func plugin(named name: String) -> LoadedPlugin? { residents[name]?.plugin }

    /// Loads a plugin by its name, or by a path within the plugin directories; one that is loaded already stays.
    ///
    /// - Throws: `noSuchPlugin`, `pluginRefused`.
    @discardableResult
    package func load(_ nameOrPath: String) throws(ListError) -> LoadedPlugin {
        if let resident = residents[nameOrPath] { return resident.plugin }
        let file = try directories.find(nameOrPath)
        if let resident = residents[file.pluginName] {
            try check(file, isThatOf: resident)
            return resident.plugin
        }
        return try load(file)
    }

    private func check(_ file: PluginFile, isThatOf resident: Resident) throws(ListError) {
        guard file.path == resident.plugin.file else {
            throw ListError(
                .pluginRefused, "\(file.path): plugin \(resident.plugin.name) is loaded from \(resident.plugin.file)")
        }
    }

    private func load(_ file: PluginFile) throws(ListError) -> LoadedPlugin {
        let configuration = configuration(file.pluginName)
        // Running it inside the daemon all the same would break the promise that its crash is nobody else's problem.
        guard configuration.isolation == .none else {
            throw ListError(
                .pluginRefused,
                "\(file.path): Isolation=\(configuration.isolation.rawValue), but this listd has no workers")
        }
        let library = try PluginLibrary(file)
        let host = PluginHost(
            settings: PluginSettings(configuration.settings), logger: PluginLogger(log, plugin: file.pluginName))
        let manifest = try library.manifest(for: host)
        let plugin = LoadedPlugin(
            name: manifest.name, version: manifest.version, file: file.path, apiVersion: library.record.apiVersion,
            sectionControllers: manifest.sectionControllers.map(\.name), dataSources: manifest.dataSources.map(\.name),
            isolation: .none, state: .ready, processID: UInt32(bitPattern: getpid()))
        residents[plugin.name] = Resident(plugin: plugin, manifest: manifest, host: host)
        log.info("plugin \(plugin.name) \(plugin.version) is loaded from \(plugin.file)", .plugin(plugin.name))
        observer(.changed(plugin))
        return plugin
    }

    /// Forgets a plugin that no list uses; its library stays in memory, for Swift cannot give one back.
    ///
    /// - Parameter users: the names of the lists that use it.
    /// - Throws: `noSuchPlugin`; `invalidArguments` that names the lists.
    package func unload(_ name: String, usedBy users: [String]) throws(ListError) {
        guard residents[name] != nil else { throw ListError(.noSuchPlugin, "\(name): no such plugin is loaded") }
        guard users.isEmpty else {
            throw ListError(.invalidArguments, "\(name) is used by \(users.sorted().joined(separator: ", "))")
        }
        residents[name] = nil
        observer(.removed(name: name))
    }

    // MARK: What lists use

    /// The section controllers that a list's option names; plugins that are needed for it are loaded.
    ///
    /// - Parameter option: object type, or `*` for all others, to `PLUGIN/CONTROLLER` or `listd/…`.
    /// - Throws: `noSuchSectionController`, `noSuchPlugin`, `pluginRefused`.
    package func sectionControllers(for option: [String: String]) throws(ListError) -> SectionControllerTable {
        try SectionControllerTable(option) { (reference) throws(ListError) in
            try load(reference.plugin)
            guard
                let entry = residents[reference.plugin]?.manifest.sectionControllers.first(where: {
                    $0.name == reference.name
                })
            else {
                throw ListError(
                    .noSuchSectionController, "plugin \(reference.plugin) has no section controller \(reference.name)")
            }
            return entry
        }
    }

    /// Makes the data source of a list; the plugin is loaded for it if need be.
    ///
    /// - Parameters:
    ///   - name: the source's name in the plugin.
    ///   - argument: what follows the `?` in the list's option.
    ///   - sink: gets the events, in order.
    /// - Returns: the source, which does not run yet.
    /// - Throws: `invalidArguments` for a source that the plugin does not have and for an argument that it does not take;
    ///   `noSuchPlugin`, `pluginRefused`.
    package func source(
        _ name: String, of plugin: String, argument: String, sink: @escaping SourceSink
    ) async throws(ListError) -> any Source {
        try load(plugin)
        guard let resident = residents[plugin],
            let entry = resident.manifest.dataSources.first(where: { $0.name == name })
        else { throw ListError(.invalidArguments, "source: plugin \(plugin) has no data source \(name)") }
        return try await PluginSource(entry, argument: argument, host: resident.host, sink: sink)
    }
}

extension PluginLogger {
    /// The plugin's voice in the daemon's log; a plugin that talks too much is limited like a client.
    init(_ log: Log, plugin: String) {
        let log = log.with(.plugin(plugin))
        self.init { level, message in
            log.write(
                Log.Level(rawValue: level.rawValue) ?? .info, { "\(plugin): \(message)" },
                limitedBy: "plugin \(plugin)")
        }
    }
}

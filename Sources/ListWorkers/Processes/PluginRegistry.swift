// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import ListConfiguration
@_spi(Daemon) package import ListKit
package import ListSources
package import ListSupport
@_spi(Daemon) internal import PluginAPI

/// The registry of the loaded plugins. It loads plugins, and looks up their section controllers and data sources.
///
/// A plugin is loaded when a list or a call of `LoadPlugin` names it. Its properties are a value, ``LoadedPlugin``. The
/// observer is called with each change of that value, in order.
package actor PluginRegistry {
    /// A change of the registry, from which the bus objects of plugins are updated.
    package enum Change: Sendable, Equatable {
        /// A plugin was added, or its properties changed.
        case changed(LoadedPlugin)
        /// A plugin was removed.
        case removed(name: String)
    }

    /// A plugin that is loaded into this process.
    private struct Resident {
        var plugin: LoadedPlugin
        var manifest: PluginManifest
        var host: PluginHost
        /// The plugin's section of `listd.conf` when it was loaded.
        var configuration: PluginConfiguration
    }

    private let directories: PluginDirectories
    private let configuration: @Sendable (_ name: String) -> PluginConfiguration
    private let log: Log
    private let observer: @Sendable (Change) -> Void
    private let executable: String
    private var residents: [String: Resident] = [:]
    /// The states of the files whose libraries are in this process, by plugin name, including unloaded plugins.
    private var libraries: [String: PluginFileState] = [:]
    /// The workers of plugins that do not run in this process.
    private var workers: [String: PluginWorker] = [:]
    /// Whether listd is ending, so that no worker is started any more.
    private var isEnding = false

    /// Makes a registry without plugins.
    ///
    /// - Parameters:
    ///   - directories: the directories in which plugins are searched.
    ///   - configuration: returns a plugin's section of `listd.conf` as it is now.
    ///   - log: the log for the messages of plugins.
    ///   - executable: the program that is started as a worker.
    ///   - observer: called with each change.
    package init(
        directories: PluginDirectories, configuration: @escaping @Sendable (_ name: String) -> PluginConfiguration,
        log: Log, executable: String = WorkerSpawner.thisProgram,
        observer: @escaping @Sendable (Change) -> Void = { _ in }
    ) {
        self.directories = directories
        self.configuration = configuration
        self.log = log
        self.executable = executable
        self.observer = observer
    }

    /// The properties of all plugins, sorted by name.
    package var plugins: [LoadedPlugin] {
        get async {
            var all = residents.values.map(\.plugin)
            for worker in workers.values { all.append(await worker.plugin) }
            return all.sorted { $0.name < $1.name }
        }
    }

    /// Returns the properties of a plugin; `nil` if it was never loaded.
    package func plugin(named name: String) async -> LoadedPlugin? {
        if let worker = workers[name] { return await worker.plugin }
        return residents[name]?.plugin
    }

    /// Loads a plugin by its name, or by a path within the plugin directories.
    ///
    /// A loaded plugin is left alone, unless it has failed, its file was replaced or its settings changed: then a new
    /// worker loads the file, and the plugin's lists move to that worker.
    ///
    /// - Throws: `noSuchPlugin`, also for a loaded plugin whose file is missing; `pluginRefused`, also for a file that
    ///   was replaced after its library was loaded into this process, where it cannot be exchanged; `pluginFailed`.
    @discardableResult
    package func load(_ nameOrPath: String) async throws(ListError) -> LoadedPlugin {
        let file = try directories.find(nameOrPath)
        if let resident = residents[file.pluginName] {
            try check(file, isThatOf: resident.plugin)
            try checkUnchanged(file, state: PluginFileState(of: file.path))
            return resident.plugin
        }
        if let worker = workers[file.pluginName] {
            try check(file, isThatOf: await worker.plugin)
            return try await worker.load()
        }
        switch configuration(file.pluginName).isolation {
        case .none: return try load(file)
        case .worker: return try await start(file)
        }
    }

    /// The loaded plugins whose present settings are not in force, and whether loading them again is enough, by name.
    package var pluginsWithOtherSettings: [String: Bool] {
        get async {
            var all: [String: Bool] = [:]
            for (name, resident) in residents where resident.configuration != configuration(name) { all[name] = false }
            for (name, worker) in workers where await worker.hasOtherSettings {
                all[name] = configuration(name).isolation == .worker
            }
            return all
        }
    }

    /// Loads a plugin that is not loaded, or has failed. A working plugin is left alone, even if its file was replaced.
    ///
    /// - Throws: `noSuchPlugin`, `pluginRefused`, `pluginFailed`.
    package func revive(_ name: String) async throws(ListError) {
        if let worker = workers[name] { _ = try await worker.revive() } else { try await loadIfNeeded(name) }
    }

    /// Loads a plugin for a list, unless the registry has it. A failed plugin is not retried.
    private func loadIfNeeded(_ name: String) async throws(ListError) {
        if workers[name] == nil, residents[name] == nil { try await load(name) }
    }

    private func check(_ file: PluginFile, isThatOf plugin: LoadedPlugin) throws(ListError) {
        guard file.path == plugin.file else {
            throw ListError(
                .pluginRefused,
                "\(file.path.shortenedPath): plugin \(plugin.name) is already loaded from \(plugin.file.shortenedPath)")
        }
    }

    /// Throws if this process has loaded another version of a plugin's file. Swift cannot unload a library, and two
    /// libraries of one plugin would define the same types.
    private func checkUnchanged(_ file: PluginFile, state: PluginFileState?) throws(ListError) {
        guard let loaded = libraries[file.pluginName], loaded != state else { return }
        throw ListError(
            .pluginRefused,
            "\(file.path.shortenedPath): the file was replaced, but listd has loaded the old file into its own process "
                + "(Isolation=none); restart listd")
    }

    private func start(_ file: PluginFile) async throws(ListError) -> LoadedPlugin {
        let name = file.pluginName
        let dependencies = PluginWorker.Dependencies(
            executable: executable,
            find: { [directories] () throws(ListError) in try directories.find(file.path) },
            directories: directories.paths, configuration: { [configuration] in configuration(name) }, log: log,
            observer: { [observer] in observer(.changed($0)) })
        let worker = await PluginWorker(name: name, file: file, dependencies)
        guard !isEnding else { throw ListError(.pluginFailed, "plugin \(name): listd is stopping") }
        // During the `await`, another call may have made the plugin's only worker.
        if let other = workers[name] { return try await other.load() }
        workers[name] = worker
        do throws(ListError) {
            return try await worker.load()
        } catch {
            if workers[name] === worker { workers[name] = nil }
            await worker.dismiss()
            observer(.removed(name: name))
            throw error
        }
    }

    private func load(_ file: PluginFile) throws(ListError) -> LoadedPlugin {
        let configuration = configuration(file.pluginName)
        let state = PluginFileState(of: file.path)
        try checkUnchanged(file, state: state)
        let library = try PluginLibrary(file)
        libraries[file.pluginName] = state
        let host = PluginHost(
            settings: PluginSettings(configuration.settings), logger: PluginLogger(log, plugin: file.pluginName))
        let manifest = try library.manifest(for: host)
        let plugin = LoadedPlugin(
            name: manifest.name, version: manifest.version, file: file.path, apiVersion: library.record.apiVersion,
            sectionControllers: manifest.sectionControllers.map(\.name), dataSources: manifest.dataSources.map(\.name),
            hints: manifest.hints,
            isolation: .none, state: .ready, processID: UInt32(bitPattern: getpid()))
        residents[plugin.name] = Resident(
            plugin: plugin, manifest: manifest, host: host, configuration: configuration)
        log.info("plugin \(plugin.name) \(plugin.version) is loaded from \(plugin.file)", .plugin(plugin.name))
        observer(.changed(plugin))
        return plugin
    }

    /// Removes a plugin that no list uses. If its library is in this process, it stays in memory: Swift cannot unload
    /// it.
    ///
    /// - Parameter users: the names of the lists that use it.
    /// - Throws: `noSuchPlugin`; `invalidArguments`, which names the lists, if there are any.
    package func unload(_ name: String, usedBy users: [String]) async throws(ListError) {
        guard residents[name] != nil || workers[name] != nil else {
            throw ListError(.noSuchPlugin, "plugin \(name.quoted) is not loaded")
        }
        guard users.isEmpty else {
            let names = users.sorted().prefix(5).map(\.quoted).joined(separator: ", ")
            let more = users.count > 5 ? " and \(users.count - 5) others" : ""
            throw ListError(
                .invalidArguments,
                "plugin \(name.quoted) is used by \(users.count == 1 ? "the list" : "the lists") \(names)\(more)")
        }
        residents[name] = nil
        if let worker = workers.removeValue(forKey: name) { await worker.dismiss() }
        observer(.removed(name: name))
    }

    /// Kills the workers that have not loaded their plugins yet, and prevents new ones, because listd is ending.
    package func giveUpStarts() async {
        isEnding = true
        for worker in workers.values { await worker.giveUpStart() }
    }

    /// Kills the workers that have not closed all their lists, so that these lists can end.
    package func giveUpWorkers() async {
        for worker in workers.values { await worker.giveUpLists() }
    }

    // MARK: Section controllers and data sources

    /// Looks up the section controllers that a list's option names, and loads their plugins.
    ///
    /// All section controllers of a list run in one process. So a list that uses controllers of a plugin with a worker
    /// can also use built-in controllers, but none of another plugin.
    ///
    /// - Parameter option: the names `PLUGIN/CONTROLLER` or `listd/…` by object type, or by `*` for all other types.
    /// - Throws: `noSuchSectionController`, `noSuchPlugin`, `pluginRefused`, `pluginFailed`; `invalidArguments` for
    ///   section controllers that cannot run in one process.
    package func sectionControllers(for option: [String: String]) async throws(ListError) -> SectionControllerTable {
        let names = Set(option.values.compactMap { ControllerName($0)?.plugin }).subtracting(["listd"]).sorted()
        for name in names { try await loadIfNeeded(name) }
        guard let isolated = names.first(where: { workers[$0] != nil }), let worker = workers[isolated] else {
            return try SectionControllerTable(option) { (reference) throws(ListError) in try entry(reference) }
        }
        if let other = names.first(where: { $0 != isolated }) {
            throw ListError(
                .invalidArguments,
                "section-controllers: plugins \(isolated.quoted) and \(other.quoted) run in different processes; a list can use "
                    + "only one of them")
        }
        let plugin = await worker.plugin
        for (type, name) in option where BuiltInSectionControllers.kind(named: name) == nil {
            guard let reference = ControllerName(name), reference.plugin == isolated else {
                throw ListError(
                    .noSuchSectionController,
                    "section-controllers: there is no section controller \(name.quoted) for \(type.quoted)")
            }
            guard plugin.sectionControllers.contains(reference.name) else { throw Self.noSuchController(reference) }
        }
        return SectionControllerTable(naming: option, hostedBy: worker)
    }

    private func entry(_ reference: ControllerName) throws(ListError) -> SectionControllerEntry {
        let entries = residents[reference.plugin]?.manifest.sectionControllers ?? []
        guard let entry = entries.first(where: { $0.name == reference.name }) else {
            throw Self.noSuchController(reference)
        }
        return entry
    }

    private static func noSuchController(_ reference: ControllerName) -> ListError {
        ListError(
            .noSuchSectionController,
            "plugin \(reference.plugin.quoted) has no section controller \(reference.name.quoted)")
    }

    /// Makes the data source of a list, and loads its plugin if necessary.
    ///
    /// - Parameters:
    ///   - name: the source's name in the plugin.
    ///   - argument: the text after the `?` in the list's option.
    ///   - sink: called with the events, in order.
    /// - Returns: the source, not started yet.
    /// - Throws: `invalidArguments` for a source that the plugin does not have, and for an argument that the source
    ///   refuses; `noSuchPlugin`, `pluginRefused`, `pluginFailed`.
    package func source(
        _ name: String, of plugin: String, argument: String, sink: @escaping SourceSink
    ) async throws(ListError) -> any Source {
        try await loadIfNeeded(plugin)
        if let worker = workers[plugin] {
            guard await worker.plugin.dataSources.contains(name) else { throw Self.noSuchSource(name, of: plugin) }
            let source = await WorkerSource(name, argument: argument, of: worker, sink: sink)
            try await worker.sources.add(source)
            return source
        }
        guard let resident = residents[plugin],
            let entry = resident.manifest.dataSources.first(where: { $0.name == name })
        else { throw Self.noSuchSource(name, of: plugin) }
        return try await PluginSource(entry, argument: argument, host: resident.host, sink: sink)
    }

    private static func noSuchSource(_ source: String, of plugin: String) -> ListError {
        ListError(.invalidArguments, "source: plugin \(plugin.quoted) has no data source \(source.quoted)")
    }
}

/// The identity and modification time of a plugin's file, by which a replaced file is recognised.
struct PluginFileState: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Reads the state of a file; nil when stat(2) fails.
    init?(of path: String) {
        var state = listd_file_state()
        guard unsafe listd_state_at(path, &state) == 0 else { return nil }
        device = state.device
        inode = state.inode
        size = state.size
        seconds = state.modified_seconds
        nanoseconds = state.modified_nanoseconds
    }
}

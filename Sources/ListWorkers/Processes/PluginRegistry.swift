// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import ListConfiguration
@_spi(Daemon) package import ListKit
package import ListSources
package import ListSupport
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
    private let executable: WorkerExecutable
    private var residents: [String: Resident] = [:]
    /// The files, by plugin, whose libraries are in this process, those of plugins that were unloaded too.
    private var libraries: [String: PluginFileState] = [:]
    /// The workers of plugins that do not run in this process.
    private var workers: [String: PluginWorker] = [:]
    /// Whether no worker is started for a plugin any more.
    private var isEnding = false

    /// Makes a registry without plugins.
    ///
    /// - Parameters:
    ///   - directories: where plugins are looked for.
    ///   - configuration: what `listd.conf` says about a plugin now.
    ///   - log: where the messages of plugins are written.
    ///   - executable: what is started as a worker.
    ///   - observer: is told of every change.
    package init(
        directories: PluginDirectories, configuration: @escaping @Sendable (_ name: String) -> PluginConfiguration,
        log: Log, executable: WorkerExecutable = .thisProgram, observer: @escaping @Sendable (Change) -> Void = { _ in }
    ) {
        self.directories = directories
        self.configuration = configuration
        self.log = log
        self.executable = executable
        self.observer = observer
    }

    /// What there is to know about all plugins, by name.
    package var plugins: [LoadedPlugin] {
        get async {
            var all = residents.values.map(\.plugin)
            for worker in workers.values { all.append(await worker.plugin) }
            return all.sorted { $0.name < $1.name }
        }
    }

    /// What there is to know about one; `nil` if nobody asked for it.
    package func plugin(named name: String) async -> LoadedPlugin? {
        if let worker = workers[name] { return await worker.plugin }
        return residents[name]?.plugin
    }

    /// Loads a plugin by its name, or by a path within the plugin directories.
    ///
    /// One that is loaded already stays, unless it has failed or its file was replaced: then its worker is started anew,
    /// and its lists move.
    ///
    /// - Throws: `noSuchPlugin`, also for one that is loaded and whose file is gone; `pluginRefused`, also for a file that was
    ///   replaced after its library was loaded into this process, where it cannot be exchanged; `pluginFailed`.
    @discardableResult
    package func load(_ nameOrPath: String) async throws(ListError) -> LoadedPlugin {
        let file = try directories.find(nameOrPath)
        if let resident = residents[file.pluginName] {
            try check(file, isThatOf: resident.plugin)
            try checkUnchanged(file, PluginFileState(of: file.path))
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

    /// Loads a plugin that is not loaded, and retries one that has failed. A working plugin keeps the file that it was
    /// loaded from.
    ///
    /// - Throws: `noSuchPlugin`, `pluginRefused`, `pluginFailed`.
    package func revive(_ name: String) async throws(ListError) {
        if let worker = workers[name] { _ = try await worker.revive() } else { try await require(name) }
    }

    /// Sees to it that a plugin is there for a list; one that has failed is there too.
    private func require(_ name: String) async throws(ListError) {
        if workers[name] == nil, residents[name] == nil { try await load(name) }
    }

    private func check(_ file: PluginFile, isThatOf plugin: LoadedPlugin) throws(ListError) {
        guard file.path == plugin.file else {
            throw ListError(.pluginRefused, "\(file.path): plugin \(plugin.name) is loaded from \(plugin.file)")
        }
    }

    /// Swift cannot take a library out of a process, and two of one plugin would have the same types.
    private func checkUnchanged(_ file: PluginFile, _ state: PluginFileState?) throws(ListError) {
        guard let loaded = libraries[file.pluginName], loaded != state else { return }
        throw ListError(
            .pluginRefused,
            "\(file.path): replaced, but the old file is loaded into listd itself (Isolation=none): restart listd")
    }

    private func start(_ file: PluginFile) async throws(ListError) -> LoadedPlugin {
        let name = file.pluginName
        let dependencies = PluginWorker.Dependencies(
            executable: executable,
            find: { [directories] () throws(ListError) in try directories.find(file.path) },
            directories: directories.paths, configuration: { [configuration] in configuration(name) }, log: log,
            observer: { [observer] in observer(.changed($0)) })
        let worker = await PluginWorker(name: name, file: file, dependencies)
        guard !isEnding else { throw ListError(.pluginFailed, "plugin \(name): listd is ending") }
        // Another call may have come in between: there is one worker for each plugin.
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
        try checkUnchanged(file, state)
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
        residents[plugin.name] = Resident(plugin: plugin, manifest: manifest, host: host)
        log.info("plugin \(plugin.name) \(plugin.version) is loaded from \(plugin.file)", .plugin(plugin.name))
        observer(.changed(plugin))
        return plugin
    }

    /// Forgets a plugin that no list uses; in this process its library stays in memory, for Swift cannot give one back.
    ///
    /// - Parameter users: the names of the lists that use it.
    /// - Throws: `noSuchPlugin`; `invalidArguments` that names the lists.
    package func unload(_ name: String, usedBy users: [String]) async throws(ListError) {
        guard residents[name] != nil || workers[name] != nil else {
            throw ListError(.noSuchPlugin, "\(name): no such plugin is loaded")
        }
        guard users.isEmpty else {
            throw ListError(.invalidArguments, "\(name) is used by \(users.sorted().joined(separator: ", "))")
        }
        residents[name] = nil
        if let worker = workers.removeValue(forKey: name) { await worker.dismiss() }
        observer(.removed(name: name))
    }

    /// Ends the workers that have not loaded their plugins yet, and starts no other ones: listd ends.
    package func giveUpStarts() async {
        isEnding = true
        for worker in workers.values { await worker.giveUpStart() }
    }

    /// Ends the workers that have not ended their lists: those end without them.
    package func giveUpWorkers() async {
        for worker in workers.values { await worker.giveUpLists() }
    }

    // MARK: What lists use

    /// The section controllers that a list's option names; plugins that are needed for it are loaded.
    ///
    /// A list has one host: section controllers of a plugin in a worker come from that plugin only.
    ///
    /// - Parameter option: object type, or `*` for all others, to `PLUGIN/CONTROLLER` or `listd/…`.
    /// - Throws: `noSuchSectionController`, `noSuchPlugin`, `pluginRefused`, `pluginFailed`; `invalidArguments` for
    ///   section controllers that cannot be in one process.
    package func sectionControllers(for option: [String: String]) async throws(ListError) -> SectionControllerTable {
        let names = Set(option.values.compactMap { ControllerName($0)?.plugin }).subtracting(["listd"]).sorted()
        for name in names { try await require(name) }
        guard let isolated = names.first(where: { workers[$0] != nil }), let worker = workers[isolated] else {
            return try SectionControllerTable(option) { (reference) throws(ListError) in try entry(reference) }
        }
        if let other = names.first(where: { $0 != isolated }) {
            throw ListError(
                .invalidArguments,
                "section-controllers: those of \(isolated) and \(other) run in different processes; one list has one")
        }
        let plugin = await worker.plugin
        for (type, name) in option where BuiltInSectionControllers.kind(named: name) == nil {
            guard let reference = ControllerName(name), reference.plugin == isolated else {
                throw ListError(
                    .noSuchSectionController, "section-controllers: \(name.quoted) for \(type.quoted): no such thing")
            }
            guard plugin.sectionControllers.contains(reference.name) else { throw Self.missing(reference) }
        }
        return SectionControllerTable(naming: option, hostedBy: worker)
    }

    private func entry(_ reference: ControllerName) throws(ListError) -> SectionControllerEntry {
        let entries = residents[reference.plugin]?.manifest.sectionControllers ?? []
        guard let entry = entries.first(where: { $0.name == reference.name }) else { throw Self.missing(reference) }
        return entry
    }

    private static func missing(_ reference: ControllerName) -> ListError {
        ListError(
            .noSuchSectionController, "plugin \(reference.plugin) has no section controller \(reference.name.quoted)")
    }

    /// Makes the data source of a list; the plugin is loaded for it if need be.
    ///
    /// - Parameters:
    ///   - name: the source's name in the plugin.
    ///   - argument: what follows the `?` in the list's option.
    ///   - sink: gets the events, in order.
    /// - Returns: the source, which does not run yet.
    /// - Throws: `invalidArguments` for a source that the plugin does not have and for an argument that it does not take;
    ///   `noSuchPlugin`, `pluginRefused`, `pluginFailed`.
    package func source(
        _ name: String, of plugin: String, argument: String, sink: @escaping SourceSink
    ) async throws(ListError) -> any Source {
        try await require(plugin)
        if let worker = workers[plugin] {
            guard await worker.plugin.dataSources.contains(name) else { throw Self.missing(name, of: plugin) }
            let source = await WorkerSource(name, argument: argument, of: worker, sink: sink)
            try await worker.sources.add(source)
            return source
        }
        guard let resident = residents[plugin],
            let entry = resident.manifest.dataSources.first(where: { $0.name == name })
        else { throw Self.missing(name, of: plugin) }
        return try await PluginSource(entry, argument: argument, host: resident.host, sink: sink)
    }

    private static func missing(_ source: String, of plugin: String) -> ListError {
        ListError(.invalidArguments, "source: plugin \(plugin) has no data source \(source.quoted)")
    }
}

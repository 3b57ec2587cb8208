// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import PluginAPI
internal import Synchronization

/// Supervises the worker of one plugin: starts it, starts it again when it dies, and gives its lists and data sources a place.
///
/// It belongs to the event loop. A worker that dies is started again after a pause; after the fifth death in a minute the
/// plugin has failed: its lists go on with `listd/single` inside the daemon until somebody loads the plugin again.
@DBusActor
final class PluginWorker: PresentingWorker {
    /// What it takes to start a worker.
    struct Surroundings: Sendable {
        /// The program to start.
        var executable: WorkerExecutable
        /// Finds the plugin's file, and checks it.
        var find: @Sendable () throws(ListError) -> PluginFile
        /// Where plugins may be.
        var directories: [String]
        /// What `listd.conf` says about the plugin now.
        var configuration: @Sendable () -> PluginConfiguration
        /// Where the plugin speaks.
        var log: Log
        /// Is told of every change.
        var observer: @Sendable (LoadedPlugin) -> Void
    }

    nonisolated let name: String
    private let surroundings: Surroundings
    var lifecycle = WorkerLifecycle()
    var process: WorkerProcess?
    /// One that is to replace the present one as soon as it has loaded its plugin.
    private var successor: WorkerProcess?
    private(set) var plugin: LoadedPlugin
    private var fileState: PluginFileState?
    var lists: [ObjectIdentifier: any PresentedList] = [:]
    var sources: [PresenterNumber: WorkerSource] = [:]
    /// The breadcrumbs of lists in the present process.
    var crumbs: [ObjectIdentifier: Int] = [:]
    /// Which users' calls are not handed on, because workers died of them.
    private nonisolated let callers = Mutex(CallerBackOff())
    /// Runs while the worker is not started again yet.
    private var pauseTimer: LoopTimer?
    private var starting: [@DBusActor (Result<LoadedPlugin, ListError>) -> Void] = []
    private var isDismissed = false
    /// Whether listd ends: a plugin that is not loaded now is not loaded any more.
    private var isEnding = false

    init(name: String, file: PluginFile, _ surroundings: Surroundings) {
        self.name = name
        self.surroundings = surroundings
        plugin = LoadedPlugin(
            name: name, version: "", file: file.path, apiVersion: 0, sectionControllers: [], dataSources: [],
            isolation: .worker, state: .loading, processID: 0)
    }

    private var log: Log { surroundings.log }

    private func tell(_ change: (inout LoadedPlugin) -> Void) {
        let old = plugin
        change(&plugin)
        if plugin != old, plugin.state != .loading || plugin.processID != 0 { surroundings.observer(plugin) }
    }
}

// MARK: - Starting

extension PluginWorker {
    /// Has the plugin loaded; one that runs a file that was replaced since moves to the new one.
    ///
    /// - Throws: `pluginRefused`, `noSuchPlugin`; `pluginFailed` when the worker died of it. What ran before goes on then.
    func load() async throws(ListError) -> LoadedPlugin {
        if lifecycle.state == .running {
            guard let present = PluginFileState(of: try surroundings.find().path), present != fileState else {
                tell { $0.lastError = "" }
                return plugin
            }
        }
        return try await runAnew()
    }

    /// Has the plugin loaded if it is not; one that runs goes on, whatever its file is now.
    ///
    /// - Throws: `pluginRefused`, `noSuchPlugin`; `pluginFailed` when the worker died of it.
    func revive() async throws(ListError) -> LoadedPlugin {
        lifecycle.state == .running ? plugin : try await runAnew()
    }

    private func runAnew() async throws(ListError) -> LoadedPlugin {
        guard !isEnding else { throw ListError(.pluginFailed, "plugin \(name): listd is ending") }
        let outcome: Result<LoadedPlugin, ListError> = await withCheckedContinuation { continuation in
            starting.append { continuation.resume(returning: $0) }
            begin()
        }
        return try outcome.get()
    }

    private func begin() {
        if lifecycle.state == .running {
            guard successor == nil else { return }
            do throws(ListError) { successor = try startProcess() } catch { answer(.failure(error)) }
        } else if lifecycle.need() == .start {
            start()
        }
    }

    private func start() {
        do throws(ListError) {
            process = try startProcess()
        } catch {
            plugin.lastError = error.reason
            log.error("plugin \(name): \(error)", .plugin(name))
            died()
        }
    }

    private func startProcess() throws(ListError) -> WorkerProcess {
        let file = try surroundings.find()
        let configuration = surroundings.configuration()
        let relay = ProcessRelay()
        let state = PluginFileState(of: file.path)
        let (log, name) = (log, name)
        let logger = PluginLogger(log, plugin: name)
        let printing = "what plugin \(name) prints"
        let new = try WorkerProcess(
            plugin: name, callbackTimeout: configuration.callbackTimeout,
            events: WorkerProcess.Events(
                loaded: { [weak self] facts in self?.loaded(facts, file, state, relay.process) },
                refused: { [weak self] error in self?.refused(error, relay.process) },
                source: { [weak self] report in self?.sourceReported(report) },
                log: { report in
                    guard case .log(let level, let text) = report else { return }
                    logger.log(level, text)
                },
                printed: { line, isBacktrace in
                    log.write(
                        .info, { "\(name): \(WorkerOutput.text(of: line))" }, [.plugin(name)],
                        limitedBy: isBacktrace ? nil : printing)
                },
                ended: { [weak self] death in self?.ended(death, relay.process) }))
        relay.process = new
        try new.start(surroundings.executable, hasNetwork: configuration.hasNetwork)
        let assignment = PluginAssignment(
            path: file.path, directories: surroundings.directories, settings: configuration.settings,
            memoryMax: configuration.memoryMax, hasNetwork: configuration.hasNetwork)
        new.send(try WorkerPacket(WorkerOrder.load(assignment)))
        return new
    }

    private func loaded(
        _ facts: PluginFacts, _ file: PluginFile, _ state: PluginFileState?, _ from: WorkerProcess?
    ) {
        guard let from, from === process || from === successor else { return }
        // Of two that load the plugin at the same time, the first one stays.
        let other = from === successor ? process : successor
        if from === successor { lifecycle.successorTookOver() } else { lifecycle.didStart() }
        pauseTimer?.cancel()
        process = from
        successor = nil
        // What a worker died of that was started again by itself is still to be seen, and not done again.
        let wasAskedFor = !starting.isEmpty
        if wasAskedFor || state != fileState { forgetDeaths() }
        fileState = state
        tell { plugin in
            if wasAskedFor { plugin.lastError = "" }
            plugin.version = facts.version
            plugin.file = file.path
            plugin.apiVersion = facts.apiVersion
            plugin.sectionControllers = facts.sectionControllers
            plugin.dataSources = facts.dataSources
            plugin.hints = facts.hints
            plugin.state = .ready
            plugin.processID = UInt32(clamping: from.identifier)
            plugin.restartCount = lifecycle.restartCount
        }
        log.info("plugin \(name) \(facts.version) is loaded from \(file.path)", .plugin(name))
        for list in lists.values { place(list) }
        restartSources()
        other?.kill("it was replaced")
        answer(.success(plugin))
    }

    nonisolated func wait(of user: UInt32) -> (time: Duration, deaths: Int)? {
        callers.withLock { $0.wait(of: user, at: .now) }
    }

    nonisolated func recordDeath(by user: UInt32) { callers.withLock { $0.recordDeath(by: user, at: .now) } }

    /// Calls that workers died of may be asked again.
    private func forgetDeaths() {
        callers.withLock { $0.removeAll() }
        for list in lists.values { list.forgetRefusals() }
    }

    private func refused(_ error: ListError, _ from: WorkerProcess?) {
        guard let from else { return }
        from.kill("the plugin was refused")
        if from === successor {
            successor = nil
            return answer(.failure(error))
        }
        guard from === process else { return }
        process = nil
        lifecycle.refuse()
        giveUp(error.reason)
        failed(error)
    }

    /// Who waits for the plugin waits in vain, unless a successor is still loading it.
    private func failed(_ error: ListError) {
        if successor == nil { answer(.failure(error)) }
    }

    private func answer(_ outcome: Result<LoadedPlugin, ListError>) {
        let waiting = starting
        starting = []
        for completion in waiting { completion(outcome) }
    }
}

// MARK: - The end

extension PluginWorker {
    private func ended(_ death: WorkerDeath, _ from: WorkerProcess?) {
        guard let from else { return }
        let reason = death.reason
        if from === successor {
            successor = nil
            return answer(.failure(ListError(.pluginFailed, "plugin \(name): the new worker: \(reason)")))
        }
        guard from === process else { return }
        process = nil
        let wasLoading = lifecycle.state == .starting
        log.error(
            "plugin \(name): \(from.name): \(reason)\(death.callers)", .plugin(name), event: .pluginRestarted,
            limitedBy: "plugin \(name)")
        plugin.lastError = reason
        for (key, list) in lists { list.losePresenter(in: death.call(at: crumbs[key])) }
        crumbs = [:]
        sourcesDied(in: death)
        // Who waits for a start is told at once; lists wait for the next one.
        if wasLoading, !starting.isEmpty {
            failed(ListError(.pluginFailed, "plugin \(name): the worker: \(reason)"))
            if plugin.state == .loading { return lifecycle.dismiss() }
        }
        died(isOfCaller: death.isOfCaller)
    }

    private func died(isOfCaller: Bool = false) {
        guard !isDismissed else { return }
        switch lifecycle.didDie(at: .now, isOfCaller: isOfCaller) {
        case .pause(let pause):
            tell { plugin in
                plugin.state = .restarting
                plugin.processID = 0
            }
            pauseTimer?.cancel()
            pauseTimer = EventLoop.shared.addTimer(after: pause) { [weak self] in
                guard let self, lifecycle.pauseIsOver() == .start else { return }
                start()
            }
        case .giveUp:
            giveUp(plugin.lastError)
            failed(ListError(.pluginFailed, "plugin \(name): \(plugin.lastError)"))
        case .none, .start: break
        }
    }

    /// The plugin has failed: its lists go on without it.
    private func giveUp(_ reason: String) {
        log.error("plugin \(name) has failed: \(reason)", .plugin(name), event: .pluginFailed)
        tell { plugin in
            plugin.state = .failed
            plugin.processID = 0
            plugin.lastError = reason
        }
        for list in lists.values { list.presentLocally() }
        let failure = ListError(.pluginFailed, "plugin \(name) has failed", cause: reason)
        for source in sources.values { source.fail(failure) }
    }

    /// Ends the worker for good; who still uses it does not hear of it any more.
    func dismiss(because reason: String = "it was unloaded") {
        isDismissed = true
        lifecycle.dismiss()
        pauseTimer?.cancel()
        answer(.failure(ListError(.noSuchPlugin, "plugin \(name): \(reason)")))
        process?.kill(reason)
        successor?.kill(reason)
        process = nil
        successor = nil
        for list in lists.values { list.losePresenter() }
        for source in sources.values { source.pause() }
    }

    /// Ends the worker if it has not loaded its plugin yet; whoever waits for that hears it.
    func giveUpStart() {
        isEnding = true
        switch lifecycle.state {
        case .starting, .pausing: dismiss(because: "listd is ending")
        case .idle, .running, .failed: successor?.kill("listd is ending")
        }
    }

    /// Ends the worker because it has not ended its lists, which then end without it; does nothing for one that has.
    func giveUpLists() {
        guard !lists.isEmpty else { return }
        log.warning("plugin \(name): \(process?.name ?? "its worker") does not end its lists", .plugin(name))
        dismiss(because: "it did not end its lists")
    }
}

/// The way from the events of a process back to the process: set as soon as it is there.
@DBusActor
private final class ProcessRelay {
    weak var process: WorkerProcess?
}

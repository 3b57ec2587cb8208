// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import PluginAPI
internal import Synchronization

/// Supervises the worker of one plugin: starts it, restarts it after a death, and attaches lists and data sources to
/// it.
///
/// It belongs to the event loop. A worker that died is restarted after a pause. After too many deaths in a minute
/// (``WorkerLifecycle``) the plugin has failed: its lists continue with `listd/single` inside the daemon until somebody
/// loads the plugin again.
@DBusActor
final class PluginWorker: PresentingWorker {
    /// What the supervisor of a worker needs from its owner.
    struct Dependencies: Sendable {
        /// The path of the program to start.
        var executable: String
        /// Finds the plugin's file, and checks it.
        var find: @Sendable () throws(ListError) -> PluginFile
        /// The plugin directories.
        var directories: [String]
        /// Returns the plugin's section of `listd.conf` as it is now.
        var configuration: @Sendable () -> PluginConfiguration
        /// The log for the messages and the output of the plugin.
        var log: Log
        /// Called with each change of the plugin's state.
        var observer: @Sendable (LoadedPlugin) -> Void
    }

    nonisolated let name: String
    private let dependencies: Dependencies
    private var lifecycle = WorkerLifecycle()
    private(set) var process: WorkerProcess?
    /// A process that replaces the present one as soon as it has loaded the plugin.
    private var successor: WorkerProcess?
    /// The timer that restarts the worker after a death.
    private var pause: LoopTimer?
    private(set) var plugin: LoadedPlugin
    private var fileState: PluginFileState?
    /// The plugin's section of `listd.conf` with which its process was started.
    private var configuration: PluginConfiguration?
    /// The lists, each with its slot for breadcrumbs in the present process.
    private var lists: [ObjectIdentifier: (list: any PresentedList, crumbSlot: Int?)] = [:]
    private(set) lazy var sources = WorkerSources(of: self)
    /// The users whose calls the worker does not get for a while, because workers died of earlier ones.
    private nonisolated let callers = Mutex(CallerBackOff())
    /// The callers of ``load()`` and ``revive()`` that wait for the outcome of a start.
    private var starting: [@DBusActor (Result<LoadedPlugin, ListError>) -> Void] = []
    /// Whether the plugin was unloaded, so that no process is started any more.
    private var isDismissed = false
    /// Whether listd is ending. A plugin that is not loaded now is not loaded any more.
    private var isEnding = false

    init(name: String, file: PluginFile, _ dependencies: Dependencies) {
        self.name = name
        self.dependencies = dependencies
        plugin = LoadedPlugin(
            name: name, version: "", file: file.path, apiVersion: 0, sectionControllers: [], dataSources: [],
            isolation: .worker, state: .loading, processID: 0)
    }

    private var log: Log { dependencies.log }

    /// Whether the plugin is loaded in a process.
    var isRunning: Bool { lifecycle.state == .running }

    /// Changes the plugin's state and notifies the observer, except while the first process is being started.
    private func updatePlugin(_ change: (inout LoadedPlugin) -> Void) {
        let old = plugin
        change(&plugin)
        if plugin != old, plugin.state != .loading || plugin.processID != 0 { dependencies.observer(plugin) }
    }
}

// MARK: - Starting

extension PluginWorker {
    /// Loads the plugin. If it is loaded but its file was replaced since, or its settings changed, a new process loads it.
    ///
    /// - Throws: `pluginRefused`, `noSuchPlugin`; `pluginFailed` when the worker died while loading. A process that has
    ///   loaded the plugin before keeps running then.
    func load() async throws(ListError) -> LoadedPlugin {
        if lifecycle.state == .running {
            let present = PluginFileState(of: try dependencies.find().path)
            guard present != nil && present != fileState || hasOtherSettings else {
                updatePlugin { $0.setLastError("") }
                for hosted in lists.values { hosted.list.forgetFatalObjects(reloads: true) }
                return plugin
            }
        }
        return try await startAndWait()
    }

    /// Whether the process that has loaded the plugin was started with other settings than those of now.
    var hasOtherSettings: Bool { configuration.map { $0 != dependencies.configuration() } ?? false }

    /// Loads the plugin if it is not loaded. A running process stays, even if the plugin's file was replaced.
    ///
    /// - Throws: `pluginRefused`, `noSuchPlugin`; `pluginFailed` when the worker died while loading.
    func revive() async throws(ListError) -> LoadedPlugin {
        lifecycle.state == .running ? plugin : try await startAndWait()
    }

    private func startAndWait() async throws(ListError) -> LoadedPlugin {
        guard !isEnding else { throw ListError(.pluginFailed, "plugin \(name): listd is stopping") }
        let outcome: Result<LoadedPlugin, ListError> = await withCheckedContinuation { continuation in
            starting.append { continuation.resume(returning: $0) }
            startOrReplace()
        }
        return try outcome.get()
    }

    /// Starts the first process, or a successor of the running one.
    private func startOrReplace() {
        if lifecycle.state == .running {
            guard successor == nil else { return }
            do throws(ListError) {
                try WorkerProcess.check(dependencies.configuration().writablePaths)
                successor = try startProcess()
            } catch {
                resumeCallers(.failure(error))
            }
        } else if lifecycle.request() == .start {
            start()
        }
    }

    private func start() {
        do throws(ListError) {
            try WorkerProcess.check(dependencies.configuration().writablePaths)
        } catch {
            lifecycle.didRefuse()
            // Callers report the error themselves.
            if starting.isEmpty {
                giveUp(error.reason, event: .pluginRefused)
            } else {
                fail(error.reason)
            }
            return failCallers(error)
        }
        do throws(ListError) {
            process = try startProcess()
        } catch {
            plugin.setLastError(error.reason)
            log.error("plugin \(name): \(error)", .plugin(name))
            restartOrGiveUp()
        }
    }

    private func startProcess() throws(ListError) -> WorkerProcess {
        let file = try dependencies.find()
        let configuration = dependencies.configuration()
        let new = try WorkerProcess(of: self, file: file, configuration: configuration, log: log)
        try new.start(dependencies.executable)
        let assignment = PluginAssignment(
            path: file.path, directories: dependencies.directories, settings: configuration.settings,
            memoryMax: configuration.memoryMax, hasNetwork: configuration.hasNetwork)
        new.send(try WorkerPacket(Order.load(assignment)))
        return new
    }

    /// Handles that a process has loaded the plugin.
    func handleLoaded(_ facts: PluginFacts, in from: WorkerProcess) {
        guard from === process || from === successor else { return }
        // When two processes load the plugin at the same time, the first to finish stays.
        let other = from === successor ? process : successor
        if from === successor { lifecycle.successorDidTakeOver() } else { lifecycle.didStart() }
        pause?.cancel()
        process = from
        successor = nil
        // An automatic restart keeps the record of deaths, as their cause may persist.
        let wasAskedFor = !starting.isEmpty
        if wasAskedFor || from.fileState != fileState { forgetDeaths() }
        fileState = from.fileState
        configuration = from.configuration
        updatePlugin { plugin in
            if wasAskedFor { plugin.setLastError("") }
            plugin.version = facts.version
            plugin.file = from.file.path
            plugin.apiVersion = facts.apiVersion
            plugin.sectionControllers = facts.sectionControllers
            plugin.dataSources = facts.dataSources
            plugin.hints = facts.hints
            plugin.state = .ready
            plugin.processID = UInt32(clamping: from.identifier)
            plugin.restartCount = lifecycle.restartCount
        }
        log.info("plugin \(name) \(facts.version) is loaded from \(from.file.path)", .plugin(name))
        for hosted in lists.values { attach(hosted.list) }
        sources.restart()
        other?.kill("another process replaced the worker")
        resumeCallers(.success(plugin))
    }

    nonisolated func remainingWait(of user: UInt32) -> (time: Duration, deaths: Int)? {
        callers.withLock { $0.remainingWait(of: user, at: .now) }
    }

    nonisolated func recordDeath(by user: UInt32) { callers.withLock { $0.recordDeath(by: user, at: .now) } }

    /// Allows all calls of the plugin again, including calls of which workers died.
    private func forgetDeaths() {
        callers.withLock { $0.removeAll() }
        for hosted in lists.values { hosted.list.forgetFatalObjects(reloads: false) }
    }

    /// Handles that a process cannot load the plugin.
    func handleRefusal(_ error: ListError, in from: WorkerProcess) {
        from.kill("the plugin was refused")
        if from === successor {
            successor = nil
            return resumeCallers(.failure(error))
        }
        guard from === process else { return }
        process = nil
        lifecycle.didRefuse()
        giveUp(error.reason, event: .pluginRefused)
        failCallers(error)
    }

    /// Resumes the callers that wait for the plugin with an error, unless a successor is still loading it.
    private func failCallers(_ error: ListError) {
        if successor == nil { resumeCallers(.failure(error)) }
    }

    private func resumeCallers(_ outcome: Result<LoadedPlugin, ListError>) {
        let waiting = starting
        starting = []
        for completion in waiting { completion(outcome) }
    }
}

// MARK: - The end

extension PluginWorker {
    /// Handles the death of a process, all of whose reports are handled.
    func handleDeath(_ death: Death, of from: WorkerProcess) {
        let reason = death.reason
        if from === successor {
            successor = nil
            return resumeCallers(.failure(ListError(.pluginFailed, "plugin \(name): the new worker died: \(reason)")))
        }
        guard from === process else { return }
        process = nil
        let wasLoading = lifecycle.state == .starting
        log.error(
            "plugin \(name): \(from.name): \(reason)\(death.callers)", .plugin(name), event: .pluginRestarted,
            limitedBy: "plugin \(name)")
        plugin.setLastError(reason)
        for (key, hosted) in lists {
            hosted.list.losePresenter(by: death.told(to: hosted.crumbSlot))
            lists[key]?.crumbSlot = nil
        }
        sources.handleWorkerDeath(death)
        // Callers that wait for the start get the error at once; lists wait for the next start.
        if wasLoading, !starting.isEmpty {
            failCallers(ListError(.pluginFailed, "plugin \(name): the worker died: \(reason)"))
            if plugin.state == .loading { return lifecycle.dismiss() }
        }
        restartOrGiveUp(blaming: death.blame)
    }

    private func restartOrGiveUp(blaming blame: Death.Blame = .nobody) {
        guard !isDismissed else { return }
        switch lifecycle.didDie(at: .now, blaming: blame) {
        case .pause(let time):
            updatePlugin { plugin in
                plugin.state = .restarting
                plugin.processID = 0
            }
            pause?.cancel()
            pause = EventLoop.shared.addTimer(after: time) { [weak self] in
                guard let self, lifecycle.pauseDidEnd() == .start else { return }
                start()
            }
        case .giveUp:
            giveUp(plugin.lastError)
            failCallers(ListError(.pluginFailed, "plugin \(name): \(plugin.lastError)"))
        case .none, .start: break
        }
    }

    /// Marks the plugin as failed. Its lists continue in the daemon, without the plugin's section controllers.
    private func giveUp(_ reason: String, event: Log.Event = .pluginFailed) {
        log.error("plugin \(name) has failed: \(reason)", .plugin(name), event: event)
        fail(reason)
    }

    private func fail(_ reason: String) {
        updatePlugin { plugin in
            plugin.state = .failed
            plugin.processID = 0
            plugin.setLastError(reason)
        }
        for hosted in lists.values { hosted.list.presentLocally() }
        let failure = ListError(.pluginFailed, "plugin \(name) has failed", cause: reason)
        sources.fail(failure)
    }

    /// Ends the worker for good. Its lists lose their presenter and get no other.
    func dismiss(because reason: String = "the plugin was unloaded") {
        isDismissed = true
        lifecycle.dismiss()
        pause?.cancel()
        resumeCallers(.failure(ListError(.noSuchPlugin, "plugin \(name): \(reason)")))
        process?.kill(reason)
        successor?.kill(reason)
        process = nil
        successor = nil
        for hosted in lists.values { hosted.list.losePresenter(by: Death(reason: reason)) }
        sources.pause()
    }

    /// Ends the worker if it has not loaded its plugin yet; callers that wait for it get an error.
    func giveUpStart() {
        isEnding = true
        switch lifecycle.state {
        case .starting, .pausing: dismiss(because: "listd is stopping")
        case .idle, .running, .failed: successor?.kill("listd is stopping")
        }
    }

    /// Ends a worker that has not closed all its lists, so that these lists can end. Does nothing without such lists.
    func giveUpLists() {
        guard !lists.isEmpty else { return }
        log.warning("plugin \(name): \(process?.name ?? "its worker") does not close its lists", .plugin(name))
        dismiss(because: "the worker did not close its lists")
    }
}

// MARK: - Lists

extension PluginWorker {
    /// Presents a list in this worker, in each of its processes, until ``stopHosting(_:)``.
    func host(_ list: any PresentedList) {
        let key = ObjectIdentifier(list)
        lists[key] = (list, nil)
        switch lifecycle.state {
        case .running: attach(list)
        case .failed: list.presentLocally()
        case .idle, .starting, .pausing: break
        }
    }

    /// Forgets a list that has ended, or is presented elsewhere.
    func stopHosting(_ list: any PresentedList) {
        lists[ObjectIdentifier(list)] = nil
    }

    /// Attaches a list to the present process.
    private func attach(_ list: any PresentedList) {
        guard let process else { return }
        let number = PresenterNumbers.next()
        let crumbSlot = process.reserveCrumbSlot()
        lists[ObjectIdentifier(list)]?.crumbSlot = crumbSlot
        process.dispatchReports(of: number, to: list)
        let (name, times) = (name, list.times)
        let send: @Sendable (Order) -> Void = { [weak process] order in
            times?.countMessage(toWorkerOf: name)
            do throws(ListError) {
                // Encoded on the executor of the list; the event loop only forwards the bytes.
                let packet = try WorkerPacket(order)
                EventLoop.shared.post { process?.send(packet) }
            } catch {
                EventLoop.shared.post { process?.kill(error.message) }
            }
        }
        send(.host(number, crumbSlot: crumbSlot))
        list.attach(
            HostSlot(
                number: number, send: send,
                kill: { reason in EventLoop.shared.post { [weak process] in process?.kill(reason) } },
                close: {
                    send(.close(number))
                    EventLoop.shared.post { [weak process] in
                        process?.discardReports(of: number)
                        if let crumbSlot { process?.releaseCrumbSlot(crumbSlot) }
                    }
                }))
    }
}

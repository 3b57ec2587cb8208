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
    struct Dependencies: Sendable {
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
        /// Notified of every change.
        var observer: @Sendable (LoadedPlugin) -> Void
    }

    nonisolated let name: String
    private let dependencies: Dependencies
    private var lifecycle = WorkerLifecycle()
    private(set) var process: WorkerProcess?
    private var next = NextProcess()
    private(set) var plugin: LoadedPlugin
    private var fileState: PluginFileState?
    private var lists: [ObjectIdentifier: HostedList] = [:]
    private(set) lazy var sources = WorkerSources(of: self)
    /// Which users' calls are not handed on, because workers died of them.
    private nonisolated let callers = Mutex(CallerBackOff())
    /// What comes after the present process.
    private struct NextProcess {
        /// One that is to replace the present one as soon as it has loaded its plugin.
        var successor: WorkerProcess?
        /// Runs while the worker is not started again yet.
        var pause: LoopTimer?
    }

    /// A list, and its breadcrumb in the present process.
    private struct HostedList {
        let list: any PresentedList
        var crumb: Int?
    }

    private var starting: [@DBusActor (Result<LoadedPlugin, ListError>) -> Void] = []
    private var life = Life()

    /// Whether it still starts processes.
    private struct Life {
        /// Whether it was unloaded.
        var isDismissed = false
        /// Whether listd ends: a plugin that is not loaded now is not loaded any more.
        var isEnding = false
    }

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

    private func report(_ change: (inout LoadedPlugin) -> Void) {
        let old = plugin
        change(&plugin)
        if plugin != old, plugin.state != .loading || plugin.processID != 0 { dependencies.observer(plugin) }
    }
}

// MARK: - Starting

extension PluginWorker {
    /// Has the plugin loaded; one that runs a file that was replaced since moves to the new one.
    ///
    /// - Throws: `pluginRefused`, `noSuchPlugin`; `pluginFailed` when the worker died of it. What ran before goes on then.
    func load() async throws(ListError) -> LoadedPlugin {
        if lifecycle.state == .running {
            guard let present = PluginFileState(of: try dependencies.find().path), present != fileState else {
                report { $0.setLastError("") }
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
        guard !life.isEnding else { throw ListError(.pluginFailed, "plugin \(name): listd is ending") }
        let outcome: Result<LoadedPlugin, ListError> = await withCheckedContinuation { continuation in
            starting.append { continuation.resume(returning: $0) }
            begin()
        }
        return try outcome.get()
    }

    private func begin() {
        if lifecycle.state == .running {
            guard next.successor == nil else { return }
            do throws(ListError) { next.successor = try startProcess() } catch { answer(.failure(error)) }
        } else if lifecycle.need() == .start {
            start()
        }
    }

    private func start() {
        do throws(ListError) {
            process = try startProcess()
        } catch {
            plugin.setLastError(error.reason)
            log.error("plugin \(name): \(error)", .plugin(name))
            died()
        }
    }

    private func startProcess() throws(ListError) -> WorkerProcess {
        let file = try dependencies.find()
        let configuration = dependencies.configuration()
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
                source: { [weak self] report in self?.sources.handle(report) },
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
        try new.start(dependencies.executable, hasNetwork: configuration.hasNetwork)
        let assignment = PluginAssignment(
            path: file.path, directories: dependencies.directories, settings: configuration.settings,
            memoryMax: configuration.memoryMax, hasNetwork: configuration.hasNetwork)
        new.send(try WorkerPacket(WorkerOrder.load(assignment)))
        return new
    }

    private func loaded(
        _ facts: PluginFacts, _ file: PluginFile, _ state: PluginFileState?, _ from: WorkerProcess?
    ) {
        guard let from, from === process || from === next.successor else { return }
        // Of two that load the plugin at the same time, the first one stays.
        let other = from === next.successor ? process : next.successor
        if from === next.successor { lifecycle.successorTookOver() } else { lifecycle.didStart() }
        next.pause?.cancel()
        process = from
        next.successor = nil
        // A restart by itself does not forget the deaths: it is not known yet whether their cause is gone.
        let wasAskedFor = !starting.isEmpty
        if wasAskedFor || state != fileState { forgetDeaths() }
        fileState = state
        report { plugin in
            if wasAskedFor { plugin.setLastError("") }
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
        for hosted in lists.values { place(hosted.list) }
        sources.restart()
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
        for hosted in lists.values { hosted.list.forgetRefusals() }
    }

    private func refused(_ error: ListError, _ from: WorkerProcess?) {
        guard let from else { return }
        from.kill("the plugin was refused")
        if from === next.successor {
            next.successor = nil
            return answer(.failure(error))
        }
        guard from === process else { return }
        process = nil
        lifecycle.refuse()
        giveUp(error.reason)
        failed(error)
    }

    /// Callers that wait for the plugin get an error, unless a successor is still loading it.
    private func failed(_ error: ListError) {
        if next.successor == nil { answer(.failure(error)) }
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
        if from === next.successor {
            next.successor = nil
            return answer(.failure(ListError(.pluginFailed, "plugin \(name): the new worker: \(reason)")))
        }
        guard from === process else { return }
        process = nil
        let wasLoading = lifecycle.state == .starting
        log.error(
            "plugin \(name): \(from.name): \(reason)\(death.callers)", .plugin(name), event: .pluginRestarted,
            limitedBy: "plugin \(name)")
        plugin.setLastError(reason)
        for (key, hosted) in lists {
            hosted.list.losePresenter(in: death.call(at: hosted.crumb))
            lists[key]?.crumb = nil
        }
        sources.died(in: death)
        // Callers that wait for the start get the error at once; lists wait for the next start.
        if wasLoading, !starting.isEmpty {
            failed(ListError(.pluginFailed, "plugin \(name): the worker: \(reason)"))
            if plugin.state == .loading { return lifecycle.dismiss() }
        }
        died(isOfCaller: death.isOfCaller)
    }

    private func died(isOfCaller: Bool = false) {
        guard !life.isDismissed else { return }
        switch lifecycle.didDie(at: .now, isOfCaller: isOfCaller) {
        case .pause(let pause):
            report { plugin in
                plugin.state = .restarting
                plugin.processID = 0
            }
            next.pause?.cancel()
            next.pause = EventLoop.shared.addTimer(after: pause) { [weak self] in
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
        report { plugin in
            plugin.state = .failed
            plugin.processID = 0
            plugin.setLastError(reason)
        }
        for hosted in lists.values { hosted.list.presentLocally() }
        let failure = ListError(.pluginFailed, "plugin \(name) has failed", cause: reason)
        sources.fail(failure)
    }

    /// Ends the worker for good, without notifying its lists.
    func dismiss(because reason: String = "it was unloaded") {
        life.isDismissed = true
        lifecycle.dismiss()
        next.pause?.cancel()
        answer(.failure(ListError(.noSuchPlugin, "plugin \(name): \(reason)")))
        process?.kill(reason)
        next.successor?.kill(reason)
        process = nil
        next.successor = nil
        for hosted in lists.values { hosted.list.losePresenter() }
        sources.pause()
    }

    /// Ends the worker if it has not loaded its plugin yet; callers that wait for it get an error.
    func giveUpStart() {
        life.isEnding = true
        switch lifecycle.state {
        case .starting, .pausing: dismiss(because: "listd is ending")
        case .idle, .running, .failed: next.successor?.kill("listd is ending")
        }
    }

    /// Ends the worker because it has not ended its lists, which then end without it; does nothing for one that has.
    func giveUpLists() {
        guard !lists.isEmpty else { return }
        log.warning("plugin \(name): \(process?.name ?? "its worker") does not end its lists", .plugin(name))
        dismiss(because: "it did not end its lists")
    }
}

// MARK: - Lists

extension PluginWorker {
    /// Gives a list a place, from now on until it ends.
    func host(_ list: any PresentedList) {
        let key = ObjectIdentifier(list)
        lists[key] = HostedList(list: list)
        switch lifecycle.state {
        case .running: place(list)
        case .failed: list.presentLocally()
        case .idle, .starting, .pausing: break
        }
    }

    /// A list has ended, or is presented elsewhere.
    func leave(_ list: any PresentedList) {
        lists[ObjectIdentifier(list)] = nil
    }

    /// Has a list presented in the present process.
    private func place(_ list: any PresentedList) {
        guard let process else { return }
        let number = PresenterNumbers.next()
        let crumb = process.reserveCrumb()
        lists[ObjectIdentifier(list)]?.crumb = crumb
        process.place(list, at: number)
        let (name, times) = (name, list.times)
        let send: @Sendable (WorkerOrder) -> Void = { [weak process] order in
            times?.addOrder(toWorkerOf: name)
            do throws(ListError) {
                // Encoded on the executor of the list; the loop only passes it on.
                let packet = try WorkerPacket(order)
                EventLoop.shared.post { process?.send(packet) }
            } catch {
                EventLoop.shared.post { process?.kill(error.message) }
            }
        }
        send(.host(number, crumb: crumb))
        list.attach(
            HostSlot(
                number: number, send: { send(.present(number, $0, missing: $1, by: $2)) },
                blame: { reason in EventLoop.shared.post { [weak process] in process?.kill(reason) } },
                close: {
                    send(.close(number))
                    EventLoop.shared.post { [weak process] in
                        process?.vacate(number)
                        if let crumb { process?.release(crumb) }
                    }
                }))
    }
}

/// The way from the events of a process back to the process: set as soon as it is there.
@DBusActor
private final class ProcessRelay {
    fileprivate(set) weak var process: WorkerProcess?
}

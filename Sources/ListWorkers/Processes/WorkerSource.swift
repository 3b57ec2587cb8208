// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// The daemon's side of a data source that runs in a plugin's worker; a source of a list.
///
/// Its state is isolated to the event loop. The sink is called on a queue of the source, where it may block.
@DBusActor
final class WorkerSource: Source {
    nonisolated let name: String
    nonisolated let argument: String
    nonisolated let hints: [String: FieldHint]
    private nonisolated let worker: PluginWorker
    private nonisolated let queue: DispatchQueue
    private nonisolated let sink: SourceSink
    private nonisolated let takesWrites = Atomic(false)

    /// The state of the data source in the present process of the worker.
    fileprivate struct Placement {
        /// The number of the data source in the worker; nil when no process has it.
        var number: PresenterNumber?
        /// The slot for the breadcrumbs of the data source.
        var crumbSlot: Int?
        /// Slows the source down when it sends events all the time.
        var brake = FloodBrake.perList
        /// Whether the source is to be started as soon as it is made.
        var isStarted = false
        /// Whether the source is being stopped only to be made again.
        var isRenewing = false
        /// Called when the source was made for the first time, or with the reason why it was not.
        var whenMade: (@DBusActor (ListError?) -> Void)?
    }

    fileprivate var placement = Placement()
    /// Returns the cursor from which the source continues; called at each start.
    private(set) var place: @Sendable () -> [UInt8]? = { nil }
    private var whenStopped: [@Sendable () -> Void] = []
    /// Whether ``stop(completion:)`` was called.
    private(set) var isStopped = false

    /// Describes a data source that is not made yet (``WorkerSources/add(_:)``).
    init(_ name: String, argument: String, of worker: PluginWorker, sink: @escaping SourceSink) {
        self.name = name
        self.argument = argument
        hints = worker.plugin.hints[name] ?? [:]
        self.worker = worker
        self.sink = sink
        queue = DispatchQueue(label: "org.listd.source.\(worker.name).\(name)")
    }

    nonisolated func start(from place: @escaping @Sendable () -> [UInt8]?) {
        EventLoop.shared.post {
            self.place = place
            self.worker.sources.start(self)
        }
    }

    nonisolated var acceptsWrites: Bool { takesWrites.load(ordering: .relaxed) }

    nonisolated func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void) {
        EventLoop.shared.post {
            do throws(ListError) { try self.worker.sources.write(write, to: self) } catch { refuse(error) }
        }
    }

    /// Records that the worker has made the source.
    func recordTraits(_ traits: DataSourceTraits) { takesWrites.store(traits.acceptsWrites, ordering: .relaxed) }

    nonisolated func renew() {
        EventLoop.shared.post { self.worker.sources.renew(self) }
    }

    nonisolated func stop(completion: @escaping @Sendable () -> Void) {
        EventLoop.shared.post {
            self.whenStopped.append(completion)
            guard !self.isStopped else { return self.completeStop() }
            self.isStopped = true
            self.worker.sources.stop(self)
        }
    }

    /// Calls the completions of ``stop(completion:)``, as the source has stopped, or no process had it.
    func completeStop() {
        let completions = whenStopped
        whenStopped = []
        queue.async { for completion in completions { completion() } }
    }

    /// Passes an event to the list, and calls `completion` when the list has handled it.
    func deliver(_ event: SourceEvent, completion: @escaping @Sendable () -> Void) {
        guard !isStopped else { return completion() }
        queue.async { [sink] in
            sink(event)
            completion()
        }
    }

    /// Records that the worker has died, and may be restarted.
    func pause() {
        if isStopped { return completeStop() }
        if let completion = placement.whenMade {
            placement.whenMade = nil
            return completion(
                ListError(
                    .pluginFailed, "the plugin's worker died while making the data source \(name)",
                    cause: worker.plugin.lastError))
        }
        deliver(.paused) {}
    }

    /// Reports an error to the list, as the source does not run and is not restarted.
    func fail(_ error: ListError) { deliver(.failed(error)) {} }
}

/// The data sources of one plugin in its worker. It makes, starts and stops them, and makes them again after a restart.
@DBusActor
final class WorkerSources {
    private unowned let worker: PluginWorker
    private var sources: [PresenterNumber: WorkerSource] = [:]

    init(of worker: PluginWorker) { self.worker = worker }

    /// Makes a data source in the worker, without starting it.
    ///
    /// - Throws: errors of the plugin, above all `invalidArguments`; `pluginFailed` when the worker does not run or
    ///   dies.
    func add(_ source: WorkerSource) async throws(ListError) {
        guard worker.isRunning else {
            throw ListError(
                .pluginFailed, "plugin \(worker.name) is not running (state “\(worker.plugin.state.rawValue)”)",
                cause: worker.plugin.lastError)
        }
        let error: ListError? = await withCheckedContinuation { continuation in
            source.placement.whenMade = { continuation.resume(returning: $0) }
            make(source)
        }
        if let error {
            forget(source)
            throw error
        }
    }

    private func make(_ source: WorkerSource) {
        guard let process = worker.process else { return }
        forget(source)
        let number = PresenterNumbers.next()
        source.placement.number = number
        source.placement.isRenewing = false
        source.placement.crumbSlot = process.reserveCrumbSlot()
        sources[number] = source
        send(.makeSource(number, crumbSlot: source.placement.crumbSlot, name: source.name, argument: source.argument))
    }

    private func forget(_ source: WorkerSource) {
        if let number = source.placement.number { sources[number] = nil }
        if let slot = source.placement.crumbSlot { worker.process?.releaseCrumbSlot(slot) }
        source.placement.number = nil
        source.placement.crumbSlot = nil
    }

    /// Makes the data sources again in a new process of the worker.
    func restart() {
        let all = sources.sorted { $0.key < $1.key }.map(\.value)
        sources = [:]
        for source in all {
            source.placement.crumbSlot = nil  // a slot of the previous process
            if source.isStopped {
                // The source ended with its process. Making it again only to stop it would delay the removal of its
                // list.
                source.placement.number = nil
                source.completeStop()
            } else {
                make(source)
            }
        }
    }

    private func send(_ order: Order) { worker.process?.send(order) }

    /// Starts a data source that was made.
    func start(_ source: WorkerSource) {
        source.placement.isStarted = true
        if let number = source.placement.number { send(.startSource(number, cursor: source.place())) }
    }

    /// Passes a client's write to a data source, which answers with an event.
    ///
    /// - Throws: `sourceUnavailable` when the source does not run, or when the user has to wait because workers died of
    ///   earlier writes of this user.
    func write(_ write: DataSourceWrite, to source: WorkerSource) throws(ListError) {
        guard let number = source.placement.number, worker.process != nil, source.placement.isStarted,
            !source.isStopped,
            !source.placement.isRenewing
        else {
            throw ListError(
                .sourceUnavailable,
                "the data source \(source.name.quoted) of plugin \(worker.name) is not running (state of the plugin: "
                    + "“\(worker.plugin.state.rawValue)”)",
                cause: worker.plugin.lastError)
        }
        if let error = worker.refusal(of: write.user, .sourceUnavailable) { throw error }
        send(.writeSource(number, write))
    }

    /// Records that the worker died, and with it the data sources. The user whose call killed it may have to wait.
    func handleWorkerDeath(_ death: Death) {
        for source in sources.values {
            if death.isCertain, let user = death.told(to: source.placement.crumbSlot).callback?.user {
                worker.recordDeath(by: user)
            }
            source.pause()
        }
    }

    /// Stops a data source and makes it again. Does nothing while no process has it, as the next process makes it
    /// anyway.
    func renew(_ source: WorkerSource) {
        guard let number = source.placement.number, worker.process != nil, source.placement.isStarted,
            !source.isStopped,
            !source.placement.isRenewing
        else { return }
        source.placement.isRenewing = true
        send(.stopSource(number))
    }

    /// Stops a data source. Its completions are called in any case, even if no process has it.
    func stop(_ source: WorkerSource) {
        guard let number = source.placement.number, worker.process != nil else {
            forget(source)
            return source.completeStop()
        }
        send(.stopSource(number))
    }

    /// Handles the worker's reports about data sources.
    func handle(_ report: Report) {
        switch report {
        case .sourceMade(let number, let outcome): handleMade(number, outcome)
        case .sourceEvent(let number, let event):
            sources[number]?.deliver(event) { [weak self] in
                EventLoop.shared.post { self?.requestNextEvent(of: number) }
            }
        case .sourceStopped(let number):
            guard let source = sources[number] else { return }
            if source.placement.isRenewing, !source.isStopped { return make(source) }
            forget(source)
            source.completeStop()
        case .loaded, .refused, .presented, .log, .alive: break
        }
    }

    /// Requests the next event of a source whose last event is handled; with a delay if the source sends too many.
    private func requestNextEvent(of number: PresenterNumber) {
        guard let source = sources[number], let pause = source.placement.brake.admit(at: .now) else {
            return send(.eventTaken(number))
        }
        EventLoop.shared.addTimer(after: pause) { [weak self] in self?.requestNextEvent(of: number) }
    }

    private func handleMade(_ number: PresenterNumber, _ outcome: Result<DataSourceTraits, ListError>) {
        guard let source = sources[number] else { return }
        var error: ListError?
        switch outcome {
        case .success(let traits): source.recordTraits(traits)
        case .failure(let reason): error = reason
        }
        if let completion = source.placement.whenMade {
            source.placement.whenMade = nil
            return completion(error)
        }
        if let error { return source.fail(error) }
        if source.placement.isStarted { send(.startSource(number, cursor: source.place())) }
    }

    /// Reports an error to the lists of all data sources, as the worker is not restarted by itself.
    func fail(_ error: ListError) { for source in sources.values { source.fail(error) } }

    /// Pauses all data sources, as the worker has ended.
    func pause() { for source in sources.values { source.pause() } }
}

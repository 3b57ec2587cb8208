// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// A data source of a plugin in its worker, as a source of a list.
///
/// What belongs to the supervision is isolated to the event loop; the sink is called on a queue of the source's own, where
/// it may wait.
@DBusActor
final class WorkerSource: Source {
    nonisolated let name: String
    nonisolated let argument: String
    nonisolated let hints: [String: FieldHint]
    private nonisolated let worker: PluginWorker
    private nonisolated let queue: DispatchQueue
    private nonisolated let sink: SourceSink
    private nonisolated let takesWrites = Atomic(false)

    /// Where it is in the worker, and how far its making and its end are.
    fileprivate struct Placement {
        /// Where it is in the worker; nil when it is nowhere.
        var slot: PresenterNumber?
        var crumb: Int?
        /// Slows it down when it sends events all the time.
        var brake = FloodBrake.perList
        /// Whether it is to run as soon as it is made.
        var isStarted = false
        /// Whether it is ended only to be made anew.
        var isRenewing = false
        /// Told when it was made for the first time, or why it was not.
        var whenMade: (@DBusActor (ListError?) -> Void)?
    }

    fileprivate var placement = Placement()
    /// Answers where it goes on, each time it starts.
    private(set) var place: @Sendable () -> [UInt8]? = { nil }
    private var whenStopped: [@Sendable () -> Void] = []
    /// Whether its end was asked for.
    private(set) var isStopped = false

    /// Describes a data source that is not made yet.
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

    /// It is made.
    func made(_ traits: DataSourceTraits) { takesWrites.store(traits.acceptsWrites, ordering: .relaxed) }

    nonisolated func renew() {
        EventLoop.shared.post { self.worker.sources.renew(self) }
    }

    nonisolated func stop(completion: @escaping @Sendable () -> Void) {
        EventLoop.shared.post {
            self.whenStopped.append(completion)
            guard !self.isStopped else { return self.stopped() }
            self.isStopped = true
            self.worker.sources.stop(self)
        }
    }

    /// It has ended, or there was nothing to end.
    func stopped() {
        let completions = whenStopped
        whenStopped = []
        queue.async { for completion in completions { completion() } }
    }

    /// Hands an event to the list, and says when it was taken.
    func deliver(_ event: SourceEvent, taken: @escaping @Sendable () -> Void) {
        guard !isStopped else { return taken() }
        queue.async { [sink] in
            sink(event)
            taken()
        }
    }

    /// Its worker is gone for now.
    func pause() {
        if isStopped { return stopped() }
        if let completion = placement.whenMade {
            placement.whenMade = nil
            return completion(ListError(.pluginFailed, "the plugin's worker died of the data source \(name)"))
        }
        deliver(.paused) {}
    }

    /// It is not restarted.
    func fail(_ error: ListError) { deliver(.failed(error)) {} }
}

/// The data sources of one plugin in its worker: made, started, made again in the next process, ended.
@DBusActor
final class WorkerSources {
    private unowned let worker: PluginWorker
    private var sources: [PresenterNumber: WorkerSource] = [:]

    init(of worker: PluginWorker) { self.worker = worker }

    /// Makes a data source in the worker; it does not run yet.
    ///
    /// - Throws: what the plugin throws, above all `invalidArguments`; `pluginFailed` when the worker is gone.
    func add(_ source: WorkerSource) async throws(ListError) {
        guard worker.isRunning else {
            throw ListError(
                .pluginFailed, "plugin \(worker.name) is \(worker.plugin.state.rawValue)",
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
        source.placement.slot = number
        source.placement.isRenewing = false
        source.placement.crumb = process.reserveCrumb()
        sources[number] = source
        send(.makeSource(number, crumb: source.placement.crumb, name: source.name, argument: source.argument))
    }

    private func forget(_ source: WorkerSource) {
        if let slot = source.placement.slot { sources[slot] = nil }
        if let crumb = source.placement.crumb { worker.process?.release(crumb) }
        source.placement.slot = nil
        source.placement.crumb = nil
    }

    /// The worker was started anew: data sources are made again in it.
    func restart() {
        let all = sources.sorted { $0.key < $1.key }.map(\.value)
        sources = [:]
        for source in all {
            source.placement.crumb = nil  // that of a worker that is gone
            if source.isStopped {
                // Its list is gone too: whoever waits for its end must not wait for a new beginning.
                source.placement.slot = nil
                source.stopped()
            } else {
                make(source)
            }
        }
    }

    private func send(_ order: WorkerOrder) { worker.process?.send(order) }

    /// Starts a data source that was made.
    func start(_ source: WorkerSource) {
        source.placement.isStarted = true
        if let slot = source.placement.slot { send(.startSource(slot, cursor: source.place())) }
    }

    /// Has a data source write something; it answers with an event.
    ///
    /// - Throws: `sourceUnavailable` when it does not run, or is not called for this user, of whose writes workers died.
    func write(_ write: DataSourceWrite, to source: WorkerSource) throws(ListError) {
        guard let slot = source.placement.slot, worker.process != nil, source.placement.isStarted, !source.isStopped,
            !source.placement.isRenewing
        else {
            throw ListError(
                .sourceUnavailable, "plugin \(worker.name) is \(worker.plugin.state.rawValue)",
                cause: worker.plugin.lastError)
        }
        if let wait = worker.wait(of: write.user) {
            throw ListError(
                .sourceUnavailable,
                "plugin \(worker.name) died \(wait.deaths) times of calls of user \(write.user): it is called for that user again "
                    + "in \(UInt64(wait.time / .milliseconds(1)) + 1) ms")
        }
        send(.writeSource(slot, write))
    }

    /// The worker is gone, and with it the data sources: whoever it died for may have to wait.
    func died(in death: WorkerDeath) {
        for source in sources.values {
            if let call = death.call(at: source.placement.crumb), call.isCertain, let user = call.call.cause?.user {
                worker.recordDeath(by: user)
            }
            source.pause()
        }
    }

    /// Ends a data source and makes it again; one that is nowhere is made again by itself.
    func renew(_ source: WorkerSource) {
        guard let slot = source.placement.slot, worker.process != nil, source.placement.isStarted, !source.isStopped,
            !source.placement.isRenewing
        else { return }
        source.placement.isRenewing = true
        send(.stopSource(slot))
    }

    /// Ends a data source; `whenStopped` of it is called in any case.
    func stop(_ source: WorkerSource) {
        guard let slot = source.placement.slot, worker.process != nil else {
            forget(source)
            return source.stopped()
        }
        send(.stopSource(slot))
    }

    /// Follows what the worker says of data sources.
    func handle(_ report: WorkerReport) {
        switch report {
        case .sourceMade(let slot, let outcome): sourceMade(slot, outcome)
        case .sourceEvent(let slot, let event):
            sources[slot]?.deliver(event) { [weak self] in
                EventLoop.shared.post { self?.letGoOn(slot) }
            }
        case .sourceStopped(let slot):
            guard let source = sources[slot] else { return }
            if source.placement.isRenewing, !source.isStopped { return make(source) }
            forget(source)
            source.stopped()
        case .loaded, .refused, .presented, .log, .alive: break
        }
    }

    /// The source's event was taken; one that tells something all the time waits a little.
    private func letGoOn(_ slot: PresenterNumber) {
        guard let source = sources[slot], let pause = source.placement.brake.admit(at: .now) else {
            return send(.eventTaken(slot))
        }
        EventLoop.shared.addTimer(after: pause) { [weak self] in self?.letGoOn(slot) }
    }

    private func sourceMade(_ slot: PresenterNumber, _ outcome: Result<DataSourceTraits, ListError>) {
        guard let source = sources[slot] else { return }
        var error: ListError?
        switch outcome {
        case .success(let traits): source.made(traits)
        case .failure(let reason): error = reason
        }
        if let completion = source.placement.whenMade {
            source.placement.whenMade = nil
            return completion(error)
        }
        if let error { return source.fail(error) }
        if source.placement.isStarted { send(.startSource(slot, cursor: source.place())) }
    }

    /// No data source comes back by itself.
    func fail(_ error: ListError) { for source in sources.values { source.fail(error) } }

    /// The worker is gone for now.
    func pause() { for source in sources.values { source.pause() } }
}

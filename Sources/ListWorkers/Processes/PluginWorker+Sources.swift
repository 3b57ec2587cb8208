// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
@_spi(Daemon) internal import PluginAPI

// Data sources in the worker: made, started, made again in the next worker, ended.

extension PluginWorker {
    /// Makes a data source in the worker; it does not run yet.
    ///
    /// - Throws: what the plugin throws, above all `invalidArguments`; `pluginFailed` when the worker is gone.
    func makeSource(_ source: WorkerSource) async throws(ListError) {
        guard case .running = lifecycle.state else {
            throw ListError(.pluginFailed, "plugin \(name) is \(plugin.state.rawValue)", cause: plugin.lastError)
        }
        let error: ListError? = await withCheckedContinuation { continuation in
            source.whenMade = { continuation.resume(returning: $0) }
            make(source)
        }
        if let error {
            forget(source)
            throw error
        }
    }

    private func make(_ source: WorkerSource) {
        guard let process else { return }
        forget(source)
        let number = PresenterNumbers.next()
        source.slot = number
        source.isRenewing = false
        source.crumb = process.takeCrumb()
        sources[number] = source
        send(.makeSource(number, crumb: source.crumb, name: source.name, argument: source.argument))
    }

    private func forget(_ source: WorkerSource) {
        if let slot = source.slot { sources[slot] = nil }
        if let crumb = source.crumb { process?.giveBack(crumb) }
        source.slot = nil
        source.crumb = nil
    }

    func restartSources() {
        let all = sources.sorted { $0.key < $1.key }.map(\.value)
        sources = [:]
        for source in all {
            source.crumb = nil  // that of a worker that is gone
            if source.isStopped {
                // Its list is gone too: whoever waits for its end must not wait for a new beginning.
                source.slot = nil
                source.stopped()
            } else {
                make(source)
            }
        }
    }

    private func send(_ order: WorkerOrder) { process?.send(order) }

    /// Starts a data source that was made.
    func start(_ source: WorkerSource) {
        source.isStarted = true
        if let slot = source.slot { send(.startSource(slot, cursor: source.place())) }
    }

    /// Has a data source write something; it answers with an event.
    ///
    /// - Throws: `sourceUnavailable` when it does not run, or is not called for this user, of whose writes workers died.
    func write(_ write: DataSourceWrite, to source: WorkerSource) throws(ListError) {
        guard let slot = source.slot, process != nil, source.isStarted, !source.isStopped, !source.isRenewing else {
            throw ListError(
                .sourceUnavailable, "plugin \(name) is \(plugin.state.rawValue)", cause: plugin.lastError)
        }
        if let wait = wait(of: write.user) {
            throw ListError(
                .sourceUnavailable,
                "plugin \(name) died \(wait.deaths) times of calls of user \(write.user): it is called for that user again "
                    + "in \(UInt64(wait.time / .milliseconds(1)) + 1) ms")
        }
        send(.writeSource(slot, write))
    }

    /// The worker is gone, and with it the data sources: whoever it died for may have to wait.
    func sourcesDied(in death: WorkerDeath) {
        for source in sources.values {
            if let call = death.call(at: source.crumb), call.isCertain, let user = call.call.cause?.user {
                recordDeath(by: user)
            }
            source.pause()
        }
    }

    /// Ends a data source and makes it again; one that is nowhere is made again by itself.
    func renew(_ source: WorkerSource) {
        guard let slot = source.slot, process != nil, source.isStarted, !source.isStopped, !source.isRenewing
        else { return }
        source.isRenewing = true
        send(.stopSource(slot))
    }

    /// Ends a data source; `whenStopped` of it is called in any case.
    func stop(_ source: WorkerSource) {
        guard let slot = source.slot, process != nil else {
            forget(source)
            return source.stopped()
        }
        send(.stopSource(slot))
    }

    func sourceReported(_ report: WorkerReport) {
        switch report {
        case .sourceMade(let slot, let outcome): sourceMade(slot, outcome)
        case .sourceEvent(let slot, let event):
            sources[slot]?.deliver(event) { [weak self] in
                EventLoop.shared.post { self?.letGoOn(slot) }
            }
        case .sourceStopped(let slot):
            guard let source = sources[slot] else { return }
            if source.isRenewing, !source.isStopped { return make(source) }
            forget(source)
            source.stopped()
        default: break
        }
    }

    /// The source's event was taken; one that tells something all the time waits a little.
    private func letGoOn(_ slot: PresenterNumber) {
        guard let source = sources[slot], let pause = source.brake.take(at: .now) else {
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
        if let completion = source.whenMade {
            source.whenMade = nil
            return completion(error)
        }
        if let error { return source.fail(error) }
        if source.isStarted { send(.startSource(slot, cursor: source.place())) }
    }
}

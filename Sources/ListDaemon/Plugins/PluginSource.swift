internal import ListKit
internal import PluginAPI
internal import Synchronization

/// A data source of a plugin in this process, as a source of a list.
final class PluginSource: Source {
    private struct State {
        var runner: DataSourceRunner
        /// Whether it runs, and is not being renewed.
        var isRunning = false
        var isStopped = false
    }

    let hints: [String: FieldHint]
    private let makeRunner: @Sendable () -> DataSourceRunner
    private let sink: SourceSink
    private let state: Mutex<State>

    /// Makes the plugin's data source; it does not run yet.
    ///
    /// - Throws: what it throws, above all `invalidArguments` for an argument that makes no sense.
    init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost, sink: @escaping SourceSink
    ) async throws(ListError) {
        let makeRunner: @Sendable () -> DataSourceRunner = {
            DataSourceRunner(entry, argument: argument, host: host) { sink(SourceEvent($0)) }
        }
        let runner = makeRunner()
        if let error = await withCheckedContinuation({ done in runner.make { done.resume(returning: $0) } }) {
            throw error
        }
        hints = entry.hints
        self.makeRunner = makeRunner
        self.sink = sink
        state = Mutex(State(runner: runner))
    }

    func start() {
        let runner = state.withLock { state in
            state.isRunning = !state.isStopped
            return state.runner
        }
        runner.start()
    }

    func renew() {
        let old = state.withLock { state -> DataSourceRunner? in
            guard state.isRunning else { return nil }
            state.isRunning = false
            return state.runner
        }
        old?.stop { [self] in beginAnew() }
    }

    private func beginAnew() {
        let runner = makeRunner()
        let isStopped = state.withLock { state in
            if !state.isStopped { (state.runner, state.isRunning) = (runner, true) }
            return state.isStopped
        }
        guard !isStopped else { return }
        runner.make { [sink] error in
            if let error { sink(.failed(error)) }
        }
        runner.start()
    }

    func stop(completion: @escaping @Sendable () -> Void) {
        let runner = state.withLock { state in
            (state.isRunning, state.isStopped) = (false, true)
            return state.runner
        }
        runner.stop(completion: completion)
    }
}

extension SourceEvent {
    /// The same, as lists know it.
    init(_ event: DataSourceEvent) {
        switch event {
        case .replace(let objects): self = .replace(objects)
        case .changes(let removed, let upserts): self = .changes(removed: removed, upserts: upserts)
        case .failed(let message): self = .failed(ListError(.pluginFailed, message))
        case .ready: self = .ready
        @unknown default: self = .failed(ListError(.pluginFailed, "an event of a newer plugin API"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListSources
@_spi(Daemon) package import PluginAPI
internal import Synchronization

/// A data source of a plugin that is loaded into this process; a source of a list.
final class PluginSource: Source {
    private struct State {
        var runner: DataSourceRunner
        /// Whether the source was started, and is not being renewed.
        var isRunning = false
        var isStopped = false
        /// Returns the cursor from which the source continues; called at each start.
        var place: @Sendable () -> [UInt8]? = { nil }
    }

    let hints: [String: FieldHint]
    let acceptsWrites: Bool
    private let makeRunner: @Sendable () -> DataSourceRunner
    private let sink: SourceSink
    private let state: Mutex<State>

    /// Makes the plugin's data source, without starting it.
    ///
    /// - Throws: errors of its initializer, above all `invalidArguments` for a wrong argument.
    init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost, sink: @escaping SourceSink
    ) async throws(ListError) {
        let makeRunner: @Sendable () -> DataSourceRunner = {
            DataSourceRunner(entry, argument: argument, host: host) { sink(SourceEvent($0)) }
        }
        let runner = makeRunner()
        let traits = await withCheckedContinuation { done in runner.makeWithTraits { done.resume(returning: $0) } }
        acceptsWrites = try traits.get().acceptsWrites
        hints = entry.hints
        self.makeRunner = makeRunner
        self.sink = sink
        state = Mutex(State(runner: runner))
    }

    func start(from place: @escaping @Sendable () -> [UInt8]?) {
        let runner = state.withLock { state in
            state.isRunning = !state.isStopped
            state.place = place
            return state.runner
        }
        runner.start(at: place())
    }

    func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void) {
        let runner = state.withLock { $0.isRunning ? $0.runner : nil }
        guard let runner else { return refuse(ListError(.sourceUnavailable, "the data source is not running")) }
        runner.write(write)
    }

    func renew() {
        let old = state.withLock { state -> DataSourceRunner? in
            guard state.isRunning else { return nil }
            state.isRunning = false
            return state.runner
        }
        old?.stop { [self] in makeAndStartAgain() }
    }

    private func makeAndStartAgain() {
        let runner = makeRunner()
        let place = state.withLock { state -> (@Sendable () -> [UInt8]?)? in
            guard !state.isStopped else { return nil }
            (state.runner, state.isRunning) = (runner, true)
            return state.place
        }
        guard let place else { return }
        runner.make { [sink] error in
            if let error { sink(.failed(error)) }
        }
        runner.start(at: place())
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
    /// Converts an event of the plugin API to the event that a list handles.
    package init(_ event: DataSourceEvent) {
        switch event {
        case .replace(let objects): self = .replace(objects)
        case .changes(let removed, let upserts): self = .changes(removed: removed, upserts: upserts)
        case .failed(let message): self = .failed(ListError(.pluginFailed, message))
        case .ready: self = .ready
        case .incomplete(let message): self = .fault(message.map { ListError(.sourceUnavailable, $0) })
        case .replacementBegan: self = .replacementBegan
        case .page(let objects): self = .page(objects)
        case .replacementEnded: self = .replacementEnded
        case .replacementAbandoned: self = .replacementAbandoned
        case .upTo(let progress, .upTo(_, let event)): self.init(.upTo(progress, event))
        case .upTo(let progress, let event): self = .upTo(progress, SourceEvent(event))
        case .written(let id, let error): self = .written(id, error)
        @unknown default: self = .failed(ListError(.pluginFailed, "the source sent an event of a newer plugin API"))
        }
    }
}

internal import ListKit
internal import PluginAPI

/// A data source of a plugin in this process, as a source of a list.
final class PluginSource: Source {
    private let runner: DataSourceRunner

    /// Makes the plugin's data source; it does not run yet.
    ///
    /// - Throws: what it throws, above all `invalidArguments` for an argument that makes no sense.
    init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost, sink: @escaping SourceSink
    ) async throws(ListError) {
        let runner = DataSourceRunner(entry, argument: argument, host: host) { sink(SourceEvent($0)) }
        if let error = await withCheckedContinuation({ done in runner.make { done.resume(returning: $0) } }) {
            throw error
        }
        self.runner = runner
    }

    func start() { runner.start() }

    func stop(completion: @escaping @Sendable () -> Void) { runner.stop(completion: completion) }
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

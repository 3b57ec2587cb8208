internal import ListKit
public import PluginAPI

/// A data source without a daemon, for the tests of a plugin: runs it and hands out its events one by one.
///
/// ```swift
/// let source = try await TestSource(Greenhouse.self, "readings", argument: "2")
/// guard case .replace(let objects) = await source.next() else { … }
/// ```
public final class TestSource {
    private let runner: DataSourceRunner
    private let events: AsyncStream<DataSourceEvent>
    private let continuation: AsyncStream<DataSourceEvent>.Continuation

    /// Makes a data source of a plugin and starts it.
    ///
    /// - Parameters:
    ///   - plugin: the plugin.
    ///   - name: the source's name in the manifest.
    ///   - argument: what follows the `?` in a list's source.
    ///   - settings: the plugin's settings.
    /// - Throws: what the manifest and the making of the source throw; `invalidArguments` for an unknown name.
    public init(
        _ plugin: any Plugin.Type, _ name: String, argument: String = "", settings: PluginSettings = PluginSettings()
    ) async throws {
        let host = PluginHost(settings: settings)
        let manifest = try plugin.manifest(for: host)
        guard let entry = manifest.dataSources.first(where: { $0.name == name }) else {
            throw ListError(.invalidArguments, "\(manifest.name) has no data source \(name)")
        }
        let (events, continuation) = AsyncStream.makeStream(of: DataSourceEvent.self)
        self.events = events
        self.continuation = continuation
        let runner = DataSourceRunner(entry, argument: argument, host: host) { continuation.yield($0) }
        self.runner = runner
        if let error = await withCheckedContinuation({ done in runner.make { done.resume(returning: $0) } }) {
            throw error
        }
        runner.start()
    }

    deinit { runner.stop() }

    /// Waits for the source's next event; `nil` once it has stopped and all its events were taken.
    public func next() async -> DataSourceEvent? { await events.first { _ in true } }

    /// Ends the source, as the removal of its list does.
    public func stop() async {
        let runner = runner
        await withCheckedContinuation { done in runner.stop { done.resume() } }
        continuation.finish()
    }
}

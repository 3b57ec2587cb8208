public import ListKit
public import PluginAPI

/// A data source without a daemon, for the tests of a plugin: runs it, hands out its events one by one, and keeps the list
/// that they make.
///
/// ```swift
/// let source = try await TestSource(Greenhouse.self, "readings", argument: "2")
/// guard case .replace(let objects) = await source.next() else { … }
/// await source.wait { $0.objects.count == 3 }
/// ```
public final class TestSource {
    /// The list that the events taken so far make.
    public var objects: [ListObject] { list.adapter.objects(from: 0, limit: list.adapter.objectCount) }
    /// Why the source cannot be read, as it said last, or why listd refused its last event; `nil` while all is well.
    public private(set) var failure: String?

    /// The engine, so that events do what they do in listd.
    private let list: TestList
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
        list = try TestList { ListSectionController() }
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
    public func next() async -> DataSourceEvent? {
        let event = await events.first { _ in true }
        if let event { apply(event) }
        return event
    }

    /// Takes events until the list is as wanted; at once if it is so already.
    ///
    /// - Returns: false if the source stopped before.
    @discardableResult
    public func wait(until isWanted: (TestSource) -> Bool) async -> Bool {
        while !isWanted(self) {
            guard await next() != nil else { return false }
        }
        return true
    }

    /// Ends the source, as the removal of its list does.
    public func stop() async {
        let runner = runner
        await withCheckedContinuation { done in runner.stop { done.resume() } }
        continuation.finish()
    }

    // MARK: The list

    private func apply(_ event: DataSourceEvent) {
        do throws(ListError) {
            switch event {
            case .replace(let all): try list.update(all)
            case .changes(let removed, let upserts): try list.change(removed: removed, upserts: upserts)
            case .failed(let message):
                failure = message
                return
            case .ready: break
            @unknown default: return
            }
            failure = nil
        } catch {
            failure = "\(error)"
        }
    }
}

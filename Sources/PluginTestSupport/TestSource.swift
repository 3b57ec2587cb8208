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
    public private(set) var objects: [ListObject] = []
    /// Why the source cannot be read, as it said last; `nil` while it can.
    public private(set) var failure: String?

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
        switch event {
        case .replace(let all): objects = all
        case .changes(let removed, let upserts):
            let removed = Set(removed)
            if !removed.isEmpty { objects.removeAll { removed.contains($0.id) } }
            for upsert in upserts { apply(upsert) }
        case .failed(let message):
            failure = message
            return
        case .ready: break
        @unknown default: return
        }
        failure = nil
    }

    private func apply(_ upsert: UpdateRequest.Upsert) {
        let old = objects.firstIndex { $0.id == upsert.object.id }
        if case .keep = upsert.position, let old {
            objects[old] = upsert.object
            return
        }
        if let old { objects.remove(at: old) }
        objects.insert(upsert.object, at: place(upsert.position))
    }

    /// Where an object comes to stand; the end for a neighbour that is not there.
    private func place(_ position: UpdateRequest.Position) -> Int {
        switch position {
        case .first: 0
        case .keep, .last: objects.count
        case .before(let id): objects.firstIndex { $0.id == id } ?? objects.count
        case .after(let id): objects.firstIndex { $0.id == id }.map { $0 + 1 } ?? objects.count
        }
    }
}

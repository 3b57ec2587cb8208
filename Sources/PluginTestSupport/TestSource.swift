// SPDX-License-Identifier: Apache-2.0

public import ListKit
@_spi(Daemon) public import PluginAPI

/// A data source without a daemon, for the tests of a plugin. It runs the source, returns its events one by one, and
/// applies them to a list.
///
/// The source's callbacks, and threads that it starts, have the restrictions of a plugin's worker: a source that changes a
/// file outside of `writablePaths`, starts a program or opens a network socket fails here as it would in listd.
///
/// ```swift
/// let source = try await TestSource(Greenhouse.self, "readings", argument: "2")
/// guard case .replace(let objects) = await source.next() else { … }
/// await source.wait { $0.objects.count == 3 }
/// try await source.write(.patch(id: "tomatoes", set: ["celsius": 20], unset: []))
/// ```
public final class TestSource {
    /// The objects of the list after the events so far.
    public var objects: [ListObject] { list.adapter.objects(from: 0, limit: list.adapter.objectCount) }
    /// The source's last reported failure, or the reason why listd refused its last event; `nil` when there is none.
    public private(set) var failure: String?
    /// What the list lacks of the source, as the source last reported with ``DataSourceSink/incomplete(_:)``; `nil` =
    /// nothing.
    public private(set) var omission: String?
    /// How far the source has read with the list's present objects. At its next start, the source would get this
    /// cursor.
    public private(set) var progress = DataSourceProgress()
    /// Whether clients may write to lists of the source.
    public let acceptsWrites: Bool
    /// The number of pages that the source has sent, in all its replacements.
    public private(set) var pageCount = 0

    /// The engine, so that events have the same effect as in listd.
    private let list: TestList
    /// The objects of the pages so far in a replacement; `nil` when no replacement is in progress.
    private var pages: [ListObject]?
    private var lastWrite: DataSourceWrite.ID = 0
    /// The outcomes of writes that the test has not read yet.
    private var outcomes: [DataSourceWrite.ID: Result<Void, ListError>] = [:]
    private let runner: DataSourceRunner
    private let events: AsyncStream<DataSourceEvent>
    private let continuation: AsyncStream<DataSourceEvent>.Continuation

    /// Makes a data source of a plugin and starts it.
    ///
    /// - Parameters:
    ///   - plugin: the plugin.
    ///   - name: the source's name in the manifest.
    ///   - argument: the text after the `?` in a list's option `source`.
    ///   - settings: the plugin's settings.
    ///   - cursor: the cursor of an earlier run; `nil` = the source starts from the beginning.
    ///   - objects: the list's objects after that run.
    ///   - writablePaths: the files and directories that the source may change: `WritablePaths` of the plugin's
    ///     configuration. They must exist.
    ///   - hasNetwork: `Network` of the plugin's configuration.
    /// - Throws: errors of the manifest and of the source's initializer; `invalidArguments` for an unknown name.
    public init(
        _ plugin: any Plugin.Type, _ name: String, argument: String = "", settings: PluginSettings = PluginSettings(),
        cursor: [UInt8]? = nil, objects: [ListObject] = [], writablePaths: [String] = [], hasNetwork: Bool = false
    ) async throws {
        let host = PluginHost(settings: settings)
        let manifest = try plugin.manifest(for: host)
        guard let entry = manifest.dataSources.first(where: { $0.name == name }) else {
            throw ListError(.invalidArguments, "plugin \(manifest.name) has no data source \(name.quoted)")
        }
        list = try TestList { ListSectionController() }
        try list.update(objects)
        progress.cursor = cursor
        let (events, continuation) = AsyncStream.makeStream(of: DataSourceEvent.self)
        self.events = events
        self.continuation = continuation
        let thread = ConfinedThread(writablePaths: writablePaths, hasNetwork: hasNetwork)
        let runner = DataSourceRunner(entry, argument: argument, host: host, watcher: thread) { continuation.yield($0) }
        self.runner = runner
        let traits = await withCheckedContinuation { done in runner.makeWithTraits { done.resume(returning: $0) } }
        acceptsWrites = try traits.get().acceptsWrites
        runner.start(at: cursor)
    }

    deinit { runner.stop() }

    /// Waits for the source's next event; `nil` once the source has stopped and all its events were handled.
    public func next() async -> DataSourceEvent? {
        let event = await events.first { _ in true }
        if let event { apply(event) }
        return event
    }

    /// Handles events until `isWanted` returns true. Handles none if `isWanted` returns true at the first call.
    ///
    /// - Returns: false if the source stopped before `isWanted` returned true.
    @discardableResult
    public func wait(until isWanted: (TestSource) -> Bool) async -> Bool {
        while !isWanted(self) {
            guard await next() != nil else { return false }
        }
        return true
    }

    /// Stops the source, as removing its list does.
    public func stop() async {
        let runner = runner
        await withCheckedContinuation { done in runner.stop { done.resume() } }
        continuation.finish()
    }

    // MARK: Writing

    /// Passes a write to the source, as a client does, and handles events until it has answered.
    ///
    /// - Parameter isConditional: whether the write must be refused if the source has changes that it has not sent yet.
    /// - Throws: the source's refusal; `readOnly` when its lists accept no writes; `sourceUnavailable` when the source
    ///   stopped before it answered.
    public func write(_ operation: DataSourceWrite.Operation, isConditional: Bool = false) async throws(ListError) {
        guard acceptsWrites else { throw ListError(.readOnly, "lists of this data source accept no writes") }
        lastWrite += 1
        let id = lastWrite
        runner.write(
            DataSourceWrite(id: id, operation: operation, isConditional: isConditional, cursor: progress.cursor))
        await wait { $0.outcomes[id] != nil }
        guard let outcome = outcomes.removeValue(forKey: id) else {
            throw ListError(.sourceUnavailable, "the source stopped before it answered the write")
        }
        try outcome.get()
    }

    // MARK: The list

    private func apply(_ event: DataSourceEvent, upTo reached: DataSourceProgress? = nil) {
        do throws(ListError) {
            if let fault = reached?.fault { throw fault }
            switch event {
            case .replace(let all):
                pages = nil
                try list.update(all)
                progress.cursor = nil
            case .changes(let removed, let upserts): try list.change(removed: removed, upserts: upserts)
            case .replacementBegan:
                pages = []
                return
            case .page(let objects):
                pageCount += 1
                pages?.append(contentsOf: objects)
                return
            case .replacementAbandoned:
                pages = nil
                return
            case .replacementEnded:
                guard let all = pages else { return }
                pages = nil
                try list.update(all)
                progress.cursor = nil
            case .upTo(let progress, let event): return apply(event, upTo: progress)
            case .written(let id, let error):
                outcomes[id] = error.map { .failure($0) } ?? .success(())
                return
            case .failed(let message):
                pages = nil
                failure = message
                return
            case .incomplete(let message):
                omission = message
                return
            case .ready: break
            @unknown default: return
            }
            failure = nil
            if let reached { record(reached) }
        } catch {
            failure = "\(error)"
        }
    }

    private func record(_ reached: DataSourceProgress) {
        if let cursor = reached.cursor { progress.cursor = cursor }
        if let position = reached.position { progress.position = position }
        progress.synced = reached.synced
    }
}

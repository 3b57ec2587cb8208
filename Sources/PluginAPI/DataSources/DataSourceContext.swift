// SPDX-License-Identifier: Apache-2.0

internal import CPluginABI
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The environment of a data source, with its argument, its settings, its sink, and timers and descriptor watches.
///
/// The context belongs to the source's executor: use it only in the source's methods and callbacks. ``sink`` and
/// ``logger`` may be copied and used anywhere.
public final class DataSourceContext {
    /// The text after the `?` in the list's option `source`, unchanged; empty if there is none.
    public let argument: String
    /// The plugin's settings.
    public let settings: PluginSettings
    /// The plugin's log.
    public let logger: PluginLogger
    /// The sink for the events of the source, which passes them to the list.
    public let sink: DataSourceSink

    /// The last cursor that was stored for the list (``DataSourceProgress``); `nil` when there is none, and before
    /// ``DataSource/start()``.
    ///
    /// With a cursor, the list already has the objects up to it. A source that cannot use its cursor sends the whole
    /// list, for example when the place that the cursor names no longer exists, or when another version of the plugin
    /// made the cursor.
    public private(set) var cursor: [UInt8]?

    let queue: DispatchQueue
    private let calls: WatchedCalls
    private var activities: [ObjectIdentifier: DataSourceActivity] = [:]

    init(argument: String, host: PluginHost, sink: DataSourceSink, queue: DispatchQueue, calls: WatchedCalls) {
        self.argument = argument
        self.settings = host.settings
        self.logger = host.logger
        self.sink = sink
        self.queue = queue
        self.calls = calls
    }

    /// Calls `body` once, after a delay.
    @discardableResult
    public func after(_ delay: Duration, _ body: @escaping () -> Void) -> DataSourceActivity {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + delay.dispatchInterval, leeway: .milliseconds(1))
        let activity = DataSourceActivity(timer)
        activity.setCallback { [weak activity, calls] in
            guard let activity else { return }
            activity.cancel()
            calls.call(.timer, body)
        }
        return begin(activity)
    }

    /// Calls `body` periodically, for the first time after one interval.
    ///
    /// Calls that were missed, because the machine slept or the source was busy, are not made up for. An interval
    /// below one millisecond counts as one millisecond.
    @discardableResult
    public func every(_ interval: Duration, _ body: @escaping () -> Void) -> DataSourceActivity {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let step = max(interval, .milliseconds(1)).dispatchInterval
        timer.schedule(deadline: .now() + step, repeating: step, leeway: .milliseconds(1))
        let activity = DataSourceActivity(timer)
        activity.setCallback { [calls] in calls.call(.timer, body) }
        return begin(activity)
    }

    /// Reads the whole list now, and then periodically.
    ///
    /// The result of `read` replaces the list; the engine computes the changes. An error of `read` is reported as a
    /// failure of the source, which lasts until the next successful read.
    @discardableResult
    public func poll(every interval: Duration, read: @escaping () throws -> [ListObject]) -> DataSourceActivity {
        let sink = sink
        func readOnce() {
            do { sink.replace(try read()) } catch { sink.failed(ListError(dataSource: error).message) }
        }
        readOnce()
        return every(interval, readOnce)
    }

    /// Calls `body` whenever a file descriptor is readable.
    ///
    /// The context owns the descriptor from now on, and closes it when the activity is cancelled or the source stops.
    /// Make the descriptor non-blocking, and read until no data are left. At the end of file the descriptor stays
    /// readable, so cancel the activity then.
    @discardableResult
    public func whenReadable(_ fileDescriptor: Int32, _ body: @escaping () -> Void) -> DataSourceActivity {
        // epoll refuses files, which Dispatch regards as always readable.
        let readiness = listd_plugin_readiness(fileDescriptor)
        let descriptors = readiness < 0 ? [fileDescriptor] : [readiness, fileDescriptor]
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptors[0], queue: queue)
        let activity = DataSourceActivity(source, closing: descriptors)
        activity.setCallback { [calls] in calls.call(.descriptor, body) }
        return begin(activity)
    }

    private func begin(_ activity: DataSourceActivity) -> DataSourceActivity {
        let key = ObjectIdentifier(activity)
        activities[key] = activity
        activity.begin { [weak self] in self?.activities[key] = nil }
        return activity
    }

    /// Sets the cursor from which the source is about to continue.
    func setCursor(_ cursor: [UInt8]?) { self.cursor = cursor }

    /// Cancels all timers and descriptor watches; called when the source stops.
    func cancelAll() {
        for activity in activities.values { activity.cancel() }
    }
}

extension ListError {
    /// Converts an error that a data source has thrown: a `ListError` is unchanged, and any other error becomes
    /// `pluginFailed` with its text.
    init(dataSource error: any Error) {
        self = error as? ListError ?? ListError(.pluginFailed, "\(error)")
    }
}

extension ListError {
    /// Converts an error that the initializer of a data source has thrown.
    ///
    /// A wrong value becomes `invalidArguments`, an error of the caller, if it is in the argument. It becomes
    /// `pluginFailed`, an error of the administrator, if only the plugin's settings have such a key.
    init(making error: any Error, argument: String, settings: PluginSettings) {
        guard let error = error as? PluginSettingError else {
            self.init(dataSource: error)
            return
        }
        let isOption = argument.split(separator: "&").contains { $0.prefix { $0 != "=" } == error.key }
        self.init(isOption || settings[error.key] == nil ? .invalidArguments : .pluginFailed, "\(error)")
    }
}

extension Duration {
    /// The interval for Dispatch: zero for a negative duration, and a century for a longer one.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return .nanoseconds(0) }
        guard seconds < 3_155_760_000 else { return .seconds(3_155_760_000) }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}

/// A timer or a watched descriptor of a data source; it ends with the source at the latest.
public final class DataSourceActivity {
    private let source: any DispatchSourceProtocol
    private let fileDescriptors: [Int32]
    private var whenCancelled: (() -> Void)?

    init(_ source: any DispatchSourceProtocol, closing fileDescriptors: [Int32] = []) {
        self.source = source
        self.fileDescriptors = fileDescriptors
    }

    /// Sets the callback of the timer or descriptor.
    func setCallback(_ body: @escaping () -> Void) {
        // Owned by the data source's queue, on which this is called, and on which the handler runs.
        nonisolated(unsafe) let body = body
        source.setEventHandler { unsafe body() }
    }

    /// Starts the timer or watch; `whenCancelled` is called by ``cancel()``.
    func begin(whenCancelled: @escaping () -> Void) {
        self.whenCancelled = whenCancelled
        // Dispatch may use the descriptors until this handler runs.
        source.setCancelHandler { [fileDescriptors] in
            for fileDescriptor in fileDescriptors { close(fileDescriptor) }
        }
        source.activate()
    }

    /// Ends the callbacks at once, including a callback that is due already. A second call does nothing.
    public func cancel() {
        source.cancel()
        source.setEventHandler(handler: nil)
        whenCancelled?()
        whenCancelled = nil
    }
}

/// The sink of a data source, which passes events to the list; may be used from any thread or task.
///
/// Events arrive in the order in which they are sent. Like ``ready()``, ``replace(_:)`` and
/// ``changes(removed:upserts:)`` also end the state that ``failed(_:)`` began. When the list cannot keep up, sending
/// blocks until the list has caught up. In a callback of a section controller, sending returns at once, and the event
/// follows those that the source's executor is sending.
public struct DataSourceSink: Sendable {
    private let deliver: @Sendable (DataSourceEvent) -> Void

    /// Makes a sink that passes its events to a function.
    public init(_ deliver: @escaping @Sendable (DataSourceEvent) -> Void) {
        self.deliver = deliver
    }

    /// Sends one event.
    public func send(_ event: DataSourceEvent) { deliver(event) }

    /// Sends the whole list.
    public func replace(_ objects: [ListObject]) { deliver(.replace(objects)) }

    /// Sends the whole list, and how far the source has read with it.
    public func replace(_ objects: [ListObject], upTo progress: DataSourceProgress) {
        deliver(.upTo(progress, .replace(objects)))
    }

    /// Sends the whole list page by page, so that the source need not have all of it in memory.
    ///
    /// Each page is handled before the next one is sent, so at most one page is in memory. The list changes once,
    /// when all pages have arrived. A source must not send two lists at the same time: call this on the source's
    /// executor, or in one task.
    ///
    /// - Parameter pages: calls `send` with each page, and returns how far the source has read with all pages. When
    ///   `pages` throws, the list keeps its objects.
    public func replaceInPages(
        _ pages: (_ send: ([ListObject]) -> Void) throws -> DataSourceProgress
    ) rethrows {
        deliver(.replacementBegan)
        do {
            let progress = try pages { deliver(.page($0)) }
            deliver(.upTo(progress, .replacementEnded))
        } catch {
            deliver(.replacementAbandoned)
            throw error
        }
    }

    /// Sends changes: the identifiers of objects to remove, of which unknown ones are ignored, and then the objects
    /// to insert or update.
    public func changes(removed: [String] = [], upserts: [UpdateRequest.Upsert] = []) {
        deliver(.changes(removed: removed, upserts: upserts))
    }

    /// Sends changes, and how far the source has read with them.
    public func changes(
        removed: [String] = [], upserts: [UpdateRequest.Upsert] = [], upTo progress: DataSourceProgress
    ) {
        deliver(.upTo(progress, .changes(removed: removed, upserts: upserts)))
    }

    /// Reports that the source cannot be read at present, with the reason: one line that names the thing at fault.
    public func failed(_ message: String) { deliver(.failed(message)) }

    /// Reports that the source can be read again.
    public func ready() { deliver(.ready) }

    /// Reports that the source can be read and has not changed, and how far it has read.
    public func ready(upTo progress: DataSourceProgress) { deliver(.upTo(progress, .ready)) }

    /// Reports that the list lacks parts of the source, with the reason: one line that says how many there are and names
    /// the first; `nil` = the list has all.
    ///
    /// The list's state stays `ready`. The reason is its `SourceError` until the next call, whatever is sent in between.
    public func incomplete(_ message: String?) { deliver(.incomplete(message)) }

    /// Answers a write that was carried out. The events that were sent before must contain all changes of the write.
    public func wrote(_ write: DataSourceWrite.ID) { deliver(.written(write, nil)) }

    /// Answers a write that was refused. The error `sourceUnavailable` means that the outcome of the write is unknown;
    /// with any other error, the write must have changed nothing.
    public func refused(_ write: DataSourceWrite.ID, _ error: ListError) { deliver(.written(write, error)) }
}

/// A gate that forwards the events of a data source until it is closed, and then drops them.
final class SinkGate: Sendable {
    private let isOpen = Atomic<Bool>(true)
    private let receiver: @Sendable (DataSourceEvent) -> Void

    init(_ receiver: @escaping @Sendable (DataSourceEvent) -> Void) {
        self.receiver = receiver
    }

    func deliver(_ event: DataSourceEvent) {
        if isOpen.load(ordering: .acquiring) { receiver(event) }
    }

    func close() { isOpen.store(false, ordering: .releasing) }
}

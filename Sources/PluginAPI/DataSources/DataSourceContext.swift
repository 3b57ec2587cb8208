// SPDX-License-Identifier: Apache-2.0

internal import CPluginABI
internal import Dispatch

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

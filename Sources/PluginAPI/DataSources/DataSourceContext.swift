// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// The environment of a data source: its argument, its sink, and timers and descriptors that call it back.
///
/// It belongs to the source's executor: use it only in the source's methods and callbacks. ``sink`` and ``logger`` may
/// be copied and used anywhere.
public final class DataSourceContext {
    /// The text after the `?` in the list's source, unchanged; empty without one.
    public let argument: String
    /// The plugin's settings.
    public let settings: PluginSettings
    /// The plugin's log.
    public let logger: PluginLogger
    /// The way to send events to the list.
    public let sink: DataSourceSink

    /// The cursor that the source sent last (``DataSourceProgress``), whose content the list has; `nil` when there is
    /// none, and before ``DataSource/start()``.
    ///
    /// The list then already has the objects that came with this cursor. A source that cannot use its cursor, because
    /// its place is gone or another version of the plugin wrote it, sends the whole list.
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

    /// Calls back once, after some time.
    @discardableResult
    public func after(_ delay: Duration, _ body: @escaping () -> Void) -> DataSourceActivity {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + delay.dispatchInterval, leeway: .milliseconds(1))
        let activity = DataSourceActivity(timer)
        activity.whenFired { [weak activity, calls] in
            guard let activity else { return }
            activity.cancel()
            calls.call(.timer, body)
        }
        return begin(activity)
    }

    /// Calls back again and again, first after one interval.
    ///
    /// Calls that were missed, because the machine slept or the source was busy, are not repeated. An interval below
    /// one millisecond counts as one millisecond.
    @discardableResult
    public func every(_ interval: Duration, _ body: @escaping () -> Void) -> DataSourceActivity {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let step = max(interval, .milliseconds(1)).dispatchInterval
        timer.schedule(deadline: .now() + step, repeating: step, leeway: .milliseconds(1))
        let activity = DataSourceActivity(timer)
        activity.whenFired { [calls] in calls.call(.timer, body) }
        return begin(activity)
    }

    /// Reads the whole list at once, and then again and again.
    ///
    /// The result of `read` replaces the list; the engine finds out what changed. An error that it throws is reported
    /// as a failure of the source, which ends with the next successful read.
    @discardableResult
    public func poll(every interval: Duration, read: @escaping () throws -> [ListObject]) -> DataSourceActivity {
        let sink = sink
        func readOnce() {
            do { sink.replace(try read()) } catch { sink.failed(ListError(dataSource: error).message) }
        }
        readOnce()
        return every(interval, readOnce)
    }

    /// Calls back whenever a file descriptor can be read.
    ///
    /// The context owns the descriptor from now on: it closes it when the activity is cancelled or the source stops.
    /// Make it non-blocking, and read until nothing is left. At its end a descriptor stays readable: cancel then.
    @discardableResult
    public func whenReadable(_ fileDescriptor: Int32, _ body: @escaping () -> Void) -> DataSourceActivity {
        let source = DispatchSource.makeReadSource(fileDescriptor: fileDescriptor, queue: queue)
        let activity = DataSourceActivity(source, closing: fileDescriptor)
        activity.whenFired { [calls] in calls.call(.descriptor, body) }
        return begin(activity)
    }

    private func begin(_ activity: DataSourceActivity) -> DataSourceActivity {
        let key = ObjectIdentifier(activity)
        activities[key] = activity
        activity.begin { [weak self] in self?.activities[key] = nil }
        return activity
    }

    /// Sets the cursor from which the source is about to continue.
    func begin(at cursor: [UInt8]?) { self.cursor = cursor }

    /// Ends all timers and descriptors; called when the source stops.
    func cancelAll() {
        for activity in activities.values { activity.cancel() }
    }
}

extension ListError {
    /// The error that a data source threw: unchanged when it is a ListError, else a failure of the plugin with its
    /// text.
    init(dataSource error: any Error) {
        self = error as? ListError ?? ListError(.pluginFailed, "\(error)")
    }
}

extension ListError {
    /// The error with which a data source refused to be made.
    ///
    /// A wrong value is the caller's error when it is in the argument, and the administrator's when only the plugin's
    /// settings have such a key.
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
    /// The nearest interval that Dispatch supports; negative ones are zero, very long ones a century.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return .nanoseconds(0) }
        guard seconds < 3_155_760_000 else { return .seconds(3_155_760_000) }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}

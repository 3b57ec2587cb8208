// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport
internal import ListWorkers

/// The daemon's counters, and a handler that is called when the numbers of the status line have changed.
@DBusActor
final class ServiceCounts {
    /// The counts of events since the start.
    private(set) var statistics = Statistics()
    /// The durations of plugins' callbacks.
    let callbackTimes = CallbackTimes()
    /// Called when the number of lists, objects, views or failures has changed.
    private var changeHandler: @DBusActor () -> Void = {}

    nonisolated init() {}

    /// Counts events.
    func count(_ counter: Statistics.Counter, times: Int = 1) { statistics.add(times, to: counter) }

    /// Counts a refusal by a limit, if the limit is a quota.
    func countRefusal(by key: LimitKey?) {
        if key?.isQuota == true { count(.quotaRefusals) }
    }

    /// Calls the handler of ``onChange(_:)``, because the number of lists, objects, views or failures has changed.
    func notifyChange() { changeHandler() }

    /// Sets the handler for changes of the number of lists, objects, views or failures.
    func onChange(_ handler: @escaping @DBusActor () -> Void) { changeHandler = handler }
}

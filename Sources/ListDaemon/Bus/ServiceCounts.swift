// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport
internal import ListWorkers

/// Counts what happens, and calls a handler when the numbers of the status line have changed.
@DBusActor
final class ServiceCounts {
    /// What has happened since the start.
    private(set) var statistics = Statistics()
    /// How long plugins take.
    let callbackTimes = CallbackTimes()
    /// Called when the number of lists, objects, views or failures has changed.
    private var changeHandler: @DBusActor () -> Void = {}

    nonisolated init() {}

    /// Counts something that happened.
    func add(_ counter: Statistics.Counter, _ count: Int = 1) { statistics.add(counter, count) }

    /// Counts a refusal, if it was for a quota.
    func add(refusal key: LimitKey?) {
        if key?.isQuota == true { add(.quotaRefusals) }
    }

    /// Calls the handler of ``onChange(_:)``: the number of lists, objects, views or failures has changed.
    func changed() { changeHandler() }

    /// Sets what is called when the number of lists, objects, views or failures has changed.
    func onChange(_ handler: @escaping @DBusActor () -> Void) { changeHandler = handler }
}

internal import DBus
internal import ListKit

/// The calls that wait for something outside of listd: what comes through a pipe, a plugin that starts, the store.
///
/// They are kept, so that each is answered should listd end before that comes.
@DBusActor
struct SlowCalls {
    private var calls: [ObjectIdentifier: Call] = [:]

    nonisolated init() {}

    mutating func begin(_ call: Call) { calls[ObjectIdentifier(call)] = call }

    mutating func end(_ call: Call) { calls[ObjectIdentifier(call)] = nil }

    /// Refuses those that are left.
    mutating func refuseAll() {
        for call in calls.values { call.fail(ListError.ending) }
        calls = [:]
    }
}

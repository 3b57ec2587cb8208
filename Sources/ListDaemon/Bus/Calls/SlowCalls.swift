// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// The calls that wait for something outside of the daemon: data from a pipe, the start of a plugin, the store.
///
/// The calls are kept, so that each is answered even if listd stops before.
@DBusActor
struct SlowCalls {
    private struct Waiting {
        let call: Call
        let refusal: ListError
    }

    private var calls: [ObjectIdentifier: Waiting] = [:]

    nonisolated init() {}

    /// Records a call that a slow operation will answer.
    ///
    /// - Parameter refusal: the answer if listd stops before.
    mutating func begin(_ call: Call, refusal: ListError) {
        calls[ObjectIdentifier(call)] = Waiting(call: call, refusal: refusal)
    }

    /// Removes a call that was answered.
    mutating func end(_ call: Call) { calls[ObjectIdentifier(call)] = nil }

    /// Answers the remaining calls with their refusals.
    mutating func refuseAll() {
        for waiting in calls.values { waiting.call.fail(waiting.refusal) }
        calls = [:]
    }
}

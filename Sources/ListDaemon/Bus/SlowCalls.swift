// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// The calls that wait for something outside of listd: what comes through a pipe, a plugin that starts, the store.
///
/// They are kept, so that each is answered should listd end before that comes.
@DBusActor
struct SlowCalls {
    private struct Waiting {
        let call: Call
        let refusal: ListError
    }

    private var calls: [ObjectIdentifier: Waiting] = [:]

    nonisolated init() {}

    /// - Parameter refusal: the answer should listd end before.
    mutating func begin(_ call: Call, _ refusal: ListError) {
        calls[ObjectIdentifier(call)] = Waiting(call: call, refusal: refusal)
    }

    mutating func end(_ call: Call) { calls[ObjectIdentifier(call)] = nil }

    /// Refuses those that are left.
    mutating func refuseAll() {
        for waiting in calls.values { waiting.call.fail(waiting.refusal) }
        calls = [:]
    }
}

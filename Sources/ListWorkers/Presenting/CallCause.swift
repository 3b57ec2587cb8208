// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// The user for whom the code of a plugin is called; a call without a cause comes from the list itself: its data, its
/// timers.
package struct CallCause: Sendable, Equatable {
    /// The user who asked for something of a list or a view.
    var user: UInt32
    /// The request; 0 = it has no answer, or has been answered.
    var request: RequestID
}

/// The call of a plugin's code in which a worker died, as far as one list knows it.
package struct DeadlyCall: Sendable, Equatable {
    /// The callback.
    package var call: Breadcrumb
    /// Whether this was the only call of the plugin under way, so that the worker died of it.
    var isCertain: Bool
}

/// How a worker ended.
struct WorkerDeath: Sendable {
    /// The reason of a death, as text.
    var reason: String
    /// What was being called, by the number of its breadcrumb; for a worker that hangs, the calls that did not return.
    var calls: [Int: Breadcrumb] = [:]

    /// What was being called for the list or data source with a breadcrumb.
    func call(at crumb: Int?) -> DeadlyCall? {
        guard let crumb, let call = calls[crumb] else { return nil }
        return DeadlyCall(call: call, isCertain: calls.count == 1)
    }

    /// The users on whose behalf it was called, for people; empty when there are none.
    var callers: String {
        let users = Set(calls.values.compactMap { $0.cause?.user }).sorted().map(String.init)
        return users.isEmpty ? "" : "; called for user \(users.joined(separator: ", "))"
    }

    /// Whether a user's call may have caused the death, so that it need not be the plugin's own fault.
    var isOfCaller: Bool { calls.values.contains { $0.isOfCaller } }
}

extension Breadcrumb {
    /// Whether it is called because of what somebody asked of a list or a view. A `MoveItem` waits for its turn like a write.
    var isOfCaller: Bool { cause != nil || kind == .move }
}

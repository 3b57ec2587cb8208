// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// The user and the request for which a plugin's code is called. Calls without a cause come from the list itself, such
/// as those of its updates and timers.
package struct CallCause: Sendable, Equatable {
    /// The user who called a method of the list or a view.
    var user: UInt32
    /// The request that still has to be answered; 0 if the caller expects no answer, or has it already.
    var request: RequestID
}

/// A callback of one list that was running when a worker died.
package struct DeadlyCall: Sendable, Equatable {
    /// The callback.
    package var call: Breadcrumb
    /// Whether it was the only running callback of the worker, and is thus the cause of the death.
    var isCertain: Bool
    /// Whether it did not return in time, and the worker was killed for that.
    var isHang = false

    /// The callback in which the worker died, for messages.
    var description: String {
        call.description + (isHang ? ", which did not return in time (CallbackTimeout)" : "")
    }
}

/// The end of a worker's process.
struct WorkerDeath: Sendable {
    /// The reason of the death, as text.
    var reason: String
    /// The callbacks that were running, by the slots of their breadcrumbs; for a worker that hung, the hanging one
    /// only.
    var calls: [Int: Breadcrumb] = [:]
    /// Whether the worker was killed because a callback did not return.
    var isHang = false

    /// Returns the callback that was running for the list or data source with a slot for breadcrumbs.
    func call(inSlot slot: Int?) -> DeadlyCall? {
        guard let slot, let call = calls[slot] else { return nil }
        return DeadlyCall(call: call, isCertain: calls.count == 1, isHang: isHang)
    }

    /// The users on whose behalf callbacks were running, as the end of a message; empty if there are none.
    var callers: String {
        let users = Set(calls.values.compactMap { $0.cause?.user }).sorted().map(String.init)
        return users.isEmpty ? "" : "; called for user \(users.joined(separator: ", "))"
    }

    /// Whether a user's call may have caused the death.
    var isOfCaller: Bool { calls.values.contains { $0.isOfCaller } }
}

extension Breadcrumb {
    /// Whether a user's call has caused the callback. Each `moveItem` callback has such a cause, even if none was
    /// recorded.
    var isOfCaller: Bool { cause != nil || kind == .move }
}

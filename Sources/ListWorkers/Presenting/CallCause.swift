// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// On whose behalf the code of a plugin is called; a call without a cause is the list's own: its data, its timers.
package struct CallCause: Sendable, Equatable {
    /// The user who asked for something of a list or a view.
    var user: UInt32
    /// What was asked; 0 = something that has no answer, or that has been answered.
    var request: RequestID
}

/// The call of a plugin's code in which a worker died, as far as one list knows it.
package struct DeadlyCall: Sendable, Equatable {
    /// The callback.
    package var call: Breadcrumb
    /// Whether nothing else of the plugin was being called, so that it was this.
    var isCertain: Bool
}

/// How a worker ended.
struct WorkerDeath: Sendable {
    /// The reason of a death, as text.
    var reason: String
    /// What was being called, by the number of its breadcrumb; of a worker that hangs, what did not come back.
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

    /// Whether somebody's call may be to blame, so that it is not known to be the plugin's own doing.
    var isOfCaller: Bool { calls.values.contains { $0.isOfCaller } }
}

extension Breadcrumb {
    /// Whether it is called because of what somebody asked of a list or a view. A `MoveItem` waits for its turn like a write.
    var isOfCaller: Bool { cause != nil || kind == .move }
}

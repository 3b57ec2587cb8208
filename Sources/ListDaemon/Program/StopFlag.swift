// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The flag for a requested stop of the daemon: it is set once, from any thread.
///
/// A long operation checks the flag between its steps; a waiting operation registers a reaction.
package final class StopFlag: Sendable {
    private let flag = Atomic(false)
    private let reaction = Mutex<(@Sendable () -> Void)?>(nil)

    /// Makes a flag that is not set.
    package init() {}

    /// Whether a stop was requested.
    package var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Requests the stop.
    package func set() {
        flag.store(true, ordering: .releasing)
        reaction.withLock { $0 }?()
    }

    /// Registers a reaction to the stop, in place of an earlier one. If the stop was requested already, it runs at
    /// once.
    ///
    /// - Parameter react: called on any thread, and rarely twice; nil removes the reaction.
    package func onSet(_ react: (@Sendable () -> Void)?) {
        reaction.withLock { $0 = react }
        if isSet { react?() }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the end of the daemon was asked for: set once, from any thread.
///
/// A long step looks at it between two of its parts; one that waits reacts to it.
package final class StopFlag: Sendable {
    private let flag = Atomic(false)
    private let reaction = Mutex<(@Sendable () -> Void)?>(nil)

    /// No stop was requested yet.
    package init() {}

    /// Whether a stop was requested.
    package var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Asks for the end.
    package func set() {
        flag.store(true, ordering: .releasing)
        reaction.withLock { $0 }?()
    }

    /// Has something done when the end is asked for, or at once if it was; it takes the place of what was to be done before.
    ///
    /// - Parameter react: called on any thread, seldom more than once; nil = nothing.
    package func onSet(_ react: (@Sendable () -> Void)?) {
        reaction.withLock { $0 = react }
        if isSet { react?() }
    }
}

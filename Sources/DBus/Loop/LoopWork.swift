// SPDX-License-Identifier: Apache-2.0

/// Work on the event loop's thread that is done piece by piece, so that what arrives meanwhile does not wait for all of it.
@DBusActor
public final class LoopWork {
    private let next: @DBusActor () -> Bool

    /// - Parameter next: does one piece, of a millisecond at most; true = there is more.
    public nonisolated init(_ next: @escaping @DBusActor () -> Bool) { self.next = next }

    /// Has pieces done in this turn of the loop, behind what it has read, and in those after it, until nothing is left.
    ///
    /// Calling it again before that changes nothing.
    public func begin() { EventLoop.shared.reactor.begin(self) }

    func proceed() -> Bool { next() }
}

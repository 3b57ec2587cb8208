// SPDX-License-Identifier: Apache-2.0

/// Work on the event loop's thread that is done in pieces, so that other clients do not wait for all of it.
@DBusActor
public final class LoopWork {
    private let next: @DBusActor () -> Bool

    /// - Parameter next: does one piece, of a millisecond at most; returns true if there is more.
    public nonisolated init(_ next: @escaping @DBusActor () -> Bool) { self.next = next }

    /// Runs pieces in this turn of the loop, after its reads, and in later turns, until none is left.
    ///
    /// Calling it again before that has no effect.
    public func begin() { EventLoop.shared.reactor.begin(self) }

    func proceed() -> Bool { next() }
}

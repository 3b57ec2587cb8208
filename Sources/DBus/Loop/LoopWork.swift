// SPDX-License-Identifier: Apache-2.0

/// Work on the event-loop thread that is split into pieces, so that other clients need not wait for all of it.
@DBusActor
public final class LoopWork {
    private let next: @DBusActor () -> Bool

    /// Creates work from a closure.
    ///
    /// - Parameter next: does one piece of at most a millisecond; returns `true` if more pieces remain.
    public nonisolated init(_ next: @escaping @DBusActor () -> Bool) { self.next = next }

    /// Runs pieces in this turn of the loop, after its reads, and in later turns until no piece remains.
    ///
    /// Has no effect while the work is already queued.
    public func begin() { EventLoop.shared.reactor.enqueue(self) }

    /// Does one piece. Returns `true` if more pieces remain.
    func runPiece() -> Bool { next() }
}

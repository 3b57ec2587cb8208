// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListKit
internal import ListSources
internal import Synchronization

/// The path from a source to its adapter. Events are applied one at a time, in order.
///
/// The source is blocked on its own executor until its event is applied, so that a source which reads faster than the
/// list can announce is slowed down. A refused event (full disk, a limit) is retried until it is applied, with a
/// delay that doubles, because the list would otherwise lack it.
final class SourceFeed: Sendable {
    /// Applies an event on the bus thread and calls `completion` there.
    typealias Apply = @DBusActor (SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void) -> Void

    /// The first and the longest delay before a refused event is retried.
    private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(32))

    /// Applies the events to the list; nil before the list exists.
    @DBusActor private var apply: Apply?
    private let isClosed = Mutex(false)
    /// The refused event for which its source waits.
    @DBusActor private var refused: Refused?

    /// A refused event, with the timer of its retry.
    private struct Refused {
        let timer: LoopTimer
        let attempt: @DBusActor () -> Void
    }

    /// Sets what applies the events, before the source starts.
    @DBusActor
    func setTarget(_ apply: @escaping Apply) { self.apply = apply }

    /// Applies an event. The call returns when the event is applied, or when the feed is closed.
    func submit(_ event: SourceEvent) {
        let isDone = DispatchSemaphore(value: 0)
        EventLoop.shared.post { [self] in attempt(event, Self.backoff) { isDone.signal() } }
        isDone.wait()
    }

    /// Drops all further events; a waiting source continues.
    @DBusActor
    func close() {
        isClosed.withLock { $0 = true }
        retry()
    }

    /// Retries a refused event at once instead of when its timer fires.
    @DBusActor
    func retry() {
        guard let refused else { return }
        self.refused = nil
        refused.timer.cancel()
        refused.attempt()
    }

    @DBusActor
    private func attempt(_ event: SourceEvent, _ backoff: Backoff, _ done: @escaping @Sendable () -> Void) {
        guard let apply, !isClosed.withLock({ $0 }) else { return done() }
        apply(event) { [self] error in
            guard error != nil else { return done() }
            guard !isClosed.withLock({ $0 }) else { return done() }
            var backoff = backoff
            let timer = EventLoop.shared.addTimer(after: backoff.next()) { [self] in retry() }
            refused = Refused(timer: timer) { [self, backoff] in attempt(event, backoff, done) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListKit
internal import ListSources
internal import Synchronization

/// The way from a source to its adapter: one event after the other, each applied before the next one is taken.
///
/// The source is blocked meanwhile, on its own executor: one that reads faster than the list can be announced is slowed
/// down. A refused event (full disk, a limit) is tried again until it is applied, after waits that double, as the list
/// would otherwise lack it.
final class SourceFeed: Sendable {
    /// Applies an event; called on the bus thread, answers on it.
    typealias Apply = @DBusActor (SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void) -> Void

    /// The first and the longest wait before a refused event is tried again.
    private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(32))

    private let apply: Apply
    private let isClosed = Mutex(false)
    /// The refused event, which its source waits for.
    @DBusActor private var refused: Refused?

    /// The event to retry.
    private struct Refused {
        let timer: LoopTimer
        let attempt: @DBusActor () -> Void
    }

    init(apply: @escaping Apply) {
        self.apply = apply
    }

    /// Takes an event and returns when it is applied, or when nobody wants it any more.
    func submit(_ event: SourceEvent) {
        let isDone = DispatchSemaphore(value: 0)
        EventLoop.shared.post { [self] in attempt(event, Self.backoff) { isDone.signal() } }
        isDone.wait()
    }

    /// Lets nothing through from now on; who waits goes on.
    @DBusActor
    func close() {
        isClosed.withLock { $0 = true }
        retry()
    }

    /// Tries an event that was refused at once, without waiting for its time.
    @DBusActor
    func retry() {
        guard let refused else { return }
        self.refused = nil
        refused.timer.cancel()
        refused.attempt()
    }

    @DBusActor
    private func attempt(_ event: SourceEvent, _ backoff: Backoff, _ done: @escaping @Sendable () -> Void) {
        guard !isClosed.withLock({ $0 }) else { return done() }
        apply(event) { [self] error in
            guard error != nil else { return done() }
            guard !isClosed.withLock({ $0 }) else { return done() }
            var backoff = backoff
            let timer = EventLoop.shared.addTimer(after: backoff.next()) { [self] in retry() }
            refused = Refused(timer: timer) { [self, backoff] in attempt(event, backoff, done) }
        }
    }
}

internal import DBus
internal import Dispatch
internal import ListKit
internal import Synchronization

/// The way from a source to its adapter: one event after the other, each applied before the next one is taken.
///
/// The source waits meanwhile, on its own executor: one that reads faster than the list can be announced is slowed down.
/// An event that could not be applied (full disk, a limit) is tried again until it can: otherwise the list would lack it
/// for good.
final class SourceFeed: Sendable {
    /// Applies an event; called on the bus thread, answers on it.
    typealias Apply = @DBusActor (SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void) -> Void

    /// How long to wait before a refused event is tried again.
    private static let retryDelay = Duration.seconds(1)

    private let apply: Apply
    private let isClosed = Mutex(false)

    init(apply: @escaping Apply) {
        self.apply = apply
    }

    /// Takes an event and returns when it is applied, or when nobody wants it any more.
    func take(_ event: SourceEvent) {
        let isDone = DispatchSemaphore(value: 0)
        EventLoop.shared.post { [self] in attempt(event) { isDone.signal() } }
        isDone.wait()
    }

    /// Lets nothing through from now on; who waits goes on.
    @DBusActor
    func close() { isClosed.withLock { $0 = true } }

    @DBusActor
    private func attempt(_ event: SourceEvent, _ done: @escaping @Sendable () -> Void) {
        guard !isClosed.withLock({ $0 }) else { return done() }
        apply(event) { [self] error in
            guard error != nil else { return done() }
            EventLoop.shared.addTimer(after: Self.retryDelay) { [self] in attempt(event, done) }
        }
    }
}

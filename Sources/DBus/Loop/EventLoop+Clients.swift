// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// The events for which a descriptor is watched.
public struct DescriptorEvents: OptionSet, Sendable {
    /// The bits as defined by epoll(7).
    public let rawValue: UInt32

    /// Creates events from their bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Data can be read, or the other end has closed.
    public static let readable = DescriptorEvents(rawValue: EPOLLIN.rawValue)
    /// Data can be written without blocking.
    public static let writable = DescriptorEvents(rawValue: EPOLLOUT.rawValue)
    /// Both directions are closed. This event is always reported.
    public static let hangUp = DescriptorEvents(rawValue: EPOLLHUP.rawValue)
    /// The descriptor has an error. This event is always reported.
    public static let failed = DescriptorEvents(rawValue: EPOLLERR.rawValue)
}

/// A handle to a descriptor that the event loop watches for its owner.
@DBusActor
public final class DescriptorWatch {
    private let descriptor: Int32
    private let source: ClosureSource
    private var isActive = true

    fileprivate init(descriptor: Int32, source: ClosureSource) {
        self.descriptor = descriptor
        self.source = source
    }

    /// Changes the events to watch for. An empty set pauses the watch.
    public func setInterest(_ events: DescriptorEvents) {
        guard isActive else { return }
        source.interest = events.rawValue
        EventLoop.shared.reactor.recordInterestChange(of: descriptor)
    }

    /// Ends the watch. Call this before closing the descriptor.
    public func cancel() {
        guard isActive else { return }
        isActive = false
        source.body = nil
        EventLoop.shared.reactor.remove(descriptor: descriptor)
    }
}

extension EventLoop {
    /// The statistics about the durations of the loop's turns.
    @DBusActor
    public var turns: LoopTurns { reactor.turns }

    /// Calls `body` after `delay`. A repeating timer calls it again after every further `delay`, until the timer is
    /// cancelled.
    ///
    /// - Complexity: O(log n) in the number of timers.
    @DBusActor
    @discardableResult
    public func addTimer(
        after delay: Duration, repeats: Bool = false, _ body: @escaping @DBusActor () -> Void
    ) -> LoopTimer {
        reactor.timers.add(after: delay, repeats: repeats, body)
    }

    /// Calls `body` once, when all received data has been read and handled, or after a few milliseconds if data keeps
    /// arriving. Use this for work that is done once for all data that arrives together.
    @DBusActor
    public func afterReading(_ body: @escaping @DBusActor () -> Void) {
        LoopWork(.whenQuiet) {
            body()
            return false
        }.begin()
    }

    /// Calls `body` whenever `descriptor` is ready (level-triggered), until the watch is cancelled.
    ///
    /// The owner of the descriptor must cancel the watch before closing the descriptor.
    ///
    /// - Throws: `InvalidArgs` when the descriptor is invalid or already watched.
    @DBusActor
    public func watch(
        _ descriptor: Int32, for events: DescriptorEvents,
        _ body: @escaping @DBusActor (DescriptorEvents) -> Void
    ) throws(DBusError) -> DescriptorWatch {
        let source = ClosureSource(interest: events.rawValue, body: body)
        guard descriptor >= 0, reactor.add(source, descriptor: descriptor) else {
            throw .invalidArgs("descriptor \(descriptor) is invalid or already watched")
        }
        return DescriptorWatch(descriptor: descriptor, source: source)
    }
}

private final class ClosureSource: DescriptorSource {
    fileprivate(set) var interest: UInt32
    fileprivate var body: (@DBusActor (DescriptorEvents) -> Void)?

    init(interest: UInt32, body: @escaping @DBusActor (DescriptorEvents) -> Void) {
        self.interest = interest
        self.body = body
    }

    func didBecomeReady(for events: UInt32) {
        body?(DescriptorEvents(rawValue: events))
    }
}

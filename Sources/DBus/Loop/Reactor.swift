// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// An object that the loop notifies when its descriptor is ready.
@DBusActor
protocol DescriptorSource: AnyObject {
    /// The epoll events that the source currently waits for; 0 for none, not even hang-ups.
    var interest: UInt32 { get }
    /// Called with the epoll events that have occurred.
    func didBecomeReady(for events: UInt32)
}

/// Work of the event loop's thread that is done in pieces, so that other clients need not wait for all of it.
@DBusActor
public final class LoopWork {
    /// When in a turn of the loop a kind of work is done, and for how long.
    enum Phase {
        /// Messages that were read: first, as they may be signals and answers, for which nobody waits in turn.
        case messages
        /// What the messages ask for.
        case calls
        /// What is done once for everything that arrives together.
        case whenQuiet
    }

    let phase: Phase
    fileprivate let next: @DBusActor () -> Bool
    fileprivate var isQueued = false

    nonisolated init(_ phase: Phase, _ next: @escaping @DBusActor () -> Bool) {
        (self.phase, self.next) = (phase, next)
    }

    /// Creates work from a closure.
    ///
    /// - Parameter next: does one piece of at most a millisecond; returns `true` if more pieces remain.
    public nonisolated convenience init(_ next: @escaping @DBusActor () -> Bool) { self.init(.calls, next) }

    /// Runs pieces in this turn of the loop, after its reads, and in later turns until no piece remains.
    ///
    /// Has no effect while the work is already queued.
    public func begin() { EventLoop.shared.reactor.enqueue(self) }
}

/// The state of the loop thread: descriptors, timers, and sources with remaining work.
@safe
@DBusActor
final class Reactor {
    private struct Registration {
        let source: any DescriptorSource
        let generation: UInt32
        var mask: UInt32 = 0
    }

    private let epoll: Int32
    private var registrations: [Int32: Registration] = [:]
    private var stale: Set<Int32> = []
    private var refused: [Int32] = []
    private var generation: UInt32 = 0
    /// The work of each phase of a turn, in the order of its turns.
    private var messages: [LoopWork] = []
    private var calls: [LoopWork] = []
    private var whenQuiet: [LoopWork] = []
    /// The time since which the work in `whenQuiet` waits, in nanoseconds of `TimerQueue`.
    private var waitingSince: UInt64 = 0
    /// The maximum time in nanoseconds for which that work waits while more data keeps arriving.
    private static let maximumWait: UInt64 = 4_000_000
    /// The time in nanoseconds per turn for received messages. Connections share it equally.
    private static let timeForMessages: UInt64 = 4_000_000
    /// The minimum share of one connection in nanoseconds, which suffices for some messages.
    private static let minimumShare: UInt64 = 100_000
    /// The maximum number of messages of one connection per turn.
    nonisolated static let messagesPerTurn = 1024
    /// The time in nanoseconds per turn for calls.
    private static let timeForCalls: UInt64 = 2_000_000
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 64)
    let timers = TimerQueue()
    let turns = LoopTurns()

    nonisolated init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { EventLoop.failStart(in: "epoll_create1", errno: errno) }
    }

    /// Runs one turn: sleeps at most until the next timer, then handles ready descriptors, due timers, messages and
    /// calls, and at last, if nothing else is ready, what is done once for everything.
    func runTurn(mayBlock: Bool) {
        applyInterest()
        let maySleep = mayBlock && messages.isEmpty && calls.isEmpty && whenQuiet.isEmpty
        turns.end()
        let count = wait(milliseconds: maySleep ? timers.millisecondsToNext() : 0)
        turns.begin()
        for index in 0..<count { unsafe dispatch(events[index]) }
        timers.fireDue()
        runMessages()
        runCalls()
        guard !whenQuiet.isEmpty else { return }
        let isQuiet = count == 0 && messages.isEmpty && calls.isEmpty
        if isQuiet || TimerQueue.now() - waitingSince > Self.maximumWait { runWhenQuiet() }
    }

    /// Queues work for its phase: of this turn, or of the next one if this turn has passed it.
    func enqueue(_ work: LoopWork) {
        guard !work.isQueued else { return }
        work.isQueued = true
        switch work.phase {
        case .messages: messages.append(work)
        case .calls: calls.append(work)
        case .whenQuiet:
            if whenQuiet.isEmpty { waitingSince = TimerQueue.now() }
            whenQuiet.append(work)
        }
    }

    /// Returns the nanoseconds for which each of `count` ready connections is read in one turn of the loop. Together
    /// they get a fixed time, however many they are.
    static func share(of count: Int) -> UInt64 { max(minimumShare, timeForMessages / UInt64(max(1, count))) }

    private func runMessages() {
        guard !messages.isEmpty else { return }
        let sources = messages
        messages.removeAll(keepingCapacity: true)
        let time = Self.share(of: sources.count)
        for source in sources {
            source.isQueued = false
            if runMessages(of: source, until: TimerQueue.now() + time) { enqueue(source) }
        }
    }

    /// Runs pieces of one source; returns whether more remain.
    private func runMessages(of source: LoopWork, until deadline: UInt64) -> Bool {
        for number in 0..<Self.messagesPerTurn {
            guard number % 4 < 3 || TimerQueue.now() < deadline else { return true }
            guard source.next() else { return false }
            EventLoop.shared.runPosted()  // a task that awaited this message continues before the next one is delivered
        }
        return true
    }

    /// Runs pieces of calls in rotation until `timeForCalls` has passed.
    private func runCalls() {
        guard !calls.isEmpty else { return }
        let end = TimerQueue.now() + Self.timeForCalls
        repeat {
            let first = calls.removeFirst()
            first.isQueued = false
            if first.next() { enqueue(first) }
            EventLoop.shared.runPosted()  // work that the piece posted runs before the next piece
        } while !calls.isEmpty && TimerQueue.now() < end
    }

    private func runWhenQuiet() {
        let waiting = whenQuiet
        whenQuiet.removeAll(keepingCapacity: true)
        for work in waiting {
            work.isQueued = false
            if work.next() { enqueue(work) }
        }
    }
}

// MARK: - Descriptors

extension Reactor {
    /// Adds the source of `descriptor`. Returns `false` when the descriptor already has one.
    func add(_ source: any DescriptorSource, descriptor: Int32) -> Bool {
        guard registrations[descriptor] == nil else { return false }
        generation &+= 1
        registrations[descriptor] = Registration(source: source, generation: generation)
        stale.insert(descriptor)
        return true
    }

    /// Removes the source of `descriptor`. The descriptor may be closed immediately after this call.
    func remove(descriptor: Int32) {
        guard let registration = registrations.removeValue(forKey: descriptor) else { return }
        stale.remove(descriptor)
        if registration.mask != 0 { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }
    }

    /// Records that the interest of a descriptor's source may have changed.
    func recordInterestChange(of descriptor: Int32) {
        stale.insert(descriptor)
    }

    private func applyInterest() {
        guard !stale.isEmpty else { return }
        for descriptor in stale {
            guard let registration = registrations[descriptor] else { continue }
            let mask = registration.source.interest
            guard mask != registration.mask else { continue }
            let operation = registration.mask == 0 ? EPOLL_CTL_ADD : mask == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
            var event = unsafe epoll_event()
            unsafe event.events = mask
            unsafe event.data.u64 = UInt64(registration.generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
            registrations[descriptor]?.mask = mask
            guard unsafe epoll_ctl(epoll, operation, descriptor, &event) != 0 else { continue }
            registrations[descriptor]?.mask = 0
            refused.append(descriptor)
        }
        stale.removeAll(keepingCapacity: true)
        notifyRefusedSources()
    }

    /// Notifies sources whose descriptor cannot be polled (a regular file or a closed descriptor). They are notified
    /// once, as no event follows.
    private func notifyRefusedSources() {
        guard !refused.isEmpty else { return }
        let descriptors = refused
        refused = []
        for descriptor in descriptors { registrations[descriptor]?.source.didBecomeReady(for: EPOLLERR.rawValue) }
    }

    private func wait(milliseconds: Int32) -> Int {
        let count = unsafe events.withUnsafeMutableBufferPointer { buffer in
            unsafe epoll_wait(epoll, buffer.baseAddress, Int32(buffer.count), milliseconds)
        }
        return max(0, Int(count))  // EINTR counts as a turn without events
    }

    /// Handles an event. It is ignored if the descriptor was closed, and perhaps reopened, earlier in the same turn.
    private func dispatch(_ event: epoll_event) {
        let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: unsafe event.data.u64))
        let generation = UInt32(truncatingIfNeeded: unsafe event.data.u64 >> 32)
        guard let registration = registrations[descriptor], registration.generation == generation else { return }
        registration.source.didBecomeReady(for: unsafe event.events)
    }

    /// Drains the eventfd with which other threads wake the loop.
    func watchForWakeUps(_ descriptor: Int32) {
        let source = ClosureSource(interest: EPOLLIN.rawValue) { _ in
            var count: UInt64 = 0
            _ = unsafe eventfd_read(descriptor, &count)
        }
        _ = add(source, descriptor: descriptor)
    }
}

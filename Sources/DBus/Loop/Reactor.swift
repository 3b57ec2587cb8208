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

/// A source of work that does not depend on a descriptor, such as messages that were already read.
@DBusActor
protocol TurnTaker: AnyObject {
    /// Does at least one piece of work and continues until `deadline`, in nanoseconds of `TimerQueue`. Returns `true`
    /// if work remains for the next turn.
    func runTurn(until deadline: UInt64) -> Bool
}

/// The state of the loop thread: descriptors, timers, and sources with remaining work.
@safe
@DBusActor
final class Reactor {
    private struct Entry {
        let source: any DescriptorSource
        let generation: UInt32
        var mask: UInt32 = 0
    }

    private let epoll: Int32
    private var entries: [Int32: Entry] = [:]
    private var stale: Set<Int32> = []
    private var refused: [Int32] = []
    private var generation: UInt32 = 0
    private var turnTakers: [any TurnTaker] = []
    private var work: [LoopWork] = []
    /// Closures that run when no more data can be read.
    private var afterReading: [@DBusActor () -> Void] = []
    private var readingSince: UInt64 = 0
    /// The maximum time in nanoseconds that the closures in `afterReading` wait while more data keeps arriving.
    private static let maximumReadingTime: UInt64 = 4_000_000
    /// The time in nanoseconds per loop turn for handling received messages. Connections share it equally.
    private static let timeForTakers: UInt64 = 4_000_000
    /// The minimum share of one connection in nanoseconds, which suffices for some messages.
    private static let minimumTimePerTaker: UInt64 = 100_000
    /// The time in nanoseconds per loop turn for queued `LoopWork`.
    private static let timeForWork: UInt64 = 2_000_000
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 64)
    let timers = TimerQueue()
    let turns = LoopTurns()

    nonisolated init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { EventLoop.failStart(in: "epoll_create1", errno: errno) }
    }

    /// Runs one turn: sleeps at most until the next timer, then handles ready descriptors, due timers, and remaining
    /// work.
    func runTurn(mayBlock: Bool) {
        applyInterest()
        let maySleep = mayBlock && turnTakers.isEmpty && work.isEmpty && afterReading.isEmpty
        turns.end()
        let count = wait(milliseconds: maySleep ? timers.millisecondsToNext() : 0)
        turns.begin()
        for index in 0..<count { unsafe dispatch(events[index]) }
        timers.fireDue()
        runTakers()
        runQueuedWork()
        if !afterReading.isEmpty {
            runAfterReadingClosures(isQuiet: count == 0 && turnTakers.isEmpty && work.isEmpty)
        }
    }

    /// Returns the nanoseconds for which each of `count` ready connections is read in one turn of the loop. Together
    /// they get a fixed time, however many they are.
    static func timePerTaker(count: Int) -> UInt64 {
        max(minimumTimePerTaker, timeForTakers / UInt64(max(1, count)))
    }

    private func runTakers() {
        guard !turnTakers.isEmpty else { return }
        let takers = turnTakers
        turnTakers.removeAll(keepingCapacity: true)
        let time = Self.timePerTaker(count: takers.count)
        for taker in takers where taker.runTurn(until: TimerQueue.now() + time) { scheduleTurn(of: taker) }
    }

    /// Runs pieces of queued work in rotation, after the reads of this turn, until `timeForWork` has passed.
    private func runQueuedWork() {
        guard !work.isEmpty else { return }
        let end = TimerQueue.now() + Self.timeForWork
        repeat {
            let first = work.removeFirst()
            if first.runPiece() { enqueue(first) }
            EventLoop.shared.runPosted()  // work that the piece posted runs before the next piece
        } while !work.isEmpty && TimerQueue.now() < end
    }

    /// Appends work to the queue unless it is already queued.
    func enqueue(_ newWork: LoopWork) {
        if !work.contains(where: { $0 === newWork }) { work.append(newWork) }
    }

    /// Calls `body` once, when no more data can be read or `maximumReadingTime` is over.
    func runAfterReading(_ body: @escaping @DBusActor () -> Void) {
        if afterReading.isEmpty { readingSince = TimerQueue.now() }
        afterReading.append(body)
    }

    /// Runs the closures in `afterReading` if no more data can be read (`isQuiet`), or they have waited too long.
    private func runAfterReadingClosures(isQuiet: Bool) {
        guard isQuiet || TimerQueue.now() - readingSince > Self.maximumReadingTime else { return }
        let waiting = afterReading
        afterReading.removeAll(keepingCapacity: true)
        for body in waiting { body() }
    }

    /// Schedules `taker` for the next turn, or for this one if it has not run its takers yet. A second call has no
    /// effect.
    func scheduleTurn(of taker: any TurnTaker) {
        if !turnTakers.contains(where: { $0 === taker }) { turnTakers.append(taker) }
    }
}

// MARK: - Descriptors

extension Reactor {
    /// Adds the source of `descriptor`. Returns `false` when the descriptor already has one.
    func add(_ source: any DescriptorSource, descriptor: Int32) -> Bool {
        guard entries[descriptor] == nil else { return false }
        generation &+= 1
        entries[descriptor] = Entry(source: source, generation: generation)
        stale.insert(descriptor)
        return true
    }

    /// Removes the source of `descriptor`. The descriptor may be closed immediately after this call.
    func remove(descriptor: Int32) {
        guard let entry = entries.removeValue(forKey: descriptor) else { return }
        stale.remove(descriptor)
        if entry.mask != 0 { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }
    }

    /// Records that the interest of a descriptor's source may have changed.
    func recordInterestChange(of descriptor: Int32) {
        stale.insert(descriptor)
    }

    private func applyInterest() {
        guard !stale.isEmpty else { return }
        for descriptor in stale {
            guard let entry = entries[descriptor] else { continue }
            let mask = entry.source.interest
            guard mask != entry.mask else { continue }
            let operation = entry.mask == 0 ? EPOLL_CTL_ADD : mask == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
            var event = unsafe epoll_event()
            unsafe event.events = mask
            unsafe event.data.u64 = UInt64(entry.generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
            entries[descriptor]?.mask = mask
            guard unsafe epoll_ctl(epoll, operation, descriptor, &event) != 0 else { continue }
            entries[descriptor]?.mask = 0
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
        for descriptor in descriptors { entries[descriptor]?.source.didBecomeReady(for: EPOLLERR.rawValue) }
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
        guard let entry = entries[descriptor], entry.generation == generation else { return }
        entry.source.didBecomeReady(for: unsafe event.events)
    }

    func watchForWakeUps(_ descriptor: Int32) {
        _ = add(WakeSource(descriptor: descriptor), descriptor: descriptor)
    }
}

/// A source that drains the eventfd with which other threads wake the loop.
private final class WakeSource: DescriptorSource {
    let descriptor: Int32
    let interest = EPOLLIN.rawValue

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    func didBecomeReady(for events: UInt32) {
        var count: UInt64 = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}

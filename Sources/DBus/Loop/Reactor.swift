// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The handler that the loop calls when a descriptor is ready.
@DBusActor
protocol DescriptorSource: AnyObject {
    /// The epoll events that this source waits for now; 0 = none, not even hang-ups.
    var interest: UInt32 { get }
    /// Called with the epoll events that arrived.
    func ready(_ events: UInt32)
}

/// A source of work that needs no descriptor: messages that are already read.
@DBusActor
protocol TurnTaker: AnyObject {
    /// Works until a time, in nanoseconds of `TimerQueue`, and does at least one piece; true = there is more, call again next
    /// turn.
    func runTurn(until deadline: UInt64) -> Bool
}

/// The loop thread's own state: descriptors, timers, and sources with remaining work.
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
    /// Work that waits until nothing more is to be read, and since when.
    private var afterReading: [@DBusActor () -> Void] = []
    private var readingSince: UInt64 = 0
    /// The longest time that it waits while there is always more to be read, in nanoseconds.
    private static let longestReading: UInt64 = 4_000_000
    /// How long a turn of the loop takes messages out of connections, in nanoseconds; they have equal parts of it.
    private static let takingTime: UInt64 = 4_000_000
    /// The least part of one, in nanoseconds: what some messages take.
    private static let leastTakingTime: UInt64 = 100_000
    /// How long a turn of the loop goes on with work that is left, in nanoseconds.
    private static let workingTime: UInt64 = 2_000_000
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 64)
    let timers = TimerQueue()
    let turns = LoopTurns()

    nonisolated init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { EventLoop.cannotStart("epoll_create1", errno) }
    }

    /// One turn: sleeps at most until the next timer, then handles ready descriptors, due timers, and remaining work.
    func turn(mayBlock: Bool) {
        applyInterest()
        let maySleep = mayBlock && turnTakers.isEmpty && work.isEmpty && afterReading.isEmpty
        turns.end()
        let count = wait(milliseconds: maySleep ? timers.millisecondsToNext() : 0)
        turns.begin()
        for index in 0..<count { unsafe dispatch(events[index]) }
        timers.fireDue()
        runTakers()
        goOnWorking()
        if !afterReading.isEmpty { finishReading(isQuiet: count == 0 && turnTakers.isEmpty && work.isEmpty) }
    }

    /// How long each of several may take messages out in a turn, so that one client's many connections delay the others, and the
    /// bus, no longer than one of them would.
    static func takingTime(ofEachOf count: Int) -> UInt64 {
        max(leastTakingTime, takingTime / UInt64(max(1, count)))
    }

    private func runTakers() {
        guard !turnTakers.isEmpty else { return }
        let takers = turnTakers
        turnTakers.removeAll(keepingCapacity: true)
        let time = Self.takingTime(ofEachOf: takers.count)
        for taker in takers where taker.runTurn(until: TimerQueue.now() + time) { giveTurn(to: taker) }
    }

    /// Does pieces of work in turns, behind what has been read in this turn, until the time is up.
    private func goOnWorking() {
        guard !work.isEmpty else { return }
        let end = TimerQueue.now() + Self.workingTime
        repeat {
            let first = work.removeFirst()
            if first.proceed() { begin(first) }
            EventLoop.shared.runPosted()  // work that a piece has begun goes on before the next piece
        } while !work.isEmpty && TimerQueue.now() < end
    }

    /// Appends work to the queue; a second call has no effect.
    func begin(_ other: LoopWork) {
        if !work.contains(where: { $0 === other }) { work.append(other) }
    }

    /// Calls `body` once, when nothing more is to be read, or a little later.
    func afterReading(_ body: @escaping @DBusActor () -> Void) {
        if afterReading.isEmpty { readingSince = TimerQueue.now() }
        afterReading.append(body)
    }

    private func finishReading(isQuiet: Bool) {
        guard isQuiet || TimerQueue.now() - readingSince > Self.longestReading else { return }
        let waiting = afterReading
        afterReading.removeAll(keepingCapacity: true)
        for body in waiting { body() }
    }

    /// Puts `taker` on the list for the next (or this) turn; a second call has no effect.
    func giveTurn(to taker: any TurnTaker) {
        if !turnTakers.contains(where: { $0 === taker }) { turnTakers.append(taker) }
    }
}

// MARK: - Descriptors

extension Reactor {
    /// Adds the only source of `descriptor`; false when there is one already.
    func add(_ source: any DescriptorSource, descriptor: Int32) -> Bool {
        guard entries[descriptor] == nil else { return false }
        generation &+= 1
        entries[descriptor] = Entry(source: source, generation: generation)
        stale.insert(descriptor)
        return true
    }

    /// Removes `descriptor` at once: its owner may close it in the next line.
    func remove(descriptor: Int32) {
        guard let entry = entries.removeValue(forKey: descriptor) else { return }
        stale.remove(descriptor)
        if entry.mask != 0 { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }
    }

    /// Records that the interest of the source of `descriptor` may have changed.
    func interestChanged(descriptor: Int32) {
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
        tellRefused()
    }

    /// Calls sources whose descriptor cannot be polled (a regular file, a closed one): once, as no event will follow.
    private func tellRefused() {
        guard !refused.isEmpty else { return }
        let descriptors = refused
        refused = []
        for descriptor in descriptors { entries[descriptor]?.source.ready(EPOLLERR.rawValue) }
    }

    private func wait(milliseconds: Int32) -> Int {
        let count = unsafe events.withUnsafeMutableBufferPointer { buffer in
            unsafe epoll_wait(epoll, buffer.baseAddress, Int32(buffer.count), milliseconds)
        }
        return max(0, Int(count))  // EINTR is an empty turn
    }

    /// Ignores an event of a descriptor that was closed, and perhaps reopened, earlier in the same turn.
    private func dispatch(_ event: epoll_event) {
        let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: unsafe event.data.u64))
        let generation = UInt32(truncatingIfNeeded: unsafe event.data.u64 >> 32)
        guard let entry = entries[descriptor], entry.generation == generation else { return }
        entry.source.ready(unsafe event.events)
    }

    func watchForWakeUps(_ descriptor: Int32) {
        _ = add(WakeSource(descriptor: descriptor), descriptor: descriptor)
    }
}

/// Empties the eventfd by which other threads wake the loop.
private final class WakeSource: DescriptorSource {
    let descriptor: Int32
    let interest = EPOLLIN.rawValue

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    func ready(_ events: UInt32) {
        var count: UInt64 = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc
internal import Synchronization

/// The global actor to which all uses of libdbus are isolated. Its executor is the event-loop thread.
///
/// libdbus locks its connections but not its messages, and releasing the last reference to a received message may
/// call back into the main loop. These rules are met because a single thread owns all libdbus objects.
@globalActor
public actor DBusActor {
    /// The shared instance behind `@DBusActor`.
    public static let shared = DBusActor()

    /// The executor of the event-loop thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe EventLoop.shared.asUnownedSerialExecutor() }

    /// Runs `body` isolated to this actor, for a caller that is known to run on the event-loop thread, such as a C
    /// callback.
    ///
    /// Traps when called on any other thread.
    public static func assumeIsolated<T, E: Error>(
        _ body: @DBusActor () throws(E) -> T
    ) throws(E) -> T {
        EventLoop.shared.checkIsolated()
        // The line above has checked the thread, so the isolation can be removed from the closure's type.
        return try withoutActuallyEscaping(body) { (escaping) throws(E) -> T in
            try unsafe unsafeBitCast(escaping, to: (() throws(E) -> T).self)()
        }
    }
}

/// The event-loop thread, which runs jobs of `DBusActor`, timers, and handlers of ready descriptors.
///
/// A process has one loop, which lives as long as the process. Work from other threads is queued in one FIFO queue,
/// so the work that a thread posts, including actor jobs, runs in order.
public final class EventLoop: SerialExecutor {
    /// The loop of this process. Its thread starts on first use, unless ``run(_:)`` has given it one.
    public static let shared: EventLoop = {
        let loop = EventLoop()
        if !hasCallersThread.load(ordering: .relaxed) { loop.start() }
        return loop
    }()

    private static let hasCallersThread = Atomic(false)

    /// An item in the queue of posted work.
    private enum Work: Sendable {
        case job(UnownedJob)
        case closure(@DBusActor @Sendable () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        /// Whether the next post must wake the loop: the loop may be asleep, and no thread has woken it yet.
        var needsWake = true
    }

    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    private let wakeDescriptor: Int32
    let reactor: Reactor

    private init() {
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if wakeDescriptor < 0 { Self.failStart(in: "eventfd", errno: errno) }
        reactor = Reactor()
    }

    /// Runs `body` on the loop thread, after all work that was posted before.
    public func post(_ body: @escaping @DBusActor @Sendable () -> Void) {
        enqueue(.closure(body))
    }

    /// Queues a job of the actor. It runs after all work that was posted before.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    private func enqueue(_ work: Work) {
        let wake = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.needsWake = false }
            return inbox.needsWake
        }
        // The loop itself checks the inbox before it sleeps again, so it needs no wake-up.
        if wake && !isCurrent { eventfd_write(wakeDescriptor, 1) }
    }

    /// The executor of the loop thread.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// Whether the caller runs on the loop thread.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Returns whether the caller runs on the loop thread.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps on any thread except the loop thread.
    public func checkIsolated() {
        // trap: running on the wrong thread is a programming error; no input chooses threads
        precondition(isCurrent, "code of DBusActor was called on a thread other than the one of the event loop")
    }
}

// MARK: - The thread

extension EventLoop {
    /// Ends the program, as the loop cannot start. The message is printed in optimised builds too.
    static func failStart(in call: StaticString, errno number: Int32) -> Never {
        let reason =
            number == EMFILE || number == ENFILE
            ? "the process has reached its limit of file descriptors" : "errno \(number)"
        // trap: an actor cannot run without its executor; the loop starts before any input can arrive
        fatalError("the event loop of D-Bus cannot start: \(call): \(reason)")
    }

    private func start() {
        var id = pthread_t()
        let result = unsafe pthread_create(
            &id, nil,
            { _ in
                unsafe listd_name_thread("dbus-loop")
                EventLoop.shared.run()
            }, nil)
        if result != 0 { Self.failStart(in: "pthread_create", errno: result) }
    }

    /// Makes the calling thread the loop's, which it stays until the process ends, and starts `body` on another one.
    ///
    /// A program calls this on its first thread, before anything else has used the loop. A program that ends its first
    /// thread instead cannot be run by tools which end with that thread, as callgrind does.
    public static func run(_ body: @escaping @Sendable () async -> Void) -> Never {
        hasCallersThread.store(true, ordering: .relaxed)
        let loop = shared
        // trap: only the first line of a program calls this; no input can
        precondition(loop.thread.load(ordering: .relaxed) == 0, "the event loop has a thread already")
        Task { await body() }
        loop.run()
    }

    private func run() -> Never {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        DBusActor.assumeIsolated { reactor.watchForWakeUps(wakeDescriptor) }
        while true {
            DBusActor.assumeIsolated {
                runPosted()
                reactor.runTurn(mayBlock: prepareToSleep())
            }
        }
    }

    /// Runs posted work, and then the work that it has posted meanwhile, up to a limit: descriptors and timers wait.
    @DBusActor
    func runPosted() {
        for _ in 0..<8 {
            let work = inbox.withLock { inbox in
                guard !inbox.work.isEmpty else { return [Work]() }
                defer { inbox.work = [] }
                return inbox.work
            }
            guard !work.isEmpty else { return }
            run(work)
        }
    }

    @DBusActor
    private func run(_ work: [Work]) {
        for item in work {
            switch item {
            case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            case .closure(let body): body()
            }
        }
    }

    /// Returns whether the loop may sleep. If so, the next post wakes it.
    private func prepareToSleep() -> Bool {
        inbox.withLock { inbox in
            inbox.needsWake = inbox.work.isEmpty
            return inbox.work.isEmpty
        }
    }
}

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

/// A source that passes its events to a closure.
final class ClosureSource: DescriptorSource {
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

/// A gate on which a task waits for one result, such as the reply to a call.
///
/// A resumed continuation passes through the global thread pool before it returns to its actor. That would cost two
/// thread switches for each call, and messages that arrive later would be delivered first. Here, the waiting task
/// instead calls into this actor, whose custom executor holds back the job until the result arrives, and then runs it
/// on the event-loop thread at once.
actor Gate<Value: Sendable> {
    private nonisolated let executor = GateExecutor<Value>()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Returns the result. The executor runs this function only after the result has arrived.
    func result() -> Result<Value, DBusError> {
        executor.result ?? .failure(.failed("the gate was opened without a result"))
    }

    /// Sets the result and resumes the waiting task, or the task that waits later. Only the first result counts.
    ///
    /// - Returns: `true` for the first result.
    @discardableResult
    nonisolated func open(_ result: Result<Value, DBusError>) -> Bool {
        executor.open(result)
    }
}

/// An executor that holds back its jobs until it is opened, and then passes them to the event loop.
private final class GateExecutor<Value: Sendable>: SerialExecutor {
    private enum Position {
        case closed(waiting: [UnownedJob])
        case open(Result<Value, DBusError>)
    }

    private let state = Mutex(Position.closed(waiting: []))

    var result: Result<Value, DBusError>? {
        state.withLock { if case .open(let result) = $0 { result } else { nil } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOpen = state.withLock { state in
            guard case .closed(let waiting) = state else { return true }
            state = .closed(waiting: waiting + [job])
            return false
        }
        if isOpen { run(job) }
    }

    func open(_ result: Result<Value, DBusError>) -> Bool {
        let waiting: [UnownedJob]? = state.withLock { state in
            guard case .closed(let waiting) = state else { return nil }
            state = .open(result)
            return waiting
        }
        for job in waiting ?? [] { run(job) }
        return waiting != nil
    }

    private func run(_ job: UnownedJob) {
        EventLoop.shared.post { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        EventLoop.shared.checkIsolated()
    }
}

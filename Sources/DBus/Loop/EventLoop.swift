// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc
internal import Synchronization

/// The event-loop thread: runs the jobs of `DBusActor`, timers, and handlers of descriptors that became ready.
///
/// A process has one loop, which lives as long as the process. Work from other threads is queued in one FIFO, so work
/// that one thread posts runs in its order, jobs of the actor included.
public final class EventLoop: SerialExecutor {
    /// The loop of this process; its thread starts with the first use.
    public static let shared: EventLoop = {
        let loop = EventLoop()
        loop.start()
        return loop
    }()

    /// One piece of work from any thread.
    private enum Work: Sendable {
        case job(UnownedJob)
        case closure(@DBusActor @Sendable () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        /// True while the loop may be asleep and no thread has woken it yet.
        var needsWake = true
    }

    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    private let wakeDescriptor: Int32
    let reactor: Reactor

    private init() {
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if wakeDescriptor < 0 { Self.cannotStart("eventfd", errno) }
        reactor = Reactor()
    }

    /// Runs `body` on the loop thread, after everything that was posted before it.
    public func post(_ body: @escaping @DBusActor @Sendable () -> Void) {
        enqueue(.closure(body))
    }

    /// Enqueues a job of the actor; it runs after everything that was posted before.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    private func enqueue(_ work: Work) {
        let wake = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.needsWake = false }
            return inbox.needsWake
        }
        // The loop itself checks the inbox before it sleeps again.
        if wake && !isCurrent { eventfd_write(wakeDescriptor, 1) }
    }

    /// The executor of the loop’s thread.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// True on the loop thread.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Whether the caller runs on the loop’s thread.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps on any thread but the loop's.
    public func checkIsolated() {
        // trap: code on the wrong thread is an error of the program, found before it does harm; no input chooses threads
        precondition(isCurrent, "code of DBusActor called on another thread than the event loop's")
    }
}

// MARK: - The thread

extension EventLoop {
    /// Ends the program before its first use of the bus, with a message in optimised builds too.
    static func cannotStart(_ call: StaticString, _ number: Int32) -> Never {
        let reason = number == EMFILE || number == ENFILE ? "no file descriptor is left" : "errno \(number)"
        // trap: an actor cannot run without its executor, and cannot report that; it starts before any input can arrive
        fatalError("the event loop of D-Bus cannot start: \(call): \(reason)")
    }

    private func start() {
        var id = pthread_t()
        let result = unsafe pthread_create(
            &id, nil,
            { _ in
                unsafe listd_name_thread("dbus-loop")
                EventLoop.shared.run()
                return nil
            }, nil)
        if result != 0 { Self.cannotStart("pthread_create", result) }
    }

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        DBusActor.assumeIsolated {
            reactor.watchForWakeUps(wakeDescriptor)
            while true {
                runPosted()
                reactor.turn(mayBlock: prepareToSleep())
            }
        }
    }

    /// Runs posted work, and work that this posts, up to a limit, as descriptors and timers wait.
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

    /// Tells whether the loop may sleep; from then on the first post wakes it.
    private func prepareToSleep() -> Bool {
        inbox.withLock { inbox in
            inbox.needsWake = inbox.work.isEmpty
            return inbox.work.isEmpty
        }
    }
}

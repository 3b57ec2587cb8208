// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
internal import ListKit
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// A serial executor: of a list in a worker, of a worker's orders, and of the jobs of a list in the daemon. It runs work
/// in order, on the thread that has claimed the executor.
///
/// Mostly, that is a thread of Dispatch. The bus thread of a worker itself forwards orders if no other thread has the
/// claim, as changing the thread twice would cost more. The claim is acquired and released under a lock. So one thread
/// at a time owns the executor, and no thread waits for another one.
package final class HostExecutor: SerialExecutor, ListExecutor {
    private struct Work: Sendable {
        /// Whether the work is short enough for the bus thread.
        let isLight: Bool
        let body: @Sendable () -> Void
    }

    private struct State {
        var waiting = WorkQueue<Work>()
        /// Whether a thread runs the list's work, or is about to.
        var isClaimed = false
        /// Whether the bus thread is going to call ``drainInline()``.
        var isDrainPromised = false
    }

    private let state = Mutex(State())
    /// The thread that runs the list's work; 0 = none.
    private let owner = Atomic<UInt>(0)
    private let queue: DispatchQueue

    /// Makes an executor with a label, which debuggers show.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs a job of the actor, after everything that was posted before.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The executor owns the job and runs it once.
        post { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Whether the current thread runs the list's work.
    var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Whether the current thread runs the list's work.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps on a thread that does not run the list's work.
    package func checkIsolated() {
        // trap: a fault of the program, detected before it can do harm; no input determines the thread
        precondition(isCurrent, "a list was used on a thread other than its executor's")
    }

    /// Runs `body` after everything that was posted before it.
    ///
    /// - Parameter isLight: whether `body` is short enough to run on the bus thread.
    package func post(isLight: Bool = false, _ body: @escaping @Sendable () -> Void) {
        let mustBegin = state.withLock { state in
            state.waiting.append(Work(isLight: isLight, body: body))
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
        if mustBegin { queue.async { self.drain(onBusThread: false) } }
    }

    /// Posts `body` after a number of milliseconds.
    package func post(after milliseconds: UInt64, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds))) { self.post(body) }
    }

    /// Runs a timer of a section controller; 0 milliseconds = immediately after everything that was posted before.
    package func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
        if milliseconds == 0 { post(work) } else { post(after: milliseconds, work) }
    }
}

// MARK: - Work on the bus thread

extension HostExecutor {
    /// Posts `body` without waking a thread of Dispatch.
    ///
    /// - Returns: true if no thread runs the list's work; the caller must call ``drainInline()`` soon.
    package func enqueueOnLoop(isLight: Bool, _ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.waiting.append(Work(isLight: isLight, body: body))
            guard !state.isClaimed, !state.isDrainPromised else { return false }
            state.isDrainPromised = true
            return true
        }
    }

    /// Runs enqueued work on the bus thread, up to the first work that is not light. Does nothing while another thread has
    /// the claim.
    package func drainInline() {
        let isMine = state.withLock { state in
            state.isDrainPromised = false
            guard !state.isClaimed, !state.waiting.isEmpty else { return false }
            state.isClaimed = true
            return true
        }
        if isMine { drain(onBusThread: true) }
    }

    /// Runs work with the claim until the queue is empty. The bus thread hands over to Dispatch before work that is not
    /// light.
    private func drain(onBusThread isBusThread: Bool) {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        ListThread.begin()
        defer { ListThread.end() }
        listd_trace_thread()
        while true {
            switch nextStep(onlyLight: isBusThread) {
            case .run(let body): body()
            case .handOver: return queue.async { self.drain(onBusThread: false) }
            case .done: return
            }
        }
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case handOver
        case done
    }

    /// Removes and returns the next work. Returns no work when there is none, or Dispatch must run it.
    private func nextStep(onlyLight: Bool) -> Step {
        state.withLock { state in
            guard let work = state.waiting.first else {
                state.isClaimed = false
                owner.store(0, ordering: .relaxed)
                return .done
            }
            guard work.isLight || !onlyLight else {
                owner.store(0, ordering: .relaxed)
                return .handOver
            }
            _ = state.waiting.popFirst()
            return .run(work.body)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import ListKit
internal import Synchronization

/// The executor of one list: it runs work in the order of posting, one piece at a time, on the thread that has claimed
/// it.
///
/// That thread is mostly one of Dispatch's. The bus thread itself runs work that takes microseconds, if no other thread
/// is running the list's: a change of threads and back would cost more than all of a short call. The claim is taken and
/// given back under one lock, so the list has one owner at any time, and no thread ever waits for another.
package final class HostExecutor: SerialExecutor, ListExecutor {
    private struct Work: Sendable {
        /// Whether the work is short enough for the bus thread.
        let isLight: Bool
        let body: @Sendable () -> Void
    }

    private struct State {
        var waiting = WorkQueue<Work>()
        /// Whether a thread works for the list, or was asked to.
        var isClaimed = false
        /// Whether the bus thread has promised to call ``drainInline()``.
        var isDrainPromised = false
    }

    private let state = Mutex(State())
    /// The thread that has the claim and works; 0 = none.
    private let owner = Atomic<UInt>(0)
    /// Whether the bus thread may run light work.
    private let allowsInline = Atomic(false)
    private let queue: DispatchQueue

    /// Makes an executor with a name that debuggers show.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Takes a job of the actor; it runs behind everything that was posted before.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The executor owns the job until it has run, once.
        post { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Whether the caller works for the list.
    var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Whether the caller works for the list.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps on a thread that does not work for the list.
    package func checkIsolated() {
        // trap: code on the wrong thread is a fault of the program, found before it can do harm; no input chooses threads
        precondition(isCurrent, "code of a list called on another thread than the one that works for it")
    }

    /// Runs `body` after everything that was posted before it.
    ///
    /// - Parameter isLight: whether the bus thread may do it, should it be working for the list then.
    package func post(isLight: Bool = false, _ body: @escaping @Sendable () -> Void) {
        let mustBegin = state.withLock { state in
            state.waiting.append(Work(isLight: isLight, body: body))
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
        if mustBegin { queue.async { self.work(here: false) } }
    }

    /// Calls `answer` after everything that was posted before it: at once when nothing waits and no thread works for the
    /// list, so that asking a list that rests wakes nobody.
    package func ping(_ answer: @escaping @Sendable () -> Void) {
        let isResting = state.withLock { !$0.isClaimed && $0.waiting.isEmpty }
        if isResting { answer() } else { post(answer) }
    }

    /// Runs `body` some milliseconds from now, after everything that was posted before then.
    package func post(after milliseconds: UInt64, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds))) { self.post(body) }
    }

    /// The same for section controllers; 0 = behind everything that was posted before.
    package func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
        if milliseconds == 0 { post(work) } else { post(after: milliseconds, work) }
    }
}

// MARK: - What the bus thread does itself

extension HostExecutor {
    /// Puts `body` behind everything that was posted before; true = nobody works for the list, and the caller sees to it
    /// that ``drainInline()`` is called a little later.
    package func enqueueOnLoop(isLight: Bool, _ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.waiting.append(Work(isLight: isLight, body: body))
            guard !state.isClaimed, !state.isDrainPromised else { return false }
            state.isDrainPromised = true
            return true
        }
    }

    /// Allows the bus thread to run enqueued light work, or forbids it: it goes to a thread of Dispatch then.
    package func allowInline(_ isAllowed: Bool) { allowsInline.store(isAllowed, ordering: .relaxed) }

    /// Runs enqueued work up to the first heavy item if that is allowed, unless another thread is running it.
    package func drainInline() {
        let isMine = state.withLock { state in
            state.isDrainPromised = false
            guard !state.isClaimed, !state.waiting.isEmpty else { return false }
            state.isClaimed = true
            return true
        }
        guard isMine else { return }
        if allowsInline.load(ordering: .relaxed) { work(here: true) } else { queue.async { self.work(here: false) } }
    }

    /// How long the bus thread runs enqueued work: work that is light for one list may take long for another.
    private static let longestHere = Duration.milliseconds(2)

    /// Works, with the claim, until nothing waits; on the bus thread, until something waits that is not light, or it has
    /// taken long enough.
    private func work(here isBusThread: Bool) {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        let end = isBusThread ? ContinuousClock.now + Self.longestHere : nil
        while true {
            let isLate = if let end { ContinuousClock.now > end } else { false }
            switch next(onlyLight: isBusThread, handsOver: isLate) {
            case .run(let body): body()
            case .handOver: return queue.async { self.work(here: false) }
            case .done: return
            }
        }
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case handOver
        case done
    }

    private func next(onlyLight: Bool, handsOver: Bool) -> Step {
        state.withLock { state in
            guard let work = state.waiting.first() else {
                state.isClaimed = false
                owner.store(0, ordering: .relaxed)
                return .done
            }
            guard !handsOver, work.isLight || !onlyLight else {
                owner.store(0, ordering: .relaxed)
                return .handOver
            }
            _ = state.waiting.popFirst()
            return .run(work.body)
        }
    }
}

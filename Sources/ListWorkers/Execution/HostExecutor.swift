// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
internal import ListKit
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// A serial executor: of a list in a worker, or of the jobs of a list in the daemon.
package final class HostExecutor: SerialExecutor, ListExecutor {
    /// The thread that runs work; 0 = none.
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

    /// Whether the current thread runs the executor's work.
    var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Whether the current thread runs the executor's work.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps on a thread that does not run the executor's work.
    package func checkIsolated() {
        // trap: a fault of the program, detected before it can do harm; no input determines the thread
        precondition(isCurrent, "a list was used on a thread other than its executor's")
    }

    /// Runs `body` after everything that was posted before it.
    package func post(_ body: @escaping @Sendable () -> Void) {
        queue.async { self.run(body) }
    }

    /// Posts `body` after a number of milliseconds.
    package func post(after milliseconds: UInt64, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds))) { self.run(body) }
    }

    /// Runs a timer of a section controller; 0 milliseconds = immediately after everything that was posted before.
    package func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
        if milliseconds == 0 { post(work) } else { post(after: milliseconds, work) }
    }

    private func run(_ body: @Sendable () -> Void) {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        ListThread.begin()
        listd_trace_thread()
        body()
        ListThread.end()
        owner.store(0, ordering: .relaxed)
    }
}

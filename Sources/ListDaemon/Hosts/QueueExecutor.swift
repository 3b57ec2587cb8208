internal import Dispatch

/// A serial dispatch queue as the executor of an actor, so that the actor's state has that queue as its only thread.
///
/// Values posted to the queue are handled in the order in which they were posted, which tasks do not promise.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Makes a queue with a name that debuggers show.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The queue owns the job until it has run, once.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Runs `body` on the queue, after everything that was posted before it.
    func post(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    /// Runs `body` on the queue some milliseconds from now.
    func post(after milliseconds: UInt64, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds)), execute: body)
    }
}

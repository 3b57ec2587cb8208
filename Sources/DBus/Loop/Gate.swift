// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

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
    private enum State {
        case closed(waiting: [UnownedJob])
        case open(Result<Value, DBusError>)
    }

    private let state = Mutex(State.closed(waiting: []))

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

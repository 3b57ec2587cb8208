// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets a task wait for one answer, such as the reply to a call.
///
/// A resumed continuation goes through the global thread pool before it returns to its actor: two thread switches for
/// each call, and messages that arrived later would be delivered first. An actor's own executor decides when its code
/// runs, so here the task waits by entering an actor whose executor keeps its job until the answer arrives, and then
/// runs it on the event-loop thread at once.
actor Gate<Value: Sendable> {
    private nonisolated let executor = GateExecutor<Value>()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The answer; this actor's code runs only once it has arrived.
    func result() -> Result<Value, DBusError> {
        executor.result ?? .failure(.failed("the gate was opened without an answer"))
    }

    /// Resumes the waiting task, or a later one, with its answer; the first answer counts.
    ///
    /// - Returns: whether this is the first answer.
    @discardableResult
    nonisolated func open(_ result: Result<Value, DBusError>) -> Bool {
        executor.open(result)
    }
}

/// Holds jobs until it is opened, then passes them to the event loop.
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
